import type { Clock } from '../core/base/clock.ts';
import type { Event } from '../core/base/event.ts';
import type { Looking } from '../core/capture/treeLooks.ts';
import type { PlanContext } from '../core/rewind/plan.ts';
import type { Neighbour } from '../core/rewind/request.ts';
import type { RootStore } from '../core/timeline/store.ts';
import type { ToolHost } from '../tools/toolHost.ts';
import type { RunningCalls } from './runningCalls.ts';

/** What the API works with. */
export interface ApiHost extends Pick<ToolHost, 'files' | 'folders' | 'whyNotIn' | 'whyNone'> {
  readonly clock: Clock;
  readonly running: RunningCalls;
  /** A folder's history may have grown, by whomever. */
  readonly onDidChange: Event<void>;
  looksAt(store: RootStore): Looking;
  /** What restores work with in a known folder. Throws where its history can't be opened. */
  contextOf(store: RootStore): PlanContext;
  neighboursOf(store: RootStore): readonly Neighbour[];
  /** Takes a sentence for the log, where no client hears of it. */
  warn(sentence: string): void;
}
