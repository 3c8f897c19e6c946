import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { Project } from './project.ts';

/** An event of VS Code's own agent, whichever hook brings it. */
function tell(project: Project, hook: string, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  const payload = { timestamp: '2026-11-30T19:06:25.051Z', hook_event_name: event, session_id: 's-1', transcript_path: '/t/s-1.jsonl', cwd: project.folder, ...fields };
  const { exitCode, output } = project.run(['hook', hook, event], { input: JSON.stringify(payload) });
  assert.deepEqual([exitCode, output], [0, '']);
}

function turnsOf(project: Project): readonly unknown[] {
  const { turns } = project.run(['log', '--json']).json as { readonly turns: readonly { readonly agent: string; readonly files: readonly { readonly path: string }[] }[] };
  return turns.map(({ agent, files }) => [agent, files.map(({ path }) => path)]);
}

describe('hooks of a file that two programs read', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('are installed and removed by the name of either, and tell each one\'s turns once', () => {
    const project = new Project({ 'a.txt': 'one' }).install();
    const path = join(project.home, '.copilot', 'hooks', 'turnstone.json');
    assert.equal(project.run(['hooks', 'install', 'vscode']).exitCode, 0);
    const written = readFileSync(path, 'utf8');
    const again = project.run(['hooks', 'install', 'copilot', '--json']);
    assert.deepEqual([again.exitCode, (again.json as { readonly changed: boolean }).changed, readFileSync(path, 'utf8')], [0, false, written]);
    // VS Code reads Claude Code's settings, too.
    for (const hook of ['claude-code', 'copilot']) tell(project, hook, 'UserPromptSubmit', { prompt: 'do it' });
    const call = { tool_name: 'create_file', tool_input: { filePath: project.path('new.txt'), content: 'one\n' }, tool_use_id: 'call_1' };
    for (const hook of ['claude-code', 'copilot']) tell(project, hook, 'PreToolUse', call);
    for (const hook of ['copilot', 'claude-code']) tell(project, hook, 'PostToolUse', { ...call, tool_response: '' });
    project.write('new.txt', 'one\n');
    for (const hook of ['copilot', 'claude-code']) tell(project, hook, 'Stop');
    assert.deepEqual(turnsOf(project), [['vscode', ['new.txt']]]);
    assert.equal(project.run(['hooks', 'remove', 'vscode']).exitCode, 0);
    assert.equal(existsSync(path), false);
  });

  it('are refused in a folder while they are in the user\'s settings, and the other way round', () => {
    const project = new Project();
    assert.equal(project.run(['hooks', 'install', 'copilot', '--scope', 'project']).exitCode, 0);
    const { exitCode, output } = project.run(['hooks', 'install', 'copilot']);
    assert.notEqual(exitCode, 0);
    assert.match(output, /turnstone\.json already, and would tell everything twice\. Nothing was changed; remove those first \(--scope project\)/);
    assert.equal(existsSync(join(project.home, '.copilot')), false);
    assert.equal(project.run(['hooks', 'remove', 'copilot', '--scope', 'project']).exitCode, 0);
    assert.equal(project.run(['hooks', 'install', 'copilot']).exitCode, 0);
  });
});
