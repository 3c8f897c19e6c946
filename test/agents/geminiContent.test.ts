import { deepEqual } from 'node:assert/strict';
import type { Json } from './dialectTools.ts';
import { startScriptedModel } from './scriptedModel.ts';

const tools = [{ functionDeclarations: [{ name: 'write_file' }, { name: 'replace' }] }];

interface Answer {
  readonly candidates: readonly { readonly content: { readonly parts: readonly { readonly text?: string; readonly functionCall?: Json }[] }; readonly finishReason?: string }[];
}

describe('The scripted model speaks Google\'s generateContent', () => {
  it('streams text and calls where the path asks for it, answers whole otherwise, and fails where the script says so', async () => {
    const model = await startScriptedModel({ side: 'a title', turns: [[{ text: 'A file.' }, { tool: 'write_file', input: { file_path: 'a' } }], [{ status: 500, error: 'broken' }]] });
    const ask = async (verb: string, body: Json): Promise<string> => (await fetch(`${model.url}/v1beta/models/scripted:${verb}`, { method: 'POST', body: JSON.stringify(body) })).text();
    try {
      const contents = [
        { role: 'user', parts: [{ text: 'do it' }] },
        { role: 'model', parts: [{ functionCall: { name: 'replace' } }] },
        { role: 'user', parts: [{ functionResponse: { response: { output: 'ok' } } }] },
      ];
      const chunks = (await ask('streamGenerateContent?alt=sse', { tools, contents })).split('\n\n').filter((line) => line !== '').map((line) => JSON.parse(line.replace(/^data: /, '')) as Answer);
      const parts = chunks.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
      deepEqual(parts.map(({ text, functionCall }) => text ?? [functionCall?.['name'], functionCall?.['args']]), ['A file.', ['write_file', { file_path: 'a' }], '']);
      deepEqual(chunks.map(({ candidates }) => candidates[0]?.finishReason), [undefined, undefined, 'STOP']);
      const { model: named, tools: offered, conversation } = model.requests()[0] ?? {};
      deepEqual([named, offered, conversation], ['scripted', ['write_file', 'replace'], [{ role: 'user', text: 'do it' }, { role: 'model', text: '<call replace>' }, { role: 'user', text: '{"output":"ok"}' }]]);
      const whole = JSON.parse(await ask('generateContent', { contents })) as Answer;
      deepEqual(whole.candidates[0], { index: 0, content: { role: 'model', parts: [{ text: 'a title' }] }, finishReason: 'STOP' });
      deepEqual(JSON.parse(await ask('generateContent', { tools, contents })), { error: { code: 500, status: 'INTERNAL', message: 'broken' } });
      deepEqual(JSON.parse(await ask('countTokens', {})), { totalTokens: 10 });
    } finally {
      await model.stop();
    }
  });
});
