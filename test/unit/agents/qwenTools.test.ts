import assert from 'node:assert/strict';
import { effectOf, expectedBytes } from '../../../src/agents/qwenTools.ts';

const text = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : Buffer.from(value, 'utf8'));
const edit = (old_string: string, new_string: string, more: object = {}) => ({ file_path: '/a', old_string, new_string, ...more });

describe('what a tool of Qwen Code will leave', () => {
  const cases: readonly (readonly [what: string, tool: string, input: unknown, before: string | undefined, expected: string | undefined])[] = [
    ['a new file as it is given', 'write_file', { content: 'one\r\ntwo\n' }, undefined, 'one\r\ntwo\n'],
    ['an overwritten file', 'write_file', { content: 'two\n' }, 'one\n', 'two\n'],
    ['an overwritten file with its line ends and its mark', 'write_file', { content: 'one\ntwo\r\n' }, '\ufeffx\r\n', '\ufeffone\r\ntwo\r\n'],
    ['a mark that is there already', 'write_file', { content: '\ufeffone\n' }, '\ufeffx\n', '\ufeffone\n'],
    ['the only place', 'edit', edit('a', '$&'), 'a\n', '$&\n'],
    ['every place, where it may', 'edit', edit('a', 'b', { replace_all: true }), 'a a\n', 'b b\n'],
    ['nothing of several places', 'edit', edit('a', 'b'), 'a a\n', undefined],
    ['one kind of line ends where there were two', 'edit', edit('b\n', 'c\r\n'), 'a\r\nb\n', 'a\r\nc\r\n'],
    ['that the end of a line goes with it', 'edit', edit('b', ''), 'a\nb\nc\n', 'a\nc\n'],
    ['that nothing else goes with what ends inside a line', 'edit', edit('b', ''), 'a\nbc\n', 'a\nc\n'],
    ['a new file by an edit', 'edit', edit('', 'x\n'), undefined, 'x\n'],
    ['an edit that makes a file that is there', 'edit', edit('', 'b'), 'a\n', undefined],
    ['text that is only similar', 'edit', edit('\u201ca\u201d', 'c'), '"a"\n', undefined],
    ['an edit of what is not there', 'edit', edit('a', 'b'), undefined, undefined],
    ['an edit that changes nothing', 'edit', edit('a', 'a'), 'a\n', undefined],
    ['a notebook', 'notebook_edit', { notebook_path: '/a.ipynb', new_source: 'x' }, '{}', undefined],
    ['no input', 'edit', undefined, 'a\n', undefined],
  ];
  for (const [what, tool, input, before, expected] of cases) it(`tells ${what}`, () => assert.deepEqual(expectedBytes(tool, input, text(before)), text(expected)));

  it('says nothing of an encoding that it can not read', () => assert.equal(expectedBytes('write_file', { content: 'x' }, Buffer.from('caf\u00e9\n', 'latin1')), undefined));
});

describe('what a tool of Qwen Code may change', () => {
  const cases: readonly (readonly [tool: string, input: unknown, effect: unknown])[] = [
    ['write_file', { file_path: '/w/a.txt' }, { kind: 'exact', paths: ['/w/a.txt'] }],
    ['notebook_edit', { notebook_path: '/w/a.ipynb' }, { kind: 'exact', paths: ['/w/a.ipynb'] }],
    ['edit', {}, { kind: 'undeclared' }],
    ['agent', { prompt: 'x' }, { kind: 'exact', paths: [] }],
    ['grep_search', {}, { kind: 'none' }],
    ['run_shell_command', { command: 'x' }, { kind: 'undeclared' }],
    ['exec', { code: 'x' }, { kind: 'undeclared' }],
    ['save_memory', { fact: 'x' }, { kind: 'undeclared' }],
  ];
  for (const [tool, input, effect] of cases) it(`${tool} ${JSON.stringify(input)}`, () => assert.deepEqual(effectOf(tool, input), effect));
});
