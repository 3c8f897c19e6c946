import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/core/base/digest.ts';
import { observe } from '../../../../src/core/snapshot/observe.ts';
import { sameContent, sameState, type State } from '../../../../src/core/snapshot/state.ts';
import { faultyFiles, whenever } from '../../../twins/faultyFiles.ts';
import { MemoryFiles } from '../../../twins/memoryFiles.ts';

function content(text: string, mode = 0o644): State {
  return { kind: 'content', hash: sha256(Buffer.from(text)), mode, size: text.length };
}

describe('observing a path', () => {
  it('tells what is there, and never one thing for another', () => {
    const files = new MemoryFiles();
    files.put('/a', 'text', 0o600);
    files.symbolicLink('a', '/l');
    files.folder('/d');
    assert.deepEqual(['/a', '/l', '/d', '/none', '/a/below'].map(path => observe(files, path).state), [
      content('text', 0o600),
      { kind: 'link', target: 'a' },
      { kind: 'directory', mode: 0o755 },
      { kind: 'absent' },
      { kind: 'absent' },
    ]);
  });

  it('tells a large file by its hash and keeps none of its bytes', () => {
    const files = new MemoryFiles();
    files.put('/a', 'too large');
    const observation = observe(files, '/a', 4);
    assert.deepEqual(observation, { state: { kind: 'oversize', hash: sha256(Buffer.from('too large')), mode: 0o644, size: 9 } });
  });

  it('says that it can\'t read, not that nothing is there', () => {
    const files = new MemoryFiles();
    files.put('/a', 'text');
    for (const method of ['stat', 'read']) {
      const { state } = observe(faultyFiles(files, whenever(method, /a$/, { kind: 'error', code: 'EACCES' })), '/a');
      assert.deepEqual(state, { kind: 'unreadable', reason: 'EACCES' });
    }
  });

  it('reads a file again that is being written', () => {
    const files = new MemoryFiles();
    files.put('/a', 'half');
    let reads = 0;
    const slow = faultyFiles(files, ({ method }) => {
      // The writer goes on between the read and the look after it.
      if (method === 'stat' && reads === 1) files.put('/a', 'whole');
      if (method === 'read') reads += 1;
      return undefined;
    });
    const { state, bytes } = observe(slow, '/a');
    assert.deepEqual([state, Buffer.from(bytes as Uint8Array).toString()], [content('whole'), 'whole']);
  });

  it('reads a file that goes away just before it is read as absent', () => {
    const files = new MemoryFiles();
    files.put('/a', 'x');
    const gone = faultyFiles(files, ({ method }) => {
      if (method === 'read') files.remove('/a');
      return undefined;
    });
    assert.deepEqual(observe(gone, '/a'), { state: { kind: 'absent' } });
  });

  it('reads a file that goes away meanwhile as absent', () => {
    const files = new MemoryFiles();
    files.put('/a', 'x');
    const gone = faultyFiles(files, ({ method, index }) => {
      if (method === 'stat' && index > 0 && files.stat('/a') !== undefined) files.remove('/a');
      return undefined;
    });
    assert.deepEqual(observe(gone, '/a').state, { kind: 'absent' });
  });
});

describe('states', () => {
  const link: State = { kind: 'link', target: 'a' };
  const unreadable: State = { kind: 'unreadable', reason: 'EIO' };
  const cases: readonly (readonly [State, State, boolean])[] = [
    [content('a'), content('a', 0o755), true],
    [content('a'), content('b'), false],
    [content('a'), { ...content('a'), kind: 'oversize' } as State, true],
    [content(''), { kind: 'absent' }, false],
    [link, { kind: 'link', target: 'b' }, false],
    [link, link, true],
    [{ kind: 'absent' }, { kind: 'absent' }, true],
    [{ kind: 'directory', mode: 0o755 }, { kind: 'absent' }, true],
    [{ kind: 'directory', mode: 0o755 }, content(''), false],
    [unreadable, unreadable, false],
    [{ kind: 'special' }, { kind: 'special' }, false],
    [unreadable, { kind: 'absent' }, false],
  ];
  for (const [a, b, same] of cases) {
    it(`${a.kind} and ${b.kind} are ${same ? 'the same' : 'not the same'} content`, () => assert.deepEqual([sameContent(a, b), sameContent(b, a)], [same, same]));
  }

  it('differ by permissions only as states', () => assert.equal(sameState(content('a'), content('a', 0o755)), false));
});
