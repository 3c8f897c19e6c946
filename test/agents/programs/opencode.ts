import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentProgram } from '../agentProgram.ts';
import { ensureNpmProgram } from '../npmProgram.ts';
import { runProgram } from '../runProgram.ts';

const version = '1.18.33';

const path = (file: string): string => `\${PROJECT}/${file}`;

export const opencode: AgentProgram = {
  agent: 'opencode',
  title: 'OpenCode',
  version,
  ensure: () => ensureNpmProgram({ package: 'opencode-ai', version, binary: 'opencode' }),
  steps: {
    write: (file, content) => ({ tool: 'write', input: { filePath: path(file), content } }),
    edit: (file, oldString, newString) => ({ tool: 'edit', input: { filePath: path(file), oldString, newString } }),
    read: (file) => ({ tool: 'read', input: { filePath: path(file) } }),
    shell: (command) => ({ tool: 'bash', input: { command, description: 'scripted command' } }),
  },
  prepare({ home }, modelUrl) {
    const model = { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8_000 } };
    const local = { npm: '@ai-sdk/openai-compatible', name: 'local', options: { baseURL: `${modelUrl}/v1`, apiKey: 'unused' }, models: { scripted: model } };
    const settings = { autoupdate: false, share: 'disabled', model: 'local/scripted', small_model: 'local/scripted', provider: { local }, permission: { edit: 'allow', bash: 'allow' } };
    const folder = join(home, '.config', 'opencode');
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'opencode.json'), JSON.stringify(settings));
    // OpenCode installs its own library for plugins, which ours does without, where these files don't say that it is there.
    const installed = { dependencies: { '@opencode-ai/plugin': version } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(installed));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': installed } }));
  },
  // A prompt in one word of the command line would come with its quotes.
  run: ({ command, place, prompt, goesOn }) =>
    runProgram(command, ['run', ...(goesOn ? ['--continue'] : []), '-m', 'local/scripted', ...prompt.split(' ')], place, {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
};
