import type { ModelRequest } from './modelDialect.ts';
import type { ModelScript, ModelTurn } from './modelScript.ts';

export interface ChosenTurn {
  readonly lane: string;
  readonly turn?: number;
  readonly steps: ModelTurn;
}

export interface ScriptLanes {
  next(request: ModelRequest): ChosenTurn;
  reached(lane: string, turn: number | undefined): void;
  untilReached(turn: number): Promise<void>;
}

/** The name of the main agent's lane in the log. */
export const mainLane = 'main';

/**
 * Decides which turn answers a request. A lane is chosen by the first user message, because a
 * sub-agent's first user message is the prompt that its parent gave it; each request advances its
 * lane by one turn. Requests without tools advance nothing, so that an agent may ask for titles
 * and summaries whenever it likes.
 */
export function scriptLanes(script: ModelScript): ScriptLanes {
  const positions = new Map<string, number>();
  const reachedTurns = new Set<number>();
  const waiting = new Map<number, (() => void)[]>();

  function choose(request: ModelRequest): { lane: string; turns: readonly ModelTurn[] } {
    const first = request.conversation.find((message) => message.role === 'user')?.text ?? '';
    const lane = script.lanes?.find((candidate) => new RegExp(candidate.when).test(first));
    return lane === undefined ? { lane: mainLane, turns: script.turns } : { lane: lane.when, turns: lane.turns };
  }

  return {
    next(request) {
      if (request.tools.length === 0) return { lane: 'side', steps: [{ text: script.side ?? 'ok' }] };
      const { lane, turns } = choose(request);
      const turn = positions.get(lane) ?? 0;
      positions.set(lane, turn + 1);
      return { lane, turn, steps: turns[turn] ?? [{ text: 'done' }] };
    },
    reached(lane, turn) {
      if (lane !== mainLane || turn === undefined) return;
      reachedTurns.add(turn);
      for (const resolve of waiting.get(turn) ?? []) resolve();
    },
    untilReached(turn) {
      if (reachedTurns.has(turn)) return Promise.resolve();
      return new Promise((resolve) => waiting.set(turn, [...(waiting.get(turn) ?? []), resolve]));
    },
  };
}
