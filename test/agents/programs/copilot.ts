import type { AgentProgram } from '../agentProgram.ts';
import { ensureNpmProgram } from '../npmProgram.ts';
import { runProgram } from '../runProgram.ts';

const version = '1.0.102';

const path = (file: string): string => `\${PROJECT}/${file}`;

export const copilot: AgentProgram = {
  agent: 'copilot',
  title: 'Copilot CLI',
  version,
  ensure: () => ensureNpmProgram({ package: '@github/copilot', version, binary: 'copilot' }),
  steps: {
    write: (file, content) => ({ tool: 'create', input: { path: path(file), file_text: content } }),
    folder: (folder) => ({ tool: 'bash', input: { command: `mkdir -p ${folder}`, description: 'scripted command' } }),
    edit: (file, old_str, new_str) => ({ tool: 'edit', input: { path: path(file), old_str, new_str } }),
    shell: (command) => ({ tool: 'bash', input: { command, description: 'scripted command' } }),
  },
  prepare: () => undefined,
  // With a model of the user's own it asks nobody who he is.
  run: ({ command, place, modelUrl, prompt, goesOn }) =>
    runProgram(command, [...(goesOn ? ['--continue'] : []), '--allow-all-tools', '--allow-all-paths', '-p', prompt], place, {
      COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'unused',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
};
