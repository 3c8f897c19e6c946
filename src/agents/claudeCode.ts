import { isAbsolute, resolve } from 'node:path';
import { currentTurn, derivedId, randomId } from '../core/base/ids.ts';
import type { CallRecorder } from '../core/capture/callRecorder.ts';
import type { Recorder } from '../core/capture/recorder.ts';
import type { Recorders } from '../core/capture/recorders.ts';
import type { KnownRoot } from '../core/timeline/rootRegistry.ts';
import { expectedBytes, foundBy, type Found } from './claudeExpectation.ts';
import { effectOf, promptKindOf, type ClaudePayload } from './claudePayload.ts';

export const claudeCode = 'claude-code';

/** The events that Turnstone asks Claude Code for. */
export const claudeEvents = [
  'SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PostToolBatch', 'Stop', 'SubagentStart', 'SubagentStop', 'SessionEnd',
] as const;

interface Ids {
  readonly session: string;
  readonly turn: string;
}

// Claude Code's own ids name our things, so that a hook can append without knowing what came before.
function idsOf(payload: ClaudePayload): Ids {
  const session = derivedId('session', claudeCode, payload.session_id);
  return { session, turn: payload.prompt_id ? derivedId('turn', claudeCode, payload.session_id, payload.prompt_id) : currentTurn };
}

function callId(payload: ClaudePayload, toolUse: string): string {
  return derivedId('call', claudeCode, payload.session_id, payload.prompt_id ?? '', toolUse);
}

function absolutePaths(payload: ClaudePayload, paths: readonly string[]): readonly string[] {
  return paths.map(path => (isAbsolute(path) ? path : resolve(payload.cwd, path)));
}

/**
 * Records one event of Claude Code. Its habits that shape this (test/agents holds the recordings):
 * an interrupt sends nothing, so a prompt ends what was open before it; an edit that fails its checks
 * sends neither a Pre nor a Post, only its place in the batch; a task notification comes as a prompt of
 * the same turn. Returns reasons for what could not be recorded.
 */
export async function recordClaudeEvent(event: string, payload: ClaudePayload, recorders: Recorders): Promise<readonly string[]> {
  const home = recorders.rootOf(payload.cwd);
  const ids = idsOf(payload);
  const context = { ...ids, ...(payload.tool_name === undefined ? {} : { tool: payload.tool_name }) };
  const reasons = (reason: string | undefined): readonly string[] => (reason === undefined ? [] : [reason]);
  const call: OnCall = async (root, work) => (root === undefined ? [] : reasons(await recorders.recordCall(root, context, work)));
  const turn = async (work: (recorder: Recorder) => Promise<void>): Promise<readonly string[]> => (home === undefined ? [] : reasons(await recorders.recordTurn(home, context, work)));
  switch (event) {
    case 'SessionStart':
      return call(home, recorder => recorder.openSession(opening(payload, ids)));
    case 'UserPromptSubmit': {
      const kind = promptKindOf(payload);
      if (kind.kind === 'none') return [];
      if (kind.kind === 'notification') return payload.prompt_id ? turn(recorder => recorder.resumeTurn(ids.session, ids.turn, kind.toolUse)) : [];
      const id = payload.prompt_id ? ids.turn : randomId('turn');
      const opens = { type: 'session.open' as const, ...opening(payload, ids) };
      return turn(recorder => recorder.openTurn({ session: ids.session, turn: id, prompt: payload.prompt, opening: opens }));
    }
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return recordTool(event, payload, ids, recorders, home, call);
    case 'PostToolBatch':
      return call(home, recorder => closeBatch(payload, ids, recorder));
    case 'Stop':
      return turn(recorder => recorder.closeTurn(ids.session, ids.turn));
    case 'SubagentStop':
      return payload.agent_id ? turn(recorder => recorder.closeDelegate(ids.session, payload.agent_id ?? '')) : [];
    case 'SessionEnd':
      return turn(recorder => recorder.closeSession(ids.session));
    default:
      // A sub-agent's start changes nothing, and neither do events that a later version brings.
      return [];
  }
}

function opening(payload: ClaudePayload, { session }: Ids): { session: string; agent: string; agentSession: string; transcript?: string } {
  const transcript = payload.transcript_path;
  return { session, agent: claudeCode, agentSession: payload.session_id, ...(transcript ? { transcript } : {}) };
}

type OnCall = (root: KnownRoot | undefined, work: (recorder: CallRecorder) => Promise<void>) => Promise<readonly string[]>;

async function recordTool(event: string, payload: ClaudePayload, ids: Ids, recorders: Recorders, home: KnownRoot | undefined, onCall: OnCall): Promise<readonly string[]> {
  const tool = payload.tool_name;
  const toolUse = payload.tool_use_id;
  if (!tool || !toolUse) return [];
  const effect = effectOf(tool, payload.tool_input);
  if (effect.kind === 'none') return [];
  const paths = effect.kind === 'exact' ? absolutePaths(payload, effect.paths) : undefined;
  // The deepest root that holds a file owns it; a file in none is named where the agent works.
  const root = (paths?.[0] === undefined ? undefined : recorders.rootOf(paths[0])) ?? home;
  const call = callId(payload, toolUse);
  const input = payload.tool_input;
  if (event === 'PreToolUse') {
    const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => expectedBytes(tool, input, before);
    return onCall(root, recorder => recorder.begin({ ...ids, call, tool, agentCall: toolUse, delegate: payload.agent_id ?? undefined, paths, expected }));
  }
  const found = (hash: string | undefined, before: () => Uint8Array | undefined): Found => foundBy(payload.tool_response, hash, before);
  const outcome = event === 'PostToolUse' ? 'done' : 'failed';
  return onCall(root, recorder => recorder.end({ ...ids, call, outcome, paths: paths ?? [], found }));
}

/** Ends the calls of a batch whose own post event never came: they were refused, and never ran. */
async function closeBatch(payload: ClaudePayload, ids: Ids, recorder: CallRecorder): Promise<void> {
  const calls = payload.tool_calls.map(({ tool_name, tool_use_id, tool_input }) => ({ id: callId(payload, tool_use_id), effect: effectOf(tool_name, tool_input) }));
  const relevant = calls.filter(({ effect }) => effect.kind !== 'none');
  if (relevant.length === 0) return;
  const open = recorder.openAmong(relevant.map(({ id }) => id));
  for (const { id, effect } of relevant) {
    if (!open.has(id)) continue;
    const paths = effect.kind === 'exact' ? absolutePaths(payload, effect.paths) : [];
    await recorder.end({ ...ids, call: id, outcome: 'cancelled', paths });
  }
}
