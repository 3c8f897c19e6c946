import { join } from 'node:path';
import { observe, type Observation } from '../snapshot/observe.ts';
import { liveTarget, whyRefused, type Obstacle } from '../snapshot/paths.ts';
import { absent, asFile, type State } from '../snapshot/state.ts';
import type { Files } from '../base/files.ts';
import type { PlanContext } from './plan.ts';

/** Content has to be whole to be overwritten safely, so restores look at files of any size. */
export function lookWhole(files: Files, absolute: string): Observation {
  return observe(files, absolute, Number.POSITIVE_INFINITY);
}

/** What is at a recorded path, as a file. */
export type Sight =
  /** No name in it may be followed. */
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'seen';
      readonly absolute: string;
      readonly now: State;
      readonly bytes: Uint8Array | undefined;
      /** A folder is there. */
      readonly isFolder: boolean;
      /** What is no folder on the way: nothing is below it, and where it is a link, nothing behind it is looked at. */
      readonly obstacle: Obstacle | undefined;
    };

export function sightOf({ files, store }: PlanContext, path: string): Sight {
  const live = liveTarget(files, store.identity.path, path);
  if (live.kind === 'target') {
    const { state, bytes } = lookWhole(files, live.absolute);
    return { kind: 'seen', absolute: live.absolute, now: asFile(state), bytes, isFolder: state.kind === 'directory', obstacle: undefined };
  }
  if (live.obstacle === undefined) return live;
  return { kind: 'seen', absolute: join(store.identity.path, path), now: absent, bytes: undefined, isFolder: false, obstacle: live.obstacle };
}

/** The same for the record: what was moved behind a link is neither gone nor in the folder. */
export function observationOf(context: PlanContext, path: string): Observation {
  const sight = sightOf(context, path);
  const behind = sight.kind === 'seen' && sight.obstacle?.kind !== 'file' ? sight.obstacle : undefined;
  return behind === undefined ? asObservation(sight) : { state: { kind: 'unreadable', reason: whyRefused(behind.kind) } };
}

export function asObservation(sight: Sight): Observation {
  if (sight.kind === 'refused') return { state: { kind: 'unreadable', reason: sight.reason } };
  return { state: sight.now, ...(sight.bytes === undefined ? {} : { bytes: sight.bytes }) };
}
