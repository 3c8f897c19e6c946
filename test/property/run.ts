import assert from 'node:assert/strict';
import { sha256 } from '../../src/core/base/digest.ts';
import { TimelineFold } from '../../src/core/timeline/fold.ts';
import { BranchBook } from './branchBook.ts';
import { Ground } from './ground.ts';
import { InForceOnDisk } from './inForceOnDisk.ts';
import { Recording } from './recording.ts';
import { requestOf } from './request.ts';
import { tryRestore } from './restoring.ts';
import { checkEveryMoment, checkReconstructed, checkRecorded, checkStanding } from './standing.ts';
import type { Step } from './steps.ts';

/** One random session, step by step. */
export class Run {
  private readonly ground: Ground;
  private readonly branches = new BranchBook();
  private readonly recording: Recording;
  private readonly onDisk = new InForceOnDisk();

  private constructor(ground: Ground) {
    this.ground = ground;
    this.recording = new Recording(ground);
  }

  static async of(steps: readonly Step[]): Promise<void> {
    const run = new Run(await Ground.make());
    for (const step of steps) await run.take(step);
    run.end();
  }

  private async take(step: Step): Promise<void> {
    const { ground } = this;
    const begun = new Set(ground.history.operations.filter(({ done }) => done !== undefined).map(({ id }) => id));
    await this.perform(step);
    ground.follow();
    await ground.finish();
    const { timeline, damage } = ground.observer.store;
    assert.equal(damage, undefined);
    checkRecorded(timeline, ground.history);
    checkStanding(timeline, ground.history);
    this.branches.check(timeline, ground.history, ground.history.operations.filter(({ id, done }) => done !== undefined && !begun.has(id)));
    this.onDisk.check(ground);
    assert.deepEqual(ground.lost(), [], 'nothing of the user is lost');
  }

  private async perform(step: Step): Promise<void> {
    const { ground } = this;
    switch (step.do) {
      case 'user':
        return ground.user(step.edits);
      case 'restart':
        return ground.restart();
      case 'rewind':
      case 'fork':
      case 'switch':
      case 'rollback':
      case 'undo':
      case 'redo': {
        const request = requestOf(ground, step);
        if (request === undefined) return undefined;
        const { seq } = ground.history;
        this.onDisk.note(request.expected);
        await tryRestore(ground, this.recording, step.crash === undefined ? step : { ...step, during: undefined }, request);
        const operation = ground.history.operations.find(candidate => candidate.seq > seq);
        if (request.branch !== undefined && operation !== undefined) this.branches.checkArrival(request.branch, operation, ground.history);
        return undefined;
      }
      default:
        return this.recording.record(step);
    }
  }

  /** In the end another process reads all of it, and finds the same. */
  private end(): void {
    const { ground } = this;
    const fresh = ground.world.open();
    fresh.store.refresh();
    assert.deepEqual(plain(fresh.store.timeline), plain(ground.observer.store.timeline), 'a new process finds the same history');
    checkEveryMoment(fresh.store.timeline, ground.history);
    checkReconstructed(fresh.store, ground.history);
    for (const hash of ground.named) assert.equal(sha256(fresh.store.blobs.read(hash)), hash, 'every content that a record names is in the store');
  }
}

/** A timeline but for what was folded since it was last saved. */
function plain(timeline: unknown): unknown {
  assert.ok(timeline instanceof TimelineFold);
  return { ...timeline, touched: undefined };
}
