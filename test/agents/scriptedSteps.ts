// The tool calls of Claude Code, as a scripted model makes them.
export const write = (path: string, content: string) => ({
  tool: 'Write',
  input: { file_path: `\${PROJECT}/${path}`, content },
});
export const edit = (path: string, old_string: string, new_string: string) => ({
  tool: 'Edit',
  input: { file_path: `\${PROJECT}/${path}`, old_string, new_string },
});
export const read = (path: string) => ({ tool: 'Read', input: { file_path: `\${PROJECT}/${path}` } });
export const shell = (command: string) => ({ tool: 'Bash', input: { command, description: 'scripted command' } });
export const delegate = (prompt: string, run_in_background = false) => ({
  tool: 'Agent',
  input: { description: prompt.toLowerCase(), subagent_type: 'general-purpose', prompt, run_in_background },
});
export const say = (text: string) => ({ text });
