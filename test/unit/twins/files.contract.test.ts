import assert from 'node:assert/strict';
import { join } from 'node:path';
import { nodeFiles, type Files } from '../../../src/core/base/files.ts';
import { systemCode } from '../../../src/core/base/errors.ts';
import { scratchDirectory } from '../../support/scratch.ts';
import { MemoryFiles } from '../../twins/memoryFiles.ts';

/** Does many things with the port, and tells what each gave: results and error codes, never times or inodes. */
function play(files: Files, top: string): readonly unknown[] {
  const story: unknown[] = [];
  const path = (name: string): string => join(top, name);
  const tell = (what: string, work: () => unknown): void => {
    try {
      story.push([what, work() ?? 'done']);
    } catch (error) {
      story.push([what, systemCode(error)]);
    }
  };
  const look = (name: string) => {
    const stat = files.stat(path(name));
    return stat === undefined ? 'nothing' : `${stat.kind} ${stat.kind === 'file' ? `${stat.size} ${stat.mode.toString(8)} ${stat.links}` : ''}`;
  };
  const text = (name: string): string => Buffer.from(files.read(path(name))).toString('utf8');
  const write = (name: string, bytes: string, flag: 'create' | 'append' | 'update', position = 0): void => {
    const file = files.open(path(name), flag, 0o600);
    file.write(Buffer.from(bytes), position);
    file.sync();
    file.close();
  };

  tell('create', () => write('a', 'hello', 'create'));
  tell('create again', () => write('a', 'x', 'create'));
  tell('update in the middle', () => write('a', 'LP', 'update', 3));
  tell('read', () => text('a'));
  tell('write past the end', () => write('a', '!', 'update', 7));
  tell('zeros between', () => text('a'));
  tell('append', () => write('a', '++', 'append', 0));
  tell('read part', () => Buffer.from(files.readAt(path('a'), 6, 100)).toString('utf8'));
  tell('update what is not there', () => write('none', 'x', 'update'));
  tell('append what is not there', () => write('log', 'x', 'append'));
  tell('read what is not there', () => text('none'));
  tell('make a folder', () => files.makeDirectory(path('d'), 0o755));
  tell('make it again', () => files.makeDirectory(path('d'), 0o755));
  tell('make one without its parent', () => files.makeDirectory(path('x/y'), 0o755));
  tell('read a folder', () => text('d'));
  tell('remove a folder as a file', () => files.stat(path('d'))?.kind === 'directory' && files.remove(path('none')));
  tell('put into it', () => write('d/f', 'f', 'create'));
  tell('may be written', () => files.mustBeWritable(path('d')));
  tell('may not be written', () => files.mustBeWritable(path('x')));
  tell('remove a full folder', () => files.removeDirectory(path('d')));
  tell('list', () => [...files.readDirectory(path('.'))].sort());
  tell('below a file', () => look('a/b'));
  tell('hard link', () => files.hardLink(path('a'), path('b')));
  tell('two names', () => [look('a'), look('b')]);
  tell('hard link over', () => files.hardLink(path('log'), path('b')));
  tell('rename over', () => files.rename(path('log'), path('b')));
  tell('one name', () => [look('a'), text('b'), look('log')]);
  tell('symbolic link', () => files.symbolicLink('d/f', path('l')));
  tell('look at it', () => [look('l'), files.readLink(path('l')), text('l')]);
  tell('its real path', () => files.realPath(path('l')) === path('d/f'));
  tell('a link to a folder', () => files.symbolicLink('d', path('e')));
  tell('through it', () => [look('e/f'), text('e/f'), files.realPath(path('e/f')) === path('d/f')]);
  tell('write through it', () => write('e/g', 'g', 'create'));
  tell('dangling', () => files.symbolicLink('nowhere', path('n')));
  tell('its real path', () => files.realPath(path('n')));
  tell('circle', () => [files.symbolicLink('q', path('p')), files.symbolicLink('p', path('q'))]);
  tell('its real path', () => files.realPath(path('p')));
  tell('look at it', () => look('p'));
  tell('read it', () => text('p'));
  tell('mode', () => [files.setMode(path('a'), 0o640), look('a')]);
  tell('not a link', () => files.readLink(path('a')));
  tell('remove a link', () => [files.remove(path('l')), look('l'), look('d/f')]);
  tell('remove twice', () => files.remove(path('l')));
  tell('remove folder', () => [files.remove(path('d/f')), files.remove(path('d/g')), files.removeDirectory(path('d')), look('d')]);
  tell('rename nothing', () => files.rename(path('none'), path('other')));
  tell('truncate', () => {
    const file = files.open(path('a'), 'update', 0o600);
    file.truncate(2);
    const size = file.size();
    file.close();
    return [size, text('a')];
  });
  return story;
}

describe('files in memory', () => {
  it('behave as the real ones', function () {
    if (process.platform === 'win32') this.skip();
    const memory = new MemoryFiles();
    memory.folder('/top');
    assert.deepEqual(play(memory, '/top'), play(nodeFiles, scratchDirectory('contract')));
  });
});
