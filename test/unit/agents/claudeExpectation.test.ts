import assert from 'node:assert/strict';
import { sha256 } from '../../../src/core/base/digest.ts';
import { expectedBytes, foundBy } from '../../../src/agents/claudeExpectation.ts';

const text = (value: string | undefined): Uint8Array | undefined => (value === undefined ? undefined : Buffer.from(value, 'utf8'));
function foundFor(response: unknown, before: Uint8Array | undefined): unknown {
  const found = foundBy(response, before === undefined ? undefined : sha256(before), () => before);
  return found.kind === 'other' ? Buffer.from(found.bytes).toString('utf8') : found.kind;
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
  const utf16 = Buffer.from('\ufeffa\nb\n', 'utf16le');
  const cases: readonly (readonly [what: string, original: unknown, before: string | Uint8Array | undefined, found: string])[] = [
    ['the same', 'a\n', 'a\n', 'same'],
    ['the same with its line ends and mark taken off', 'a\nb\n', `${mark}a\r\nb\r\n`, 'same'],
    ['the same in UTF-16', 'a\nb\n', utf16, 'same'],
    ['the same in an encoding that it did not know', 'caf\ufffd beta\n', latin, 'same'],
    ['what the user saved meanwhile', 'a\nmine\n', 'a\n', 'a\nmine\n'],
    ['what the user saved meanwhile, in the file\'s own line ends', 'a\nmine\n', `${mark}a\r\n`, `${mark}a\r\nmine\r\n`],
    ['a file that the user made meanwhile', 'mine\n', undefined, 'mine\n'],
    ['nothing, for a file that it makes', '', undefined, 'same'],
    ['not told', null, 'a\n', 'same'],
    ['other text in an encoding that can not be written back', 'caf\ufffd mine\n', latin, 'unknown'],
    ['other text in UTF-16', 'a\nmine\n', utf16, 'unknown'],
    ['text that lost characters', 'caf\ufffd\n', 'a\n', 'unknown'],
  ];
  for (const [what, originalFile, before, found] of cases) {
    it(`is ${what}`, () => assert.equal(foundFor({ originalFile }, typeof before === 'string' ? text(before) : before), found));
  }

  it('is told of notebooks too', () => assert.equal(foundFor({ original_file: '{"mine":1}' }, text('{}')), '{"mine":1}'));
  it('counts for nothing while the edit is only staged', () => assert.equal(foundFor({ originalFile: 'x', staged: true }, text('a\n')), 'same'));
});
