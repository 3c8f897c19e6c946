import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIds, contextKeys, viewIds } from '../../../src/editor/ids.ts';
import { repositoryRoot } from '../../support/paths.ts';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category: string;
}
interface Item {
  readonly command: string;
  readonly when?: string;
}
interface Manifest {
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly Item[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly when?: string }[]>>;
    readonly viewsWelcome: readonly { readonly contents: string; readonly when: string }[];
  };
}

describe('package.json', () => {
  const text = (name: string): string => readFileSync(join(repositoryRoot, name), 'utf8');
  const manifest = JSON.parse(text('package.json')) as Manifest;
  const { commands, menus, views, viewsWelcome } = manifest.contributes;
  const words = JSON.parse(text('package.nls.json')) as Readonly<Record<string, string>>;

  it('contributes exactly the commands that the code knows', () => {
    assert.deepEqual(commands.map(({ command }) => command).sort(), Object.values(commandIds).sort());
  });

  it('contributes exactly the views that the code knows', () => {
    assert.deepEqual(Object.values(views).flat().map(({ id }) => id).sort(), Object.values(viewIds).sort());
  });

  it('puts every command into one category, with a title in title case', () => {
    for (const { title, category } of commands) {
      assert.equal(category, 'Turnstone');
      const parts = (words[title.slice(1, -1)] ?? '').split(' ');
      for (const word of parts) assert.match(word, /^(\p{Lu}.*|to|with)$/u, title);
    }
  });

  it('uses only menu commands and context keys that exist', () => {
    const known = new Set<string>(Object.values(commandIds));
    const keys = new Set<string>([...Object.values(contextKeys), ...Object.values(viewIds)]);
    for (const { command, when = '' } of Object.values(menus).flat()) {
      assert.ok(known.has(command), command);
      for (const [key] of when.matchAll(/turnstone\.\w+/g)) assert.ok(keys.has(key), when);
    }
    for (const { when } of viewsWelcome) for (const [key] of when.matchAll(/turnstone\.\w+/g)) assert.ok(keys.has(key), when);
  });

  it('says every text that it names', () => {
    for (const [, key] of text('package.json').matchAll(/"%([\w.]+)%"/g)) assert.ok(words[key ?? ''], key);
    const named = new Set([...text('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    for (const key of Object.keys(words)) assert.ok(named.has(key), `${key} is said nowhere`);
  });
});
