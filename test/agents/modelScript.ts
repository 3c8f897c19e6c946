/** What the scripted model says: one list of turns per lane, each turn one assistant message. */
export interface ModelScript {
  /** The main agent's lane. */
  readonly turns: readonly ModelTurn[];
  /** Lanes for sub-agents, chosen by what their parent asked of them. */
  readonly lanes?: readonly ModelLane[];
  /** The answer to requests without tools: titles, quota checks, summaries. */
  readonly side?: string;
}

export interface ModelLane {
  readonly when: string;
  readonly turns: readonly ModelTurn[];
}

/** Several tool steps in one turn are parallel tool calls. */
export type ModelTurn = readonly ModelStep[];

export type ModelStep =
  | { readonly text: string }
  | { readonly tool: string; readonly input: unknown }
  | { readonly waitMs: number }
  /** Waits until a turn of the main lane was said, so that a sub-agent surely comes after it. */
  | { readonly afterTurn: number }
  /** Sends what came before and never finishes, so that a turn can be interrupted. */
  | { readonly hang: true }
  /** Fails this request with an HTTP status. */
  | { readonly status: number; readonly error?: string }
  /** Reports this many input tokens, to provoke a compaction. */
  | { readonly inputTokens: number };

export type Variables = Readonly<Record<string, string>>;

/** Scripts name the project as ${PROJECT}, because its path is only known when a test runs. */
export function fillVariables<Value>(value: Value, variables: Variables): Value {
  return fill(value, variables) as Value;
}

function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{(\w+)\}/g, (placeholder, name: string) => variables[name] ?? placeholder);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, variables)]));
  }
  return value;
}
