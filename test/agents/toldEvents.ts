import assert from 'node:assert/strict';
import { recordEvent } from '../../src/agents/recordEvent.ts';
import { takeEvent } from '../../src/agents/takeEvent.ts';
import { systemClock } from '../../src/core/base/clock.ts';
import { nodeFiles } from '../../src/core/base/files.ts';
import { quietWorkspace } from '../../src/core/base/workspace.ts';
import { history } from '../../src/core/capture/history.ts';
import { Recorders } from '../../src/core/capture/recorders.ts';
import { restore } from '../../src/core/rewind/restore.ts';
import { selectRewind } from '../../src/core/rewind/travel.ts';
import { Roots } from '../../src/core/timeline/roots.ts';
import type { RootStore } from '../../src/core/timeline/store.ts';
import { promptOf, viewTurns } from '../../src/core/timeline/view.ts';
import { makeScratch, type Files, type Scratch } from './scratch.ts';

/** A turn as it is told of: files with their status, such as "added new.txt". */
export interface ToldTurn {
  readonly prompt: string | undefined;
  readonly state: string;
  readonly agent: string;
  readonly files: readonly string[];
}

/** A scratch project that an agent's events are recorded of, in this process and without the agent. */
export interface ToldEvents {
  readonly place: Scratch;
  store(): RootStore;
  /** Hands one event on as a hook does, by recorders of its own. */
  tell(event: string, payload: unknown): Promise<void>;
  turns(): readonly ToldTurn[];
  /** What is said to be missing of the newest turn. */
  gaps(): readonly string[];
  /** Rewinds to before the first turn, over the whole workspace; conflicts stop it. */
  rewindAll(): Promise<string>;
}

export async function tellEvents(agent: string, before?: Files): Promise<ToldEvents> {
  const place = makeScratch(before);
  const roots = new Roots(nodeFiles, systemClock, `${place.home}/store`);
  const root = await roots.add(place.project);
  const store = (): RootStore => {
    const opened = roots.open(root);
    opened.refresh();
    return opened;
  };
  return {
    place,
    store,
    async tell(event, payload) {
      const taken = takeEvent(agent, event, JSON.stringify(payload), {}, () => false);
      if (taken.kind !== 'event') throw new Error(JSON.stringify(taken));
      const recorders = new Recorders(nodeFiles, systemClock, roots, async () => history);
      assert.deepEqual(await recordEvent(taken.agent, taken.origin, taken.event, recorders), []);
    },
    turns() {
      const { timeline, blobs } = store();
      return viewTurns(timeline, true)
        .toReversed()
        .map(({ turn, agent: by, files }) => ({ prompt: promptOf(turn, blobs), state: turn.state, agent: by, files: files.map(({ path, status }) => `${status} ${path}`) }));
    },
    gaps: () => viewTurns(store().timeline, true)[0]?.turn.gaps ?? [],
    async rewindAll() {
      const opened = store();
      const target = opened.timeline.turns.keys().next().value ?? '';
      const result = await restore({ files: nodeFiles, store: opened, workspace: quietWorkspace }, (timeline, look) => selectRewind(timeline, target, look), { decide: () => 'stop', dryRun: false });
      return result.kind;
    },
  };
}
