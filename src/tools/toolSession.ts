import { messageOf, TurnstoneError } from '../core/base/errors.ts';
import { toolNamed, type ToolDefinition } from './catalog.ts';
import { notRecording } from './recordedCall.ts';
import { seqsOf, type ToolHost } from './toolHost.ts';
import { checkInput } from './toolInputs.ts';
import { Refused, type ToolResult } from './toolResult.ts';
import { Turns, type NamedTurn, type ToolCaller } from './turns.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Missing for a call of the turn before it. */
  readonly turn?: NamedTurn | undefined;
  /** The agent's own id of the call. */
  readonly agentCall?: string | undefined;
}

function refused(error: unknown, writes: boolean): ToolResult {
  const refusal = error instanceof Refused ? error : refusalOf(error, writes);
  return { kind: 'refused', code: refusal.code, text: refusal.message };
}

function refusalOf(error: unknown, writes: boolean): Refused {
  if (writes) return notRecording(error);
  if (!TurnstoneError.is(error)) return new Refused('failed', `Turnstone failed: ${messageOf(error)}`);
  return new Refused(error.code === 'usage' ? 'input' : error.code === 'notFound' ? 'notFound' : 'failed', error.message);
}

/**
 * The tool calls of one conversation with one agent.
 *
 * Invariants: calls that write run one after the other, in the order in which they came; none throws.
 */
export class ToolSession {
  private readonly host: ToolHost;
  private readonly turns: Turns;
  private last: Promise<unknown> = Promise.resolve();

  /** `since`: how far the history of each folder had come when what the model knows may have been read first. */
  constructor(host: ToolHost, caller: ToolCaller, since: ReadonlyMap<string, number> = seqsOf(host)) {
    this.host = host;
    this.turns = new Turns(host, caller, since);
  }

  async call(name: string, value: unknown, options: CallOptions = {}): Promise<ToolResult> {
    const tool = toolNamed(name);
    if (tool === undefined) return { kind: 'refused', code: 'input', text: `There is no tool ${name}. Nothing was done.` };
    const checked = checkInput(tool.input, value);
    if (checked.kind === 'unsound') return { kind: 'refused', code: 'input', text: `${name}: ${checked.reason}. Nothing was done.` };
    const run = (): Promise<ToolResult> => this.run(tool, checked.input, options);
    return tool.writes ? this.afterOthers(run) : run();
  }

  /** The turn is over; also what was called just before and has not ended is waited for. */
  async endTurn(): Promise<void> {
    await this.afterOthers(() => this.turns.end());
  }

  private async run(tool: ToolDefinition, input: unknown, { signal, turn, agentCall }: CallOptions): Promise<ToolResult> {
    try {
      if (tool.writes && turn !== undefined) await this.turns.name(turn);
      return { kind: 'done', text: await tool.run({ host: this.host, turns: this.turns, tool: tool.name, signal, agentCall }, input) };
    } catch (error) {
      return refused(error, tool.writes);
    }
  }

  private afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
