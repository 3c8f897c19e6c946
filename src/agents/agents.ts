import type { Agent } from './agentEvent.ts';
import { claudeCode } from './claudeCode.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';
import { vscode } from './vscode.ts';

/** Every agent whose events Turnstone understands. */
export const agents: readonly Agent[] = [
  claudeCode,
  cline,
  codex,
  copilot,
  cursor,
  gemini,
  opencode,
  qwen,
  vscode,
];

export function agentNamed(name: string): Agent | undefined {
  return agents.find(agent => agent.name === name);
}
