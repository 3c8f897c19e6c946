import assert from 'node:assert/strict';
import { sha256 } from '../../../src/core/base/digest.ts';
import { expectedBytes, foundBytes } from '../../../src/agents/claudeExpectation.ts';

const text = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : Buffer.from(value, 'utf8'));
function foundFor(response: unknown, before: Uint8Array | undefined): Uint8Array | undefined {
  return foundBytes(response, before === undefined ? undefined : sha256(before), () => before);
}

const mark = '\ufeff';
const latin = Buffer.from('caf\u00e9 beta\n', 'latin1');

describe('what a tool of Claude Code will leave', () => {
  const cases: readonly (readonly [what: string, tool: string, input: unknown, before: string | undefined, expected: string | undefined])[] = [
    ['a new file', 'Write', { content: 'one\n' }, undefined, 'one\n'],
    ['an overwritten file', 'Write', { content: 'two\n' }, 'one\n', 'two\n'],
    ['the first place', 'Edit', { old_string: 'a', new_string: 'b' }, 'a a\n', 'b a\n'],
    ['every place', 'Edit', { old_string: 'a', new_string: 'b', replace_all: true }, 'a a\n', 'b b\n'],
    ['a replacement that looks like a pattern', 'Edit', { old_string: 'a', new_string: '$&$1' }, 'a\n', '$&$1\n'],
    ['line ends', 'Edit', { old_string: 'a\nb', new_string: 'c\nd\ne' }, 'a\r\nb\r\n', 'c\r\nd\r\ne\r\n'],
    ['a byte order mark', 'Edit', { old_string: 'a', new_string: 'b' }, `${mark}a\n`, `${mark}b\n`],
    ['several edits', 'MultiEdit', { edits: [{ old_string: 'a', new_string: 'b' }, { old_string: 'b', new_string: 'c' }] }, 'a\n', 'c\n'],
    ['text that is not there', 'Edit', { old_string: 'x', new_string: 'y' }, 'a\n', undefined],
    ['mixed line ends', 'Edit', { old_string: 'a', new_string: 'b' }, 'a\r\nb\n', undefined],
    ['a notebook', 'NotebookEdit', { new_source: 'x' }, '{}', undefined],
    ['no input', 'Edit', undefined, 'a\n', undefined],
  ];
  for (const [what, tool, input, before, expected] of cases) it(`tells ${what}`, () => assert.deepEqual(expectedBytes(tool, input, text(before)), text(expected)));

  it('says nothing of an encoding that it can not read', () => assert.equal(expectedBytes('Edit', { old_string: 'beta', new_string: 'x' }, latin), undefined));
});

describe('what a tool of Claude Code says it found', () => {
  const cases: readonly (readonly [what: string, original: unknown, before: string | undefined, found: string | undefined])[] = [
    ['the same', 'a\n', 'a\n', undefined],
    ['the same with its line ends and mark taken off', 'a\nb\n', `${mark}a\r\nb\r\n`, undefined],
    ['what the user saved meanwhile', 'a\nmine\n', 'a\n', 'a\nmine\n'],
    ['what the user saved meanwhile, in the file\'s own line ends', 'a\nmine\n', `${mark}a\r\n`, `${mark}a\r\nmine\r\n`],
    ['a file that the user made meanwhile', 'mine\n', undefined, 'mine\n'],
    ['nothing', null, 'a\n', undefined],
    ['text that lost characters', 'caf\ufffd\n', 'a\n', undefined],
  ];
  for (const [what, originalFile, before, found] of cases) it(`is ${what}`, () => assert.deepEqual(foundFor({ originalFile }, text(before)), text(found)));

  it('is not believed over an encoding that it can not read', () => assert.equal(foundFor({ originalFile: 'other\n' }, latin), undefined));
});
