import type { AgentProgram } from '../agentProgram.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex, codexInCode } from './codex.ts';
import { gemini } from './gemini.ts';
import { copilot } from './copilot.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

/** Every agent whose program can be had from a registry and runs without a network. */
export const agentPrograms: readonly AgentProgram[] = [
  claude,
  codex,
  codexInCode,
  gemini,
  copilot,
  opencode,
  qwen,
  cline,
];
