import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { anthropicMessages } from './anthropicMessages.ts';
import { geminiContent } from './geminiContent.ts';
import type { ModelDialect, ModelRequest } from './modelDialect.ts';
import { fillVariables } from './modelScript.ts';
import type { ModelScript, ModelTurn, Variables } from './modelScript.ts';
import { openaiChat } from './openaiChat.ts';

import { openAiResponses } from './openAiResponses.ts';
import { scriptLanes } from './scriptLanes.ts';

/** A request as it was answered: `turn` is missing for side requests, which advance no lane. */
export type LoggedRequest = ModelRequest & {
  readonly path: string;
  readonly lane: string;
  readonly turn?: number;
};

export interface ScriptedModel {
  readonly url: string;
  requests(): readonly LoggedRequest[];
  /** Resolves once all that a main-lane turn has to say was sent: its end, or the point where it hangs. */
  untilReached(turn: number): Promise<void>;
  stop(): Promise<void>;
}

const dialects: readonly ModelDialect[] = [
  anthropicMessages,
  geminiContent,
  openaiChat,
  openAiResponses,
];

/** Plays the model on a free loopback port, so that real agents run offline and say the same each time. */
export async function startScriptedModel(
  script: ModelScript,
  options: { readonly variables?: Variables } = {},
): Promise<ScriptedModel> {
  const lanes = scriptLanes(fillVariables(script, options.variables ?? {}));
  const logged: LoggedRequest[] = [];

  async function answer(dialect: ModelDialect, path: string, raw: string, response: ServerResponse): Promise<void> {
    const request = dialect.read(parseObject(raw), path);
    const { lane, turn, steps } = lanes.next(request);
    logged.push({ ...request, path, lane, ...(turn === undefined ? {} : { turn }) });
    const told = (): void => lanes.reached(lane, turn);
    const finished = await play(dialect, request, steps, response, { untilReached: lanes.untilReached, onHang: told });
    if (finished) told();
  }

  const server = createServer((request, response) => {
    void readBody(request)
      .then(async (raw) => {
        const path = (request.url ?? '').split('?')[0] ?? '';
        const dialect = dialects.find((candidate) => request.method === 'POST' && candidate.answers(path));
        if (dialect !== undefined) return answer(dialect, path, raw, response);
        const other = dialects.map((candidate) => candidate.other(path)).find((body) => body !== undefined);
        return sendJson(response, 200, other ?? {});
      })
      // An agent that is interrupted closes its request; there is nobody left to tell.
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => logged,
    untilReached: lanes.untilReached,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Says one turn; false when it hangs and so never comes to its end. */
async function play(
  dialect: ModelDialect,
  request: ModelRequest,
  steps: ModelTurn,
  response: ServerResponse,
  { untilReached, onHang }: { untilReached(turn: number): Promise<void>; onHang(): void },
): Promise<boolean> {
  const failed = steps.find((step) => 'status' in step);
  if (failed !== undefined) {
    sendJson(response, failed.status, dialect.failure(failed.error ?? 'scripted failure'));
    return true;
  }
  const inputTokens = steps.find((step) => 'inputTokens' in step)?.inputTokens ?? 10;
  if (request.streaming) response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (data: unknown, event?: string): void => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    if (request.streaming) response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
  };
  const writer = dialect.write(send, request.model, inputTokens);
  writer.begin();
  for (const step of steps) {
    if ('waitMs' in step) await pause(step.waitMs);
    if ('afterTurn' in step) await untilReached(step.afterTurn);
    if ('hang' in step) {
      onHang();
      return false;
    }
    if ('text' in step) writer.text(step.text);
    if ('tool' in step) writer.tool(step.tool, step.input);
  }
  writer.end();
  if (request.streaming) response.end();
  else sendJson(response, 200, writer.whole());
  return true;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** An empty or foreign body will do: such requests get an answer too. */
function parseObject(raw: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
