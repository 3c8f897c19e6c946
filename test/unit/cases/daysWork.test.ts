import assert from 'node:assert/strict';
import { sha256 } from '../../../src/core/base/digest.ts';
import { selectRewind } from '../../../src/core/rewind/travel.ts';
import { newestUndoable, selectUndo } from '../../../src/core/rewind/undo.ts';
import { restore } from '../../../src/core/rewind/restore.ts';
import type { Change, Timeline } from '../../../src/core/timeline/model.ts';
import type { State } from '../../../src/core/snapshot/state.ts';
import { DayOfWork, type Step } from './dayOfWork.ts';

function isText(state: State, text: string | null): boolean {
  return text === null ? state.kind === 'absent' : state.kind === 'content' && state.hash === sha256(Buffer.from(text));
}

function ownerOf(timeline: Timeline, { by }: Change): string {
  return by.kind === 'call' ? (timeline.sessions.get(by.session)?.agentSession ?? 'nobody') : by.kind;
}

/** Before anything happened nothing was there. */
const nothing: Step = { text: null, by: 'user' };

/** Whether nobody can, or need, say of a step that an agent did it. */
function isNobodys({ by }: Step): boolean {
  return by === 'user' || by === undefined;
}

/**
 * Whether changes on record can be what really happened: each of them covers steps of its owner alone, in their order, and what no change covers is
 * the user's. A path may have been gone more than once, so there may be more than one way to see it.
 */
function tells(timeline: Timeline, [change, ...later]: readonly Change[], steps: readonly Step[]): boolean {
  if (change === undefined) return steps.slice(1).every(({ by }) => by === 'user');
  const owner = ownerOf(timeline, change);
  for (let before = 0; before < steps.length && (before === 0 || isNobodys(steps[before] as Step)); before += 1) {
    if (!isText(change.before, (steps[before] as Step).text)) continue;
    for (let after = before + 1; after < steps.length; after += 1) {
      const step = steps[after] as Step;
      if (owner === 'drift' ? !isNobodys(step) : step.by !== owner) break;
      if (isText(change.after, step.text) && tells(timeline, later, steps.slice(after))) return true;
    }
  }
  return false;
}

/**
 * What a rewind of all turns of a session is to leave at a path: what was there before it, if nobody else came after. A path that was back
 * at that in between owes nothing to what happened before.
 */
function goal(steps: readonly Step[], session: string): string | null {
  const isOwn = ({ by }: Step): boolean => by === session;
  const first = steps.findIndex(isOwn);
  const before = steps[first - 1]?.text ?? null;
  const tail = steps.slice(Math.max(first, steps.findLastIndex((step, index) => index >= first && step.text === before) + 1));
  const isUndone = first >= 0 && tail.every(isOwn);
  return isUndone ? before : (steps.at(-1)?.text ?? null);
}

describe('a day\'s work of three agents and a user at once', function () {
  this.timeout(120_000);

  for (const seed of [1, 2, 3, 4, 5]) {
    it(`gives every change one owner, or says that it is nobody's, and each session goes back to exact bytes (seed ${seed})`, async () => {
      const day = await DayOfWork.play(seed, { calls: 300, shells: 40 });
      assert.deepEqual([day.calls, day.shells, day.reasons], [300, 40, []]);
      const actor = day.world.open();
      const { store } = actor;
      store.refresh();
      const { timeline } = store;
      assert.deepEqual(timeline.invalid, []);
      const wrong = [...day.steps].filter(([path, steps]) => !tells(timeline, timeline.changes.get(path) ?? [], [nothing, ...steps]));
      assert.deepEqual(wrong.map(([path, steps]) => ({ path, steps, recorded: timeline.changes.get(path)?.map(change => `${change.seq} ${ownerOf(timeline, change)}`) })), []);
      const kinds = new Set([...timeline.changes.values()].flat().map(change => ownerOf(timeline, change)));
      assert.deepEqual(kinds, new Set(['drift', 'session-0', 'session-1', 'session-2']));

      const end = day.world.tree();
      const textOf = (path: string): string | null => day.world.tree()[path]?.slice(4) ?? null;
      for (const { session } of day.agents) {
        const [first] = [...timeline.sessions.values()].find(({ agentSession }) => agentSession === session)?.turns ?? [];
        const result = await restore(actor.context, (now, look) => selectRewind(now, first ?? '', look), { decide: () => 'skip', dryRun: false });
        assert.equal(result.kind, 'applied');
        const left = [...day.steps].filter(([path, steps]) => textOf(path) !== goal(steps, session)).map(([path]) => path);
        assert.deepEqual(left, [], `after ${session} was rewound`);
        const undone = await restore(actor.context, now => selectUndo(now, 'undo', newestUndoable(now)), { decide: () => 'stop', dryRun: false });
        assert.deepEqual([undone.kind, day.world.tree()], ['applied', end]);
      }
    });
  }
});
