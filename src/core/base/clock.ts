/** Time as a port, so that tests own it. `now` is milliseconds since 1970. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
};

/** A hybrid logical time: wall-clock milliseconds that never run backwards, and a counter within one. */
export interface HybridTime {
  readonly at: number;
  readonly tick: number;
}

/** The time of the next event after `previous`, whatever the wall clock has done meanwhile. */
export function nextTime(previous: HybridTime | undefined, now: number): HybridTime {
  if (previous === undefined || now > previous.at) return { at: now, tick: 0 };
  return { at: previous.at, tick: previous.tick + 1 };
}
