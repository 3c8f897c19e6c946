import type { AnswerWriter, ModelDialect, ModelRequest, SendEvent, SpokenMessage } from './modelDialect.ts';

type Json = Readonly<Record<string, unknown>>;

/** OpenAI Responses, as far as Codex needs it. */
export const openAiResponses: ModelDialect = {
  name: 'openai-responses',
  answers: (path) => path.endsWith('/responses'),
  read: readRequest,
  write: writeAnswer,
  failure: (message) => ({ error: { type: 'server_error', message } }),
  other: () => undefined,
};

function readRequest(body: Json): ModelRequest {
  const items = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : listOf(body['input']);
  return {
    model: typeof body['model'] === 'string' ? body['model'] : 'scripted',
    streaming: body['stream'] === true,
    // Some models get their tools in an item of the input, in groups.
    tools: [...listOf(body['tools']), ...items.flatMap((item) => listOf(item['tools']))].flatMap((tool) => (Array.isArray(tool['tools']) ? listOf(tool['tools']) : [tool])).map((tool) => String(tool['name'] ?? tool['type'])),
    // Its instructions are pages long.
    conversation: items.filter((item) => item['role'] !== 'developer').map(messageOf),
  };
}

function messageOf(item: Json): SpokenMessage {
  if (typeof item['role'] === 'string') {
    const text = textOf(item['content']);
    // The program tells of its surroundings as the user, before what the user says.
    return { role: item['role'] === 'user' && text.startsWith('<') ? 'surroundings' : item['role'], text };
  }
  const type = String(item['type']);
  return type.endsWith('_output') ? { role: 'tool', text: textOf(item['output']) } : { role: 'assistant', text: `<call ${String(item['name'] ?? type)}>` };
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content).map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('\n');
}

let serial = 0;

/** Agents tell calls apart by these ids, so they must differ over all servers of one test run. */
function newId(prefix: string): string {
  serial += 1;
  return `${prefix}_${String(serial).padStart(4, '0')}`;
}

function writeAnswer(send: SendEvent, model: string, inputTokens: number): AnswerWriter {
  const output: Json[] = [];
  const usage = { input_tokens: inputTokens, output_tokens: 10, total_tokens: inputTokens + 10, input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  const response = { id: newId('resp'), object: 'response', created_at: 1, model, status: 'in_progress', output, usage };
  let sequence = 0;
  const event = (type: string, data: Json): void => send({ type, sequence_number: ++sequence, ...data }, type);
  const item = (full: Json, empty: Json, delta: string, data: Json): void => {
    const output_index = output.push(full) - 1;
    event('response.output_item.added', { output_index, item: { ...full, ...empty, status: 'in_progress' } });
    event(delta, { item_id: full['id'], output_index, ...data });
    event('response.output_item.done', { output_index, item: full });
  };
  return {
    begin: () => event('response.created', { response: { ...response, output: [] } }),
    text: (text) => {
      const content = [{ type: 'output_text', text, annotations: [] }];
      item({ type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content }, { content: [] }, 'response.output_text.delta', { content_index: 0, delta: text });
    },
    // An input that is a text is for a tool that takes any text.
    tool: (name, input) => {
      const call = { call_id: newId('call'), name, status: 'completed' };
      if (typeof input === 'string') return item({ type: 'custom_tool_call', id: newId('ctc'), ...call, input }, { input: '' }, 'response.custom_tool_call_input.delta', { delta: input });
      const text = JSON.stringify(input);
      return item({ type: 'function_call', id: newId('fc'), ...call, arguments: text }, { arguments: '' }, 'response.function_call_arguments.delta', { delta: text });
    },
    end: () => {
      response.status = 'completed';
      event('response.completed', { response });
    },
    whole: () => response,
  };
}
