// A naive model of the timeline: what the records say, as simply as it can be said. It shares no code with the fold
// that it is compared to, and it knows only what scenarios use. A new record type that a scenario uses, and that
// changes one of the fields below, has to be said here too.
import { activityOf } from '../../src/core/timeline/activity.ts';
import type { Timeline } from '../../src/core/timeline/model.ts';
import type { JournalRecord } from '../../src/core/timeline/records.ts';

/** What both can say. */
export interface Picture {
  readonly seq: number;
  readonly sessions: Readonly<Record<string, readonly string[]>>;
  /** Each turn's state, prompt and calls. */
  readonly turns: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, string>>;
  /** What every path was last seen to hold. */
  readonly paths: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, 'open' | 'done'>>;
  /** The turns that no rewind in force has abandoned: a future that was given up must not come back. */
  readonly active: readonly string[];
}

const travels: ReadonlySet<Intent['kind']> = new Set(['rewind', 'switch', 'fork']);

type Intent = Extract<JournalRecord, { readonly type: 'restore.intent' }>;

function sorted<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stateText(state: { readonly kind: string; readonly hash?: string; readonly mode?: number; readonly target?: string }): string {
  return [state.kind, state.hash, state.mode?.toString(8), state.target].filter(part => part !== undefined).join(' ');
}

interface Restore {
  readonly seq: number;
  readonly intent: Intent;
}

/** Whether a restore leaves behind what a session (undefined: the whole workspace) did at a place. */
function abandons({ seq, intent }: Restore, session: string | undefined, place: number): boolean {
  const reaches = intent.reach === 'workspace' || intent.session === session;
  return travels.has(intent.kind) && reaches && place >= intent.fromSeq && place < seq;
}

/** The restores whose effect nothing later has taken away. */
function inForce(intents: readonly Restore[], done: ReadonlySet<string>): readonly Restore[] {
  const kept: Restore[] = [];
  for (const candidate of intents.toReversed().filter(({ intent }) => done.has(intent.operation))) {
    const isUndone = kept.some(({ intent }) => (intent.kind === 'undo' || intent.kind === 'redo') && intent.target === candidate.intent.operation);
    const isAbandoned = kept.some(other => abandons(other, candidate.intent.reach === 'workspace' ? undefined : candidate.intent.session, candidate.seq));
    if (!isUndone && !isAbandoned) kept.push(candidate);
  }
  return kept;
}

export function modelOf(records: readonly JournalRecord[]): Picture {
  const sessions = new Map<string, string[]>();
  const turns = new Map<string, { seq: number; session: string; state: string; prompt: string | undefined; calls: string[] }>();
  const calls = new Map<string, string>();
  const paths = new Map<string, string>();
  const intents: { seq: number; intent: Intent }[] = [];
  const done = new Set<string>();
  const see = (path: string, state: Parameters<typeof stateText>[0]): void => void (state.kind === 'unreadable' || paths.set(path, stateText(state)));
  const open = (session: string, turn: string, seq: number, prompt: string | undefined): void => {
    sessions.set(session, [...(sessions.get(session) ?? []), turn]);
    turns.set(turn, { seq, session, state: 'open', prompt, calls: [] });
  };
  records.forEach((record, index) => {
    switch (record.type) {
      case 'session.open':
        sessions.set(record.session, sessions.get(record.session) ?? []);
        break;
      case 'turn.open':
        open(record.session, record.turn, index + 1, record.prompt);
        break;
      case 'call.open':
        // The event that opens the turn may have been refused.
        if (!turns.has(record.turn)) open(record.session, record.turn, index + 1, undefined);
        turns.get(record.turn)?.calls.push(record.call);
        calls.set(record.call, 'open');
        for (const { path, before } of record.paths) see(path, before);
        break;
      case 'call.close':
        calls.set(record.call, record.outcome);
        for (const { path, after } of record.paths) see(path, after);
        break;
      case 'drift':
        for (const { path, after } of record.paths) see(path, after);
        break;
      case 'turn.close': {
        const turn = turns.get(record.turn);
        if (turn !== undefined && turn.state !== 'closed') turn.state = record.outcome;
        break;
      }
      case 'restore.intent':
        intents.push({ seq: index + 1, intent: record });
        break;
      case 'restore.done':
        done.add(record.operation);
        for (const { path, after } of record.paths) see(path, after);
        break;
    }
  });
  const restores = inForce(intents, done);
  return {
    seq: records.length,
    sessions: sorted(sessions),
    turns: sorted([...turns].map(([id, { state, prompt, calls: own }]) => [id, [state, prompt, ...own].join(' ')] as const)),
    calls: sorted(calls),
    paths: sorted(paths),
    operations: sorted(intents.map(({ intent }) => [intent.operation, done.has(intent.operation) ? 'done' : 'open'] as const)),
    active: [...turns].filter(([, turn]) => !restores.some(restore => abandons(restore, turn.session, turn.seq))).map(([id]) => id),
  };
}

/** Paths that somebody could not read: what is said of them then depends on who it was, and the model leaves that out. */
export function unreadablePaths(records: readonly JournalRecord[]): ReadonlySet<string> {
  const seen = records.flatMap((record): readonly { readonly path: string }[] => ('paths' in record ? record.paths : []));
  return new Set(seen.filter(path => JSON.stringify(path).includes('"unreadable"')).map(({ path }) => path));
}

/** The same of the product's own fold. */
export function pictureOf(timeline: Timeline): Picture {
  const activity = activityOf(timeline);
  return {
    seq: timeline.seq,
    sessions: sorted([...timeline.sessions.values()].map(({ id, turns }) => [id, turns] as const)),
    turns: sorted([...timeline.turns.values()].map(({ id, state, prompt, calls }) => [id, [state, prompt, ...calls].join(' ')] as const)),
    calls: sorted([...timeline.calls.values()].map(({ id, outcome }) => [id, outcome] as const)),
    paths: sorted([...timeline.paths].map(([path, state]) => [path, stateText(state)] as const)),
    operations: sorted([...timeline.operations.values()].map(({ id, done }) => [id, done === undefined ? ('open' as const) : ('done' as const)] as const)),
    active: [...timeline.turns.values()].filter(({ session, seq }) => activity.abandonedBy(session, seq) === undefined).map(({ id }) => id),
  };
}
