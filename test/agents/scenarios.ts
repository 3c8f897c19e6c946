import { bytes } from './byteScenarios.ts';
import { backgroundShell, backgroundSubagent, parallelSubagents, subagent } from './delegationScenarios.ts';
import { denied, edits, shellWork, twoTurns } from './editScenarios.ts';
import { interruptedShell, interruptedStream, killed } from './interruptionScenarios.ts';
import type { Scenario } from './scenario.ts';

/** Everything that a recorder of Claude Code must get right, each as one session with the real program. */
export const claudeCodeScenarios: readonly Scenario[] = [
  edits,
  twoTurns,
  bytes,
  shellWork,
  subagent,
  parallelSubagents,
  interruptedShell,
  interruptedStream,
  killed,
  denied,
  backgroundShell,
  backgroundSubagent,
];
