import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { AgentProgram, AgentRun } from '../agentProgram.ts';
import type { ModelStep } from '../modelScript.ts';
import { ensureNpmProgram } from '../npmProgram.ts';

const version = '0.171.0';

/** It offers its tools by the name of the model: only a known one has `apply_patch`. */
const settings = (model: string, modelUrl: string): string => `model = "${model}"
model_provider = "local"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.local]
name = "local"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
`;

function codexWith(title: string, model: string, tools: { patch(patch: string): ModelStep; shell(command: string): ModelStep }): AgentProgram {
  const patch = (...lines: readonly string[]): ModelStep => tools.patch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  return {
    agent: 'codex',
    title,
    version,
    ensure: () => ensureNpmProgram({ package: '@openai/codex', version, binary: 'codex' }),
    steps: {
      write: (path, content) => patch(`*** Add File: ${path}`, ...content.trimEnd().split('\n').map(line => `+${line}`)),
      edit: (path, old, fresh) => patch(`*** Update File: ${path}`, '@@', `-${old}`, `+${fresh}`),
      shell: tools.shell,
    },
    prepare({ home }, modelUrl) {
      mkdirSync(join(home, '.codex'));
      writeFileSync(join(home, '.codex', 'config.toml'), settings(model, modelUrl));
    },
    run,
  };
}

/** The flag stands for the user, who trusts the hooks in the program. Without its terminal the program leaves nothing running. */
function run({ command, place, prompt, goesOn }: AgentRun): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const words = ['exec', ...(goesOn ? ['resume', '--last'] : []), '--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox', prompt];
  const environment = { HOME: place.home, TMPDIR: join(place.home, 'tmp'), PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter), TERM: 'xterm-256color', LANG: 'C.UTF-8', LOCAL_KEY: 'none' };
  const child = spawn(command, words, { cwd: place.project, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', exitCode => resolve({ exitCode, output: Buffer.concat(printed).toString('utf8') }));
  });
}

export const codex: AgentProgram = codexWith('Codex', 'gpt-5.5', {
  patch: patch => ({ tool: 'apply_patch', input: patch }),
  shell: command => ({ tool: 'exec_command', input: { cmd: command } }),
});

/** Newer models have one tool that runs JavaScript, and in that the others. */
export const codexInCode: AgentProgram = codexWith('Codex, by code', 'gpt-6.2-sol', {
  patch: patch => ({ tool: 'exec', input: `try { text(await tools.apply_patch(${JSON.stringify(patch)})); } catch (error) { text(String(error)); }` }),
  shell: command => ({ tool: 'exec', input: `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }));` }),
});
