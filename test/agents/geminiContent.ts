import { listOf, newId, type Json } from './dialectTools.ts';
import type { AnswerWriter, ModelDialect, ModelRequest, SendEvent, SpokenMessage } from './modelDialect.ts';

/** Google's generateContent, as far as Gemini CLI needs it: the model and whether it streams stand in the path. */
export const geminiContent: ModelDialect = {
  name: 'gemini',
  answers: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read: readRequest,
  write: writeAnswer,
  failure: (message) => ({ error: { code: 500, status: 'INTERNAL', message } }),
  other: (path) => (path.endsWith(':countTokens') ? { totalTokens: 10 } : undefined),
};

function readRequest(body: Json, path: string): ModelRequest {
  const [, model = 'scripted'] = /models\/([^/:]+):/.exec(path) ?? [];
  return {
    model,
    streaming: path.endsWith(':streamGenerateContent'),
    tools: listOf(body['tools']).flatMap((group) => listOf(group['functionDeclarations'])).map((tool) => String(tool['name'])),
    conversation: listOf(body['contents']).map(({ role, parts }): SpokenMessage => ({ role: String(role ?? 'user'), text: listOf(parts).map(textOf).join('\n') })),
  };
}

function textOf({ text, functionCall, functionResponse }: Json): string {
  if (typeof text === 'string') return text;
  if (functionCall !== undefined) return `<call ${String((functionCall as Json)['name'])}>`;
  return functionResponse === undefined ? '' : JSON.stringify((functionResponse as Json)['response']);
}

function writeAnswer(send: SendEvent, model: string, inputTokens: number): AnswerWriter {
  const said: Json[] = [];
  const usageMetadata = { promptTokenCount: inputTokens, candidatesTokenCount: 10, totalTokenCount: inputTokens + 10 };
  const body = (parts: readonly Json[], more: Json = {}): Json => ({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], modelVersion: model, usageMetadata });
  const say = (part: Json): void => {
    said.push(part);
    send(body([part]));
  };
  return {
    begin: () => undefined,
    text: (text) => say({ text }),
    tool: (name, input) => say({ functionCall: { id: newId('call'), name, args: input } }),
    end: () => send(body([{ text: '' }], { finishReason: 'STOP' })),
    whole: () => body(said, { finishReason: 'STOP' }),
  };
}
