import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/until.ts';
import type { AgentProgram } from '../agentProgram.ts';
import { ensureNpmProgram } from '../npmProgram.ts';
import { runProgram } from '../runProgram.ts';
import { processesOf, type ScratchProcess } from '../scratchProcesses.ts';

const version = '3.0.65';
const provider = 'openai-compatible';

const path = (file: string): string => `\${PROJECT}/${file}`;

export const cline: AgentProgram = {
  agent: 'cline',
  title: 'Cline',
  version,
  // Its hooks get no text, and asking it for one more prompt of a session takes a terminal: each prompt here is a session.
  tellsNoPrompts: true,
  ensure: () => ensureNpmProgram({ package: 'cline', version, binary: 'cline' }),
  steps: {
    write: (file, new_text) => ({ tool: 'editor', input: { path: path(file), new_text } }),
    edit: (file, old_text, new_text) => ({ tool: 'editor', input: { path: path(file), old_text, new_text } }),
    shell: (command) => ({ tool: 'run_commands', input: { commands: [command] } }),
  },
  prepare({ home }, modelUrl) {
    const settings = { provider, apiKey: 'unused', model: 'scripted', baseUrl: `${modelUrl}/v1` };
    const folder = join(home, '.cline', 'data', 'settings');
    mkdirSync(folder, { recursive: true });
    const known = { [provider]: { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' } };
    writeFileSync(join(folder, 'providers.json'), JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers: known }));
  },
  async run({ command, place, prompt }) {
    const environment = { CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' };
    const result = await runProgram(command, ['-P', provider, '-m', 'scripted', '-k', 'unused', '--auto-approve', 'true', prompt], place, environment);
    // It does not wait for the hook of a turn's end.
    await until('the hooks of Cline are over', () => processesOf(place).every(isDaemon));
    return result;
  },
  stop(place) {
    for (const { pid } of processesOf(place).filter(isDaemon)) process.kill(pid);
  },
};

/** What it leaves running. */
function isDaemon({ words }: ScratchProcess): boolean {
  return words.includes('--cline-hub-daemon');
}
