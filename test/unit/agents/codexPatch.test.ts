import assert from 'node:assert/strict';
import { expectedByPatch, namesOf } from '../../../src/agents/codexExpectation.ts';
import { parsePatch, patchInCommand } from '../../../src/agents/codexPatch.ts';

const wrap = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const namesIn = (text: string): readonly string[] | undefined => parsePatch(text)?.flatMap(namesOf);

/** What a patch will leave in its files, asked in order, as Codex 0.171.0 left it. */
function leaves(patch: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> {
  const files = parsePatch(patch) ?? [];
  const expected = expectedByPatch(files, path => path);
  const bytesOf = (path: string): Buffer | undefined => (before[path] === undefined ? undefined : Buffer.from(before[path]));
  return Object.fromEntries(files.flatMap(namesOf).map(path => [path, expected(path, bytesOf(path))]).map(([path, bytes]) => [path, bytes?.toString()]));
}

describe('a patch of Codex', () => {
  it('names every file that it changes, a moved one with both names', () => {
    const patch = wrap('*** Add File: a b.txt', '+*** Delete File: no', '*** Delete File: gone', '*** Update File: from', '*** Move to: to', '@@ def f():', '-x', ' *** Add File: no', '', '+y', '*** End of File', '*** Update File: /abs/x', ' kept', '+new');
    assert.deepEqual(namesIn(patch), ['a b.txt', 'gone', 'from', 'to', '/abs/x']);
    assert.deepEqual(namesIn(`\n ${patch.replaceAll('\n', '\r\n')}  \n`), ['a b.txt', 'gone', 'from', 'to', '/abs/x']);
    assert.deepEqual(namesIn(wrap()), []);
  });

  it('with a line that is not understood is not understood at all', () => {
    const valid = ['*** Update File: a', '@@', '-x', '+y'];
    for (const lines of [['*** Environment ID: e', ...valid], [...valid, 'rest'], [...valid, '*** Rename File: b'], ['*** Update File: a', '@@', '*** Add File: b', '+x'], ['*** Update File: a', '@@', '-x', '*** End of File', '-y'], ['x']]) {
      assert.equal(parsePatch(wrap(...lines)), undefined, lines.join('|'));
    }
    for (const text of ['', '*** Begin Patch', wrap(...valid).slice(0, -1), `x\n${wrap(...valid)}`]) assert.equal(parsePatch(text), undefined, text);
  });

  it('tells what it will leave in its files', () => {
    assert.deepEqual(leaves(wrap('*** Add File: n', '+one', '+', '+two'), {}), { n: 'one\n\ntwo\n' });
    assert.deepEqual(leaves(wrap('*** Update File: a', '@@', ' a', '-b', '+B'), { a: 'a\r\nb\r\nc\r\n' }), { a: 'a\r\nB\r\nc\r\n' });
    assert.deepEqual(leaves(wrap('*** Update File: a', '@@', '-y', '+Y'), { a: 'x\ny' }), { a: 'x\nY\n' });
    assert.deepEqual(leaves(wrap('*** Update File: a', '@@ two', '-x', '+X', '@@', '-x', '+Z', '*** End of File'), { a: 'x\ntwo\nx\nx\n' }), { a: 'x\ntwo\nX\nZ\n' });
    assert.deepEqual(leaves(wrap('*** Update File: a', '*** Move to: b', '@@', '-x', '+y'), { a: 'x\n', b: 'old' }), { a: undefined, b: 'y\n' });
  });

  it('tells nothing of what Codex has to guess, or names twice, or finds as other text', () => {
    const update = (...lines: readonly string[]): string => wrap('*** Update File: a', ...lines);
    for (const [patch, a] of [
      [update('@@', '-x', '+y'), ' x\n'],
      [update('@@', '-x', '+y'), undefined],
      [update('@@', '+y'), 'x\n'],
      [update('@@ nowhere', '-x', '+y'), 'x\n'],
      [update('@@', '-x', '+y', '*** End of File'), 'x\nx\n'],
      [update('@@', '-x', '+y'), 'x\r\nx\n'],
      [`${update('@@', '-x', '+y').slice(0, -13)}${update('@@', '-z', '+w').slice(15)}`, 'x\nz\n'],
    ] as const) {
      assert.equal(parsePatch(patch) === undefined, false, patch);
      assert.deepEqual(leaves(patch, a === undefined ? {} : { a }), { a: undefined }, patch);
    }
    const latin = Buffer.from([0x78, 0x0a, 0xff, 0x0a]);
    assert.equal(expectedByPatch(parsePatch(update('@@', '-x', '+y')) ?? [], path => path)('a', latin), undefined);
  });

  it('through the shell is one only where the command is nothing else', () => {
    const body = wrap('*** Add File: a', '+$x');
    const read = (command: string): readonly unknown[] | undefined => {
      const found = patchInCommand(command);
      return found === undefined ? undefined : [found.directory, ...found.files.flatMap(namesOf)];
    };
    assert.deepEqual(read(`apply_patch <<'EOF'\n${body}\nEOF`), [undefined, 'a']);
    assert.deepEqual(read(`applypatch << "END"\n${body}\nEND\n`), [undefined, 'a']);
    assert.deepEqual(read(`cd sub/dir && apply_patch <<'EOF'\n${body}\nEOF`), ['sub/dir', 'a']);
    assert.deepEqual(read(`cd 'a b' && apply_patch <<'EOF'\n${body}\nEOF`), ['a b', 'a']);
    for (const command of [
      `apply_patch <<EOF\n${body}\nEOF`,
      `apply_patch <<'EOF'\n${body}\nEOF\nrm -rf x`,
      `apply_patch <<'EOF'\n${body}\nEOF\nrm x\nEOF`,
      `echo; apply_patch <<'EOF'\n${body}\nEOF`,
      `cd $HOME && apply_patch <<'EOF'\n${body}\nEOF`,
      `cd a || apply_patch <<'EOF'\n${body}\nEOF`,
      `apply_patch --flag <<'EOF'\n${body}\nEOF`,
      `apply_patch <<'EOF' && rm x\n${body}\nEOF`,
    ]) assert.equal(read(command), undefined, command);
  });
});
