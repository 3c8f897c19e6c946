import type { ToolEffect } from './agentEvent.ts';
import { namesOf } from './codexExpectation.ts';
import { parsePatch } from './codexPatch.ts';

/** What a patch changes, in the format that Codex brought up and other agents have taken over. One that is not understood may change anything. */
export function patchEffect(patch: unknown): ToolEffect {
  const files = typeof patch === 'string' ? parsePatch(patch) : undefined;
  return files === undefined ? { kind: 'undeclared' } : { kind: 'exact', paths: [...new Set(files.flatMap(namesOf))] };
}
