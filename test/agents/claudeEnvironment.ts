import { delimiter, dirname, join } from 'node:path';

/** Nothing of this machine's settings, keys or sessions reaches the program under test. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    // It refuses to accept edits as root unless it is told that it runs in a sandbox.
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-local',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}
