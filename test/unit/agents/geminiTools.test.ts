import assert from 'node:assert/strict';
import { EOL } from 'node:os';
import { sha256 } from '../../../src/core/base/digest.ts';
import { effectOf, expectedBytes, foundBy } from '../../../src/agents/geminiTools.ts';

const text = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : Buffer.from(value, 'utf8'));
const edit = (old_string: string, new_string: string, more: object = {}) => ({ file_path: 'a', old_string, new_string, ...more });

describe('what a tool of Gemini CLI will leave', () => {
  const cases: readonly (readonly [what: string, tool: string, input: unknown, before: string | undefined, expected: string | undefined])[] = [
    ['a new file, with the machine\'s line ends', 'write_file', { content: 'one\n' }, undefined, `one${EOL}`],
    ['an overwritten file', 'write_file', { content: 'two\n' }, 'one\n', 'two\n'],
    ['an overwritten file with its line ends', 'write_file', { content: 'one\ntwo\r\n' }, 'x\r\n', 'one\r\ntwo\r\n'],
    ['the only place', 'replace', edit('a', 'b'), 'a\n', 'b\n'],
    ['every place, where it may', 'replace', edit('a', 'b', { allow_multiple: true }), 'a a\n', 'b b\n'],
    ['nothing of several places', 'replace', edit('a', 'b'), 'a a\n', undefined],
    ['a replacement that looks like a pattern', 'replace', edit('a', '$&$1'), 'a\n', '$&$1\n'],
    ['one kind of line ends where there were two', 'replace', edit('b\r\n', 'c\n'), 'a\r\nb\n', 'a\r\nc\r\n'],
    ['a byte order mark', 'replace', edit('a', 'b'), '\ufeffa\n', '\ufeffb\n'],
    ['the last line end', 'replace', edit('\nb\n', ''), 'a\nb\n', 'a\n'],
    ['no last line end', 'replace', edit('b', 'c\n'), 'a\nb', 'a\nc'],
    ['a new file by an edit', 'replace', edit('', 'x\n'), undefined, `x${EOL}`],
    ['text that is only similar', 'replace', edit('a  b', 'c'), 'a b\n', undefined],
    ['an edit of what is not there', 'replace', edit('a', 'b'), undefined, undefined],
    ['an edit that makes a file that is there', 'replace', edit('', 'b'), 'a\n', undefined],
    ['an edit that changes nothing', 'replace', edit('a', 'a'), 'a\n', undefined],
    ['no input', 'replace', undefined, 'a\n', undefined],
    ['a command', 'run_shell_command', { command: 'x' }, 'a\n', undefined],
  ];
  for (const [what, tool, input, before, expected] of cases) it(`tells ${what}`, () => assert.deepEqual(expectedBytes(tool, input, text(before)), text(expected)));

  it('says nothing of an edit in an encoding that it can not read', () => assert.equal(expectedBytes('replace', edit('beta', 'x'), Buffer.from('caf\u00e9 beta\n', 'latin1')), undefined));
});

describe('what a tool of Gemini CLI may change', () => {
  const cases: readonly (readonly [tool: string, input: unknown, effect: unknown])[] = [
    ['write_file', { file_path: '/w/a.txt' }, { kind: 'exact', paths: ['/w/a.txt'] }],
    ['replace', { file_path: '@/src/a.txt', old_string: '' }, { kind: 'exact', paths: ['@/src/a.txt', 'src/a.txt'] }],
    ['replace', { file_path: 'a.txt', old_string: 'x' }, { kind: 'exact', paths: ['a.txt'], looksElsewhere: true }],
    ['replace', { file_path: '/w/a.txt', old_string: 'x' }, { kind: 'exact', paths: ['/w/a.txt'] }],
    ['replace', { file_path: '' }, { kind: 'undeclared' }],
    ['write_file', null, { kind: 'undeclared' }],
    ['invoke_agent', {}, { kind: 'exact', paths: [] }],
    ['grep_search', {}, { kind: 'none' }],
    ['run_shell_command', { command: 'x' }, { kind: 'undeclared' }],
    ['save_memory', { fact: 'x' }, { kind: 'undeclared' }],
  ];
  for (const [tool, input, effect] of cases) it(`${tool} ${JSON.stringify(input)}`, () => assert.deepEqual(effectOf(tool, input), effect));
});

describe('what a tool of Gemini CLI says it found', () => {
  const found = (response: unknown, before: string): unknown => foundBy(response, sha256(Buffer.from(before)), () => Buffer.from(before));
  it('is the same with other line ends', () => assert.deepEqual(found({ returnDisplay: { originalContent: 'a\nb\n' } }, 'a\r\nb\r\n'), { kind: 'same' }));
  it('is what the user saved meanwhile', () => assert.deepEqual(found({ returnDisplay: { originalContent: 'mine\n' } }, 'a\r\n'), { kind: 'other', bytes: Buffer.from('mine\r\n') }));
  it('is not told of an error', () => assert.deepEqual(found({ returnDisplay: 'Error', error: {} }, 'a\n'), { kind: 'same' }));
});
