import assert from 'node:assert/strict';
import { MemoryFiles } from '../../twins/memoryFiles.ts';
import { outage, outageKinds, sector, type OutageKind } from '../../twins/outage.ts';
import { SeededRandom } from '../../twins/random.ts';

const seeds = 200;

/** Everything that power failures of a kind can leave of what was prepared. */
function outcomes(kinds: readonly OutageKind[], prepare: (files: MemoryFiles) => void, look: (files: MemoryFiles) => string): ReadonlySet<string> {
  const files = new MemoryFiles();
  files.folder('/top');
  files.settleBelow('/');
  prepare(files);
  const seen = new Set<string>();
  for (const kind of kinds) {
    for (let seed = 0; seed < seeds; seed += 1) {
      const copy = files.copy();
      copy.powerFailure(outage(kind, new SeededRandom(seed)));
      seen.add(look(copy));
    }
  }
  return seen;
}

function write(files: MemoryFiles, path: string, ...writes: readonly (readonly [number, string])[]): ReturnType<MemoryFiles['open']> {
  const file = files.open(path, files.stat(path) === undefined ? 'create' : 'update', 0o644);
  for (const [position, text] of writes) file.write(Buffer.from(text), position);
  return file;
}

function text(files: MemoryFiles, path: string): string {
  return files.stat(path) === undefined ? 'nothing' : files.text(path);
}

describe('a power failure in memory', () => {
  it('leaves what was synced, bytes and name, whatever kind it is', () => {
    const left = outcomes(
      outageKinds,
      files => {
        write(files, '/top/a', [0, 'synced']).sync();
        files.syncDirectory('/top');
      },
      files => text(files, '/top/a'),
    );
    assert.deepEqual(left, new Set(['synced']));
  });

  it('takes a file whose bytes were synced and whose name was not, or leaves it whole', () => {
    assert.deepEqual(outcomes(outageKinds, files => write(files, '/top/a', [0, 'synced']).syncData(), files => text(files, '/top/a')), new Set(['nothing', 'synced']));
  });

  it('may leave a name without the bytes', () => {
    const prepare = (files: MemoryFiles): void => {
      write(files, '/top/a', [0, 'bytes']);
      files.syncDirectory('/top');
    };
    assert.deepEqual(outcomes(['names only', 'lost'], prepare, files => text(files, '/top/a')), new Set(['']));
    assert.deepEqual(outcomes(['zero-filled'], prepare, files => text(files, '/top/a')), new Set(['\0'.repeat(5)]));
  });

  it('may keep the later of two writes and lose the earlier one, in one file and in two', () => {
    const one = outcomes(['reordered'], files => {
      write(files, '/top/a', [0, 'aa']).sync();
      files.syncDirectory('/top');
      write(files, '/top/a', [0, 'bb'], [2, 'cc']);
    }, files => text(files, '/top/a'));
    assert.deepEqual(one, new Set(['aa', 'bb', 'aacc', 'bbcc']));
    const two = outcomes(['reordered'], files => {
      write(files, '/top/a').sync();
      write(files, '/top/b').sync();
      files.syncDirectory('/top');
      write(files, '/top/a', [0, 'a']);
      write(files, '/top/b', [0, 'b']);
    }, files => text(files, '/top/a') + text(files, '/top/b'));
    assert.deepEqual(two, new Set(['', 'a', 'b', 'ab']));
  });

  it('tears a write at any byte, at sectors, and leaves sectors out of its beginning and middle', () => {
    const [old, fresh] = ['o'.repeat(3 * sector), 'f'.repeat(3 * sector)];
    const left = outcomes(['torn'], files => {
      write(files, '/top/a', [0, old]).sync();
      files.syncDirectory('/top');
      write(files, '/top/a', [0, fresh]);
    }, files => text(files, '/top/a'));
    const sectors = [...left].map(file => [0, 1, 2].map(index => file.slice(index * sector, (index + 1) * sector)).map(part => (/^o+$/.test(part) ? 'o' : /^f+$/.test(part) ? 'f' : 'x')).join(''));
    for (const pattern of ['foo', 'ffo', 'oof', 'ofo', 'off', 'fof']) assert.ok(sectors.includes(pattern), pattern);
    assert.ok([...left].some(file => file.indexOf('o') % sector !== 0), 'cut inside a sector');
    assert.ok([...left].every(file => file.length === old.length));
  });

  it('leaves the size of a torn write or not', () => {
    const left = outcomes(['torn'], files => {
      write(files, '/top/a');
      files.syncDirectory('/top');
      write(files, '/top/a', [0, 'f'.repeat(10)]);
    }, files => text(files, '/top/a'));
    assert.ok(left.has('fff') && left.has('fff' + '\0'.repeat(7)), [...left].join());
  });

  it('takes a rename as a whole or not at all, each name for itself, and counts links anew', () => {
    const prepare = (files: MemoryFiles): void => {
      write(files, '/top/old', [0, 'old']).sync();
      files.syncDirectory('/top');
      write(files, '/top/new', [0, 'new']).sync();
      files.rename('/top/new', '/top/old');
      files.hardLink('/top/old', '/top/twin');
    };
    const left = outcomes(['reordered'], prepare, files => ['old', 'new', 'twin'].map(name => `${text(files, `/top/${name}`)} ${files.stat(`/top/${name}`)?.links ?? 0}`).join(', '));
    assert.deepEqual(
      left,
      new Set(['old 1, nothing 0, nothing 0', 'old 1, new 1, nothing 0', 'old 1, new 2, new 2', 'old 1, nothing 0, new 1', 'new 1, nothing 0, nothing 0', 'new 2, nothing 0, new 2']),
    );
  });

  it('takes permissions that only the data was synced after', () => {
    const prepare = (files: MemoryFiles, all: boolean): void => {
      write(files, '/top/a', [0, 'a']).sync();
      files.syncDirectory('/top');
      files.setMode('/top/a', 0o755);
      const file = write(files, '/top/a');
      if (all) file.sync();
      else file.syncData();
    };
    const mode = (files: MemoryFiles): string => (files.stat('/top/a')?.mode ?? 0).toString(8);
    assert.deepEqual(outcomes(outageKinds, files => prepare(files, false), mode), new Set(['644', '755']));
    assert.deepEqual(outcomes(outageKinds, files => prepare(files, true), mode), new Set(['755']));
  });

  it('takes what a failed sync made the system forget, even after the next sync', () => {
    for (const how of ['shown', 'dropped'] as const) {
      const prepare = (files: MemoryFiles): void => {
        write(files, '/top/a', [0, 'old']).sync();
        files.syncDirectory('/top');
        const file = write(files, '/top/a', [0, 'new']);
        file.forgetUnsynced(how);
        assert.equal(text(files, '/top/a'), how === 'shown' ? 'new' : 'old');
        file.sync();
        write(files, '/top/b').sync();
        files.forgetNames('/top', how);
        assert.equal(text(files, '/top/b'), how === 'shown' ? '' : 'nothing');
        files.syncDirectory('/top');
      };
      assert.deepEqual(outcomes(outageKinds, prepare, files => text(files, '/top/a') + text(files, '/top/b')), new Set(['oldnothing']));
    }
  });

  it('is the same for the same seed, and one disk is not touched by that of its copy', () => {
    const files = new MemoryFiles();
    files.folder('/top');
    for (let index = 0; index < 20; index += 1) write(files, `/top/${index}`, [0, 'x'.repeat(1000)]);
    const names = files.readDirectory('/top');
    const left = [1, 1, 2].map(seed => {
      const copy = files.copy();
      copy.powerFailure(outage('mixed', new SeededRandom(seed)));
      return copy.readDirectory('/top').map(name => [name, copy.text(`/top/${name}`)]);
    });
    assert.deepEqual(left[0], left[1]);
    assert.notDeepEqual(left[0], left[2]);
    assert.deepEqual(files.readDirectory('/top'), names);
  });
});
