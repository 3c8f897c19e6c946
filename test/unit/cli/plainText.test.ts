import assert from 'node:assert/strict';
import { plainLine, plainLines, plainText } from '../../../src/cli/plainText.ts';

describe('plain text for a terminal', () => {
  const commands: readonly [text: string, plain: string][] = [
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['over\rwritten\b', 'over\\u{d}written\\u{8}'],
    ['\u009b2J\u007f\u0000', '\\u{9b}2J\\u{7f}\\u{0}'],
    ['a\u202etxt.exe', 'a\\u{202e}txt.exe'],
    ['\u2066x\u2069\u200e\u200f\u061c', '\\u{2066}x\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
    ['one\u2028two', 'one\\u{2028}two'],
  ];
  for (const [text, plain] of commands) {
    it(`escapes ${JSON.stringify(plain)}, in a line and in a text`, () => assert.deepEqual([plainLine(text), plainText(text)], [plain, plain]));
  }

  it('leaves nothing that could act, whatever it is given', () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).join('');
    assert.doesNotMatch(plainLine(all), /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
    assert.deepEqual(plainText(all).match(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu), ['\t', '\n']);
  });

  it('leaves letters, signs and emoji of every script alone', () => {
    const text = 'Név: é ő ű 文件 файл ملف 👩‍💻 “x” \\u{1b} −';
    assert.deepEqual([plainLine(text), plainText(text)], [text, text]);
  });

  it('keeps the lines of a text, and ends no line of a list within', () => {
    assert.equal(plainText('+\tone\r\n-two\n'), '+\tone\r\n-two\n');
    assert.equal(plainLines(['x\ny\tz', 'w']), 'x\\u{a}y\\u{9}z\nw');
  });
});
