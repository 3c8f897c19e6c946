import { programEnvironment } from './runProgram.ts';

/** What Claude Code needs besides, to run against a scripted model. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return programEnvironment({ home }, {
    // It refuses to accept edits as root unless it is told that it runs in a sandbox.
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-local',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  });
}
