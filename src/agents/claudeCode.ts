import { isAbsolute, resolve } from 'node:path';
import { currentTurn, derivedId } from '../core/base/ids.ts';
import { isShape, textAt } from '../core/base/shape.ts';
import type { CallRecorder } from '../core/capture/callRecorder.ts';
import type { Recorders } from '../core/capture/recorders.ts';
import { SessionFolders } from '../core/capture/sessionFolders.ts';
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
  const session = new SessionFolders(recorders, opening(payload, ids), home);
  switch (event) {
    case 'SessionStart': {
      const reason = home === undefined ? undefined : await recorders.recordCall(home, ids, recorder => recorder.openSession(opening(payload, ids)));
      return reason === undefined ? [] : [reason];
    }
    case 'UserPromptSubmit': {
      const kind = promptKindOf(payload);
      if (kind.kind === 'none') return [];
      if (kind.kind === 'notification') return payload.prompt_id ? session.resume(ids.turn, kind.toolUse) : [];
      return session.begin(ids.turn, payload.prompt);
    }
    case 'PreToolUse':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return recordTool(event, payload, ids, recorders, home, session);
    case 'PostToolBatch':
      return closeBatch(payload, ids, recorders, session);
    case 'Stop':
      return session.end(ids.turn);
    case 'SubagentStop':
      return payload.agent_id ? session.endDelegate(payload.agent_id) : [];
    case 'SessionEnd':
      return session.endSession();
    default:
      // A sub-agent's start changes nothing, and neither do events that a later version brings.
      return [];
  }
}

function opening(payload: ClaudePayload, { session }: Ids): { session: string; agent: string; agentSession: string; transcript?: string } {
  const transcript = payload.transcript_path;
  return { session, agent: claudeCode, agentSession: payload.session_id, ...(transcript ? { transcript } : {}) };
}

async function recordTool(event: string, payload: ClaudePayload, ids: Ids, recorders: Recorders, home: KnownRoot | undefined, session: SessionFolders): Promise<readonly string[]> {
  const tool = payload.tool_name;
  const toolUse = payload.tool_use_id;
  if (!tool || !toolUse) return [];
  const effect = effectOf(tool, payload.tool_input);
  if (effect.kind === 'none') return [];
  const paths = effect.kind === 'exact' ? absolutePaths(payload, effect.paths) : undefined;
  const call = callId(payload, toolUse);
  const input = payload.tool_input;
  if (event === 'PreToolUse') {
    const root = rootFor(paths, recorders) ?? home;
    const expected = (_path: string, before: Uint8Array | undefined): Uint8Array | undefined => expectedBytes(tool, input, before);
    const begin = (recorder: CallRecorder, turn: string): Promise<void> => recorder.begin({ session: ids.session, turn, call, tool, agentCall: toolUse, delegate: payload.agent_id ?? undefined, agentProcess: claudeProcess(), paths, expected });
    return root === undefined ? [] : session.recordCall(root, ids.turn, tool, begin);
  }
  const root = rootFor(paths, recorders) ?? session.whereBegun(call);
  const found = (hash: string | undefined, before: () => Uint8Array | undefined): Found => foundBy(payload.tool_response, hash, before);
  const outcome = event === 'PostToolUse' ? 'done' : 'failed';
  const end = (recorder: CallRecorder, turn: string): Promise<void> => recorder.end({ session: ids.session, turn, call, tool, outcome, paths: paths ?? [], mayChangeAnything: effect.kind === 'undeclared', runsOn: isStartedOnly(payload.tool_response), found });
  return root === undefined ? [] : session.recordCall(root, ids.turn, tool, end);
}

/** Whether a command runs on in the background. */
function isStartedOnly(response: unknown): boolean {
  return isShape(response) && textAt(response, 'backgroundTaskId') !== undefined;
}

/** Claude Code tells its hooks the number of its process. */
function claudeProcess(): number | undefined {
  const pid = Number(process.env['CLAUDE_PID']);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/** The deepest root that holds a call's file owns it; a file in none is named where the agent works. */
function rootFor(paths: readonly string[] | undefined, recorders: Recorders): KnownRoot | undefined {
  return paths?.[0] === undefined ? undefined : recorders.rootOf(paths[0]);
}

/**
 * Ends the calls of a batch whose own post event never came: they were refused, and never ran. One that is not on record at all, and was not
 * refused before it began either, could not be recorded.
 */
async function closeBatch(payload: ClaudePayload, ids: Ids, recorders: Recorders, session: SessionFolders): Promise<readonly string[]> {
  const byRoot = new Map<KnownRoot, BatchedEffect[]>();
  for (const { tool_name: tool, tool_use_id, tool_input, tool_response } of payload.tool_calls) {
    const effect = effectOf(tool, tool_input);
    if (effect.kind === 'none') continue;
    const id = callId(payload, tool_use_id);
    const paths = effect.kind === 'exact' ? absolutePaths(payload, effect.paths) : [];
    const root = rootFor(paths, recorders) ?? session.whereBegun(id);
    if (root === undefined) continue;
    const isRefused = typeof tool_response === 'string' && tool_response.startsWith('<tool_use_error>');
    byRoot.set(root, [...(byRoot.get(root) ?? []), { id, tool, paths, mayChangeAnything: effect.kind === 'undeclared', mayHaveRun: !isRefused && (effect.kind === 'undeclared' || paths.length > 0) }]);
  }
  const reasons: string[] = [];
  for (const [root, calls] of byRoot) reasons.push(...(await session.recordCall(root, ids.turn, undefined, (recorder, turn) => closeBatched(calls, { ...ids, turn }, recorder))));
  return reasons;
}

interface BatchedEffect {
  readonly id: string;
  readonly tool: string;
  readonly paths: readonly string[];
  readonly mayChangeAnything: boolean;
  readonly mayHaveRun: boolean;
}

async function closeBatched(calls: readonly BatchedEffect[], ids: Ids, recorder: CallRecorder): Promise<void> {
  const open = recorder.openAmong(calls.map(({ id }) => id));
  for (const { id, tool, paths, mayChangeAnything, mayHaveRun } of calls) {
    if (open.has(id)) await recorder.end({ ...ids, call: id, outcome: 'cancelled', paths, mayChangeAnything });
    else if (mayHaveRun && !(await recorder.knows(id))) await recorder.addGap({ ...ids, tool, reason: 'neither its beginning nor its end is on record' });
  }
}
