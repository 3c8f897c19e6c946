import type { AgentProgram } from '../agentProgram.ts';
import { ensureClaudeCode, runClaude } from '../claudeCode.ts';
import { edit, read, shell, write } from '../scriptedSteps.ts';

export const claude: AgentProgram = {
  agent: 'claude-code',
  title: 'Claude Code',
  version: '2.1.332',
  ensure: ensureClaudeCode,
  steps: { write, edit, read, shell },
  prepare: () => undefined,
  async run({ command, place, modelUrl, prompt, goesOn }) {
    const { exitCode, stdout, stderr } = await runClaude({ ...place, command, modelUrl, prompt, ...(goesOn ? { resume: 'continue' } : {}) });
    return { exitCode, output: `${stdout}${stderr}` };
  },
};
