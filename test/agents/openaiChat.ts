import { listOf, newId, type Json } from './dialectTools.ts';
import type { AnswerWriter, ModelDialect, ModelRequest, SendEvent, SpokenMessage } from './modelDialect.ts';

/** OpenAI Chat Completions, which many agents speak to a model of the user's own. */
export const openaiChat: ModelDialect = {
  name: 'openai-chat',
  answers: (path) => path.endsWith('/chat/completions'),
  read: readRequest,
  write: writeAnswer,
  failure: (message) => ({ error: { type: 'api_error', message } }),
  other: (path) => (path.endsWith('/models') ? { object: 'list', data: [{ id: 'scripted', object: 'model', owned_by: 'local' }] } : undefined),
};

function readRequest(body: Json): ModelRequest {
  return {
    model: typeof body['model'] === 'string' ? body['model'] : 'scripted',
    streaming: body['stream'] === true,
    tools: listOf(body['tools']).map((tool) => String((tool['function'] as Json | undefined)?.['name'] ?? tool['type'])),
    conversation: listOf(body['messages']).map((message): SpokenMessage => ({ role: String(message['role']), text: textOf(message) })),
  };
}

function textOf({ content, tool_calls: calls }: Json): string {
  const said = typeof content === 'string' ? [content] : listOf(content).map((part) => (typeof part['text'] === 'string' ? part['text'] : ''));
  return [...said, ...listOf(calls).map((call) => `<call ${String((call['function'] as Json | undefined)?.['name'])}>`)].join('\n');
}

function writeAnswer(send: SendEvent, model: string, inputTokens: number): AnswerWriter {
  const calls: Json[] = [];
  const base = { id: newId('chatcmpl'), created: 1, model };
  const usage = { prompt_tokens: inputTokens, completion_tokens: 10, total_tokens: inputTokens + 10 };
  const finish = (): string => (calls.length > 0 ? 'tool_calls' : 'stop');
  let content: string | null = null;
  const chunk = (delta: Json, finish_reason: string | null = null): void =>
    send({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  return {
    begin: () => chunk({ role: 'assistant', content: '' }),
    text: (text) => {
      content = (content ?? '') + text;
      chunk({ content: text });
    },
    tool: (name, input) => {
      const call = { id: newId('call'), type: 'function', function: { name, arguments: JSON.stringify(input) } };
      const index = calls.push(call) - 1;
      chunk({ tool_calls: [{ index, ...call }] });
    },
    end: () => {
      chunk({}, finish());
      send({ ...base, object: 'chat.completion.chunk', choices: [], usage });
      send('[DONE]');
    },
    whole: () => {
      const message = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
      return { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish() }], usage };
    },
  };
}
