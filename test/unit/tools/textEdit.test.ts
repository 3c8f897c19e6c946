import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editBytes, type TextEdit } from '../../../src/tools/textEdit.ts';
import { Refused } from '../../../src/tools/toolResult.ts';

function edited(text: string, ...edits: readonly TextEdit[]): string {
  return Buffer.from(editBytes(Buffer.from(text), edits, 'a.txt')).toString('utf8');
}

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Refused, String(error));
    return error.code;
  }
  return 'none';
}

describe('edits of a text', () => {
  const cases: readonly (readonly [what: string, before: string, edit: TextEdit, after: string])[] = [
    ['replace a piece', 'one\ntwo\n', { old_text: 'two', new_text: 'zwei' }, 'one\nzwei\n'],
    ['remove a line', 'one\r\ntwo\r\nthree\r\n', { old_text: 'two\n', new_text: '' }, 'one\r\nthree\r\n'],
    ['keep the line ends of Windows', 'one\r\ntwo\r\n', { old_text: 'one\ntwo', new_text: 'one\nmore\ntwo' }, 'one\r\nmore\r\ntwo\r\n'],
    ['keep them where they are given, too', 'one\r\ntwo\r\n', { old_text: 'one\r\ntwo', new_text: '1\r\n2' }, '1\r\n2\r\n'],
    ['do not bring them to where they are not', 'one\ntwo\n', { old_text: 'one\r\n', new_text: '1\r\n1\r\n' }, '1\n1\ntwo\n'],
    ['leave mixed line ends around them alone', 'a\r\nb\nc\r\nd\n', { old_text: 'a\nb\nc\nd\n', new_text: 'a\nb\nX\nd\n' }, 'a\r\nb\nX\r\nd\n'],
    ['put in the line end of the next line', 'a\nb\r\nc', { old_text: 'b', new_text: 'b\nX' }, 'a\nb\r\nX\r\nc'],
    ['put in that of the line before at the end', 'a\r\nb', { old_text: 'b', new_text: 'b\nX' }, 'a\r\nb\r\nX'],
    ['keep a byte order mark', '\uFEFFone\r\n', { old_text: 'one', new_text: 'two' }, '\uFEFFtwo\r\n'],
    ['leave a lone carriage return one', 'a\rb\n', { old_text: 'b', new_text: 'c' }, 'a\rc\n'],
    ['split no character', 'x😀y', { old_text: '😀', new_text: '😁' }, 'x😁y'],
    ['take what a pattern would take for its own', 'a$b', { old_text: '$', new_text: '$&$1' }, 'a$&$1b'],
    ['replace every place where that is asked for', 'a b a\r\na', { old_text: 'a', new_text: 'c\n', replace_all: true }, 'c\r\n b c\r\n\r\nc\r\n'],
  ];
  for (const [what, before, edit, after] of cases) it(what, () => assert.equal(edited(before, edit), after));

  it('are made one after the other', () => {
    assert.equal(edited('a\n', { old_text: 'a', new_text: 'b\nc' }, { old_text: 'c', new_text: 'd' }), 'b\nd\n');
  });

  it('are refused where the text is not there, there twice, or would stay', () => {
    const codes = [['x', 'y'], ['a', 'b'], ['b', 'b'], ['b\r\n', 'b\n']].map(([old_text = '', new_text = '']) => refusal(() => edited('a b\na', { old_text, new_text })));
    assert.deepEqual(codes, ['textNotFound', 'textNotUnique', 'input', 'input']);
    assert.equal(refusal(() => edited('aaa', { old_text: 'aa', new_text: 'b' })), 'textNotUnique');
  });

  it('are refused where the file is no UTF-8, or half a character is to be written', () => {
    for (const bytes of [[0xff, 0xfe, 0x61, 0x00], [0x61, 0xe9, 0x0a], [0x61, 0x00]]) assert.equal(refusal(() => editBytes(Uint8Array.from(bytes), [{ old_text: 'a', new_text: 'b' }], 'a')), 'notText');
    assert.equal(refusal(() => edited('a', { old_text: 'a', new_text: '\ud83d' })), 'input');
  });

  it('do what replacing does in a text of one kind of line ends, and touch nothing else', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '\n'), maxLength: 6 });
    fc.assert(
      fc.property(piece, piece, piece, piece, fc.constantFrom('\n', '\r\n'), (start, old, end, fresh, lineEnd) => {
        fc.pre(old !== '' && old !== fresh);
        const [text, all] = [`${start}${old}${end}`, `<${start}|${old}|${end}>`];
        fc.pre(all.split('|' + old + '|').length === 2 && text.includes(old));
        const native = (value: string): string => value.replaceAll('\n', lineEnd);
        // Without a line end in the file there is none to keep.
        fc.pre(lineEnd === '\n' || all.includes('\n'));
        assert.equal(edited(native(all), { old_text: `|${old}|`, new_text: `|${fresh}|` }), native(`<${start}|${fresh}|${end}>`));
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
