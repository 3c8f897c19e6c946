import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProgram } from '../agentProgram.ts';
import { ensureNpmProgram } from '../npmProgram.ts';
import { runProgram } from '../runProgram.ts';

const version = '0.24.4';

const path = (file: string): string => `\${PROJECT}/${file}`;

export const qwen: AgentProgram = {
  agent: 'qwen',
  title: 'Qwen Code',
  version,
  ensure: () => ensureNpmProgram({ package: '@qwen-code/qwen-code', version, binary: 'qwen' }),
  steps: {
    write: (file, content) => ({ tool: 'write_file', input: { file_path: path(file), content } }),
    edit: (file, old_string, new_string) => ({ tool: 'edit', input: { file_path: path(file), old_string, new_string } }),
    read: (file) => ({ tool: 'read_file', input: { file_path: path(file) } }),
    shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'scripted command', is_background: false } }),
  },
  prepare({ home }) {
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      // An agent of its own would come after each turn to note what is worth it, and be given the steps of the next one.
      memory: { enableManagedAutoMemory: false },
    };
    mkdirSync(join(home, '.qwen'), { recursive: true });
    writeFileSync(join(home, '.qwen', 'settings.json'), JSON.stringify(settings, null, 2));
  },
  run: ({ command, place, modelUrl, prompt, goesOn }) =>
    runProgram(command, ['--auth-type', 'openai', '--yolo', ...(goesOn ? ['--continue'] : []), prompt], place, {
      OPENAI_API_KEY: 'unused',
      OPENAI_BASE_URL: `${modelUrl}/v1`,
      OPENAI_MODEL: 'scripted',
      // It would start itself anew to have more memory.
      QWEN_CODE_NO_RELAUNCH: 'true',
    }),
};
