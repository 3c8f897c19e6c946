import { join } from 'node:path';
import { isTravel, isWithin, reachOf } from '../core/timeline/activity.ts';
import { headsOf } from '../core/timeline/activePath.ts';
import type { Operation } from '../core/timeline/model.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { ApiSession } from './apiSession.ts';
import type { RewindEvent } from './turnstone.d.ts';

interface Part {
  readonly store: RootStore;
  readonly operation: Operation;
}

function pathsOf(session: ApiSession, { store, operation }: Part): readonly string[] {
  const done = operation.done?.paths.filter(({ path, outcome }) => outcome === 'done' && session.hasChanged(store, path)) ?? [];
  return done.map(({ path }) => join(store.identity.path, path));
}

/** Whether a restore moved a session's head, or was meant to. */
function movesHead(session: string, { store: { timeline }, operation: { seq, intent } }: Part): boolean {
  if (!isWithin(reachOf(intent), session)) return false;
  if (intent.session === session) return isTravel(intent);
  const [before, after] = [headsOf(timeline, session, seq), headsOf(timeline, session, seq + 1)];
  return before.code !== after.code || before.conversation !== after.conversation;
}

/** The prompt that the user may want to change, where one went back to before it. */
function promptOf(session: ApiSession, { intent }: Operation): string | undefined {
  const isBack = intent.kind === 'rewind' || intent.kind === 'fork';
  return isBack ? session.turns.find(({ id }) => id === intent.target)?.prompt : undefined;
}

/** Notices restores that concern a session, whoever made them, and tells each once: when it has ended in all folders of the session. */
export class RewindNews {
  private readonly session: ApiSession;
  private readonly told = new Set<string>();

  constructor(session: ApiSession) {
    this.session = session;
  }

  /** What is new since the last look. */
  look(): readonly RewindEvent[] {
    const stores = this.session.stores;
    const parts = new Map<string, Part[]>();
    for (const store of stores) {
      const since = store.timeline.sessions.get(this.session.id)?.seq ?? Number.POSITIVE_INFINITY;
      for (const operation of store.timeline.operations.values()) {
        if (operation.seq > since && !this.told.has(operation.id)) parts.set(operation.id, [...(parts.get(operation.id) ?? []), { store, operation }]);
      }
    }
    return [...parts.values()].flatMap(found => this.eventOf(found, stores) ?? []);
  }

  private eventOf(found: readonly Part[], stores: readonly RootStore[]): RewindEvent | undefined {
    const { id: session } = this.session;
    const [{ operation }] = found as readonly [Part];
    const { intent } = operation;
    // Its intents were in all folders before it did anything in one of them.
    if (found.some(part => part.operation.done === undefined)) return undefined;
    this.told.add(operation.id);
    const ended = found.filter(part => part.operation.done?.cancelled !== true);
    const paths = ended.flatMap(part => pathsOf(this.session, part));
    if (paths.length === 0 && !ended.some(part => movesHead(session, part))) return undefined;
    const prompt = promptOf(this.session, operation);
    return { operation: operation.id, kind: intent.kind, scope: intent.scope, session, heads: this.session.heads(stores), paths, ...(prompt === undefined ? {} : { prompt }) };
  }
}
