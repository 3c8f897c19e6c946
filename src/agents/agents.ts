import type { Agent } from './agentEvent.ts';
import { claudeCode } from './claudeCode.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

/** Every agent whose events Turnstone understands. */
export const agents: readonly Agent[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  qwen,

  cline,
];

export function agentNamed(name: string): Agent | undefined {
  return agents.find(agent => agent.name === name);
}
