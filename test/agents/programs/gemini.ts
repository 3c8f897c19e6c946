import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProgram } from '../agentProgram.ts';
import { ensureNpmProgram } from '../npmProgram.ts';
import { runProgram } from '../runProgram.ts';

const version = '0.61.0';

export const gemini: AgentProgram = {
  agent: 'gemini',
  title: 'Gemini CLI',
  version,
  ensure: () => ensureNpmProgram({ package: '@google/gemini-cli', version, binary: 'gemini' }),
  steps: {
    write: (path, content) => ({ tool: 'write_file', input: { file_path: `\${PROJECT}/${path}`, content } }),
    edit: (path, old_string, new_string) => ({ tool: 'replace', input: { file_path: path, instruction: 'scripted edit', old_string, new_string } }),
    shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'scripted command' } }),
  },
  prepare({ home }) {
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } }, privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } };
    mkdirSync(join(home, '.gemini'), { recursive: true });
    writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings, null, 2));
  },
  run: ({ command, place, modelUrl, prompt, goesOn }) =>
    runProgram(command, ['--skip-trust', '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro', ...(goesOn ? ['--resume', 'latest'] : []), '-p', prompt], place, {
      GEMINI_API_KEY: 'unused',
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      // It would start itself anew to have more memory.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
};
