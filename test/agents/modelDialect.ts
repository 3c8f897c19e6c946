/** One message of a conversation, whatever the dialect, as a test wants to read it. */
export interface SpokenMessage {
  readonly role: string;
  readonly text: string;
}

/** What the scripted model needs to know about a request to choose its answer. */
export interface ModelRequest {
  readonly model: string;
  readonly streaming: boolean;
  readonly tools: readonly string[];
  readonly conversation: readonly SpokenMessage[];
}

/** Collects one assistant message; a streaming one also sends each part as it is said. */
export interface AnswerWriter {
  begin(): void;
  text(text: string): void;
  tool(name: string, input: unknown): void;
  end(): void;
  /** The whole message, for a request that did not ask for a stream. */
  whole(): unknown;
}

export type SendEvent = (data: unknown, event?: string) => void;

/** One way of speaking to a model over HTTP. A further dialect is a further file with one of these. */
export interface ModelDialect {
  readonly name: string;
  /** Whether a POST to this path is a request for an answer. */
  answers(path: string): boolean;
  read(body: Readonly<Record<string, unknown>>, path: string): ModelRequest;
  write(send: SendEvent, model: string, inputTokens: number): AnswerWriter;
  failure(message: string): unknown;
  /** Other paths that an agent insists on; undefined leaves the path to the next dialect. */
  other(path: string): unknown;
}
