import { listOf, newId, type Json } from './dialectTools.ts';
import type { AnswerWriter, ModelDialect, ModelRequest, SendEvent, SpokenMessage } from './modelDialect.ts';

/** Anthropic Messages, as far as Claude Code needs it. */
export const anthropicMessages: ModelDialect = {
  name: 'anthropic',
  answers: (path) => path.endsWith('/messages'),
  read: readRequest,
  write: writeAnswer,
  failure: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
  other: (path) => (path.endsWith('/count_tokens') ? { input_tokens: 10 } : undefined),
};

function readRequest(body: Json): ModelRequest {
  return {
    model: typeof body['model'] === 'string' ? body['model'] : 'scripted',
    streaming: body['stream'] === true,
    tools: listOf(body['tools']).map((tool) => String(tool['name'] ?? tool['type'])),
    conversation: listOf(body['messages']).map(
      (message): SpokenMessage => ({ role: String(message['role']), text: textOf(message['content']) }),
    ),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => {
      if (block['type'] === 'tool_use') return `<call ${String(block['name'])}>`;
      if (block['type'] === 'tool_result') return textOf(block['content']);
      return typeof block['text'] === 'string' ? block['text'] : '';
    })
    .join('\n');
}

function writeAnswer(send: SendEvent, model: string, inputTokens: number): AnswerWriter {
  const content: Json[] = [];
  const message = {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: 10 },
  };
  const event = (type: string, data: Json = {}): void => send({ type, ...data }, type);
  const block = (start: Json, delta: Json, full: Json): void => {
    const index = content.push(full) - 1;
    event('content_block_start', { index, content_block: start });
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  };
  return {
    begin: () => event('message_start', { message: { ...message, content: [] } }),
    text: (text) => block({ type: 'text', text: '' }, { type: 'text_delta', text }, { type: 'text', text }),
    tool: (name, input) => {
      const full = { type: 'tool_use', id: newId('toolu'), name, input };
      block({ ...full, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(input) }, full);
    },
    end: () => {
      message.stop_reason = content.some((item) => item['type'] === 'tool_use') ? 'tool_use' : 'end_turn';
      const delta = { stop_reason: message.stop_reason, stop_sequence: null };
      event('message_delta', { delta, usage: { output_tokens: 10 } });
      event('message_stop');
    },
    whole: () => message,
  };
}
