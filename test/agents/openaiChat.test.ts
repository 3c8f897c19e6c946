import { deepEqual, equal } from 'node:assert/strict';
import type { Json } from './dialectTools.ts';
import type { ModelScript } from './modelScript.ts';
import { startScriptedModel } from './scriptedModel.ts';

const tools = [{ type: 'function', function: { name: 'write', parameters: {} } }];
const script: ModelScript = {
  side: 'a title',
  turns: [
    [{ text: 'Two ' }, { text: 'files.' }, { tool: 'write', input: { path: 'a' } }, { tool: 'write', input: { path: 'b' } }],
    [{ text: 'All done.' }],
    [{ status: 429, error: 'too many' }],
  ],
};

async function ask(url: string, body: Json): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'scripted', ...body }) });
  return { status: response.status, text: await response.text() };
}

/** The parts of a stream, without what marks its end. */
function chunksOf(text: string): readonly { readonly choices: readonly { readonly delta: Json; readonly finish_reason: string | null }[]; readonly usage?: Json }[] {
  const lines = text.split('\n\n').filter((line) => line !== '');
  equal(lines.at(-1), 'data: [DONE]');
  return lines.slice(0, -1).map((line) => JSON.parse(line.replace(/^data: /, '')));
}

describe('The scripted model speaks OpenAI chat completions', () => {
  it('says text and parallel tool calls in a stream, and goes on when they are answered', async () => {
    const model = await startScriptedModel(script);
    try {
      const user = { role: 'user', content: 'do it' };
      const first = chunksOf((await ask(model.url, { stream: true, tools, messages: [user] })).text);
      const deltas = first.flatMap(({ choices }) => choices.map(({ delta }) => delta));
      const calls = deltas.flatMap((delta) => (delta['tool_calls'] ?? []) as { index: number; id: string; function: Json }[]);
      equal(deltas.map((delta) => delta['content'] ?? '').join(''), 'Two files.');
      deepEqual(calls.map(({ index, function: called }) => [index, called]), [
        [0, { name: 'write', arguments: '{"path":"a"}' }],
        [1, { name: 'write', arguments: '{"path":"b"}' }],
      ]);
      equal(new Set(calls.map(({ id }) => id)).size, 2);
      deepEqual(first.flatMap(({ choices }) => choices.map(({ finish_reason: reason }) => reason)).at(-1), 'tool_calls');
      deepEqual(first.at(-1)?.usage, { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 });

      const answered = [user, { role: 'assistant', content: null, tool_calls: calls }, { role: 'tool', content: [{ type: 'text', text: 'written' }] }];
      const second = chunksOf((await ask(model.url, { stream: true, tools, messages: answered })).text);
      equal(second.flatMap(({ choices }) => choices.map(({ finish_reason: reason }) => reason)).at(-1), 'stop');
      deepEqual(model.requests().at(-1)?.conversation, [
        { role: 'user', text: 'do it' },
        { role: 'assistant', text: '<call write>\n<call write>' },
        { role: 'tool', text: 'written' },
      ]);
    } finally {
      await model.stop();
    }
  });

  it('answers a request without tools aside, a whole one whole, and fails where the script says so', async () => {
    const model = await startScriptedModel(script);
    const messages = [{ role: 'user', content: 'do it' }];
    try {
      equal(chunksOf((await ask(model.url, { stream: true, messages })).text).map(({ choices }) => choices[0]?.delta['content'] ?? '').join(''), 'a title');
      const whole = JSON.parse((await ask(model.url, { tools, messages })).text) as { choices: { message: Json; finish_reason: string }[] };
      equal(whole.choices[0]?.message['content'], 'Two files.');
      equal((whole.choices[0]?.message['tool_calls'] as Json[]).length, 2);
      equal(whole.choices[0]?.finish_reason, 'tool_calls');
      await ask(model.url, { tools, messages });
      deepEqual(await ask(model.url, { tools, messages }), { status: 429, text: '{"error":{"type":"api_error","message":"too many"}}' });
      deepEqual(model.requests().map(({ lane, turn }) => [lane, turn]), [['side', undefined], ['main', 0], ['main', 1], ['main', 2]]);
      const models = (await (await fetch(`${model.url}/v1/models`)).json()) as { data: Json[] };
      equal(models.data[0]?.['id'], 'scripted');
    } finally {
      await model.stop();
    }
  });
});
