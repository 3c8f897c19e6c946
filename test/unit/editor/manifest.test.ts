import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureBounds, defaultCaptureSettings } from '../../../src/core/capture/captureSettings.ts';
import { captureSettingIds, commandIds, contextKeys, mcpProviderId, settingIds, settingSection, viewIds } from '../../../src/editor/ids.ts';
import { tools } from '../../../src/tools/catalog.ts';
import { jsonSchemaOf } from '../../../src/tools/toolInputs.ts';
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
    readonly languageModelTools: readonly { readonly name: string; readonly modelDescription: string; readonly inputSchema: unknown; readonly when?: string; readonly displayName: string }[];
    readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default: unknown; readonly scope: string; readonly minimum?: number; readonly maximum?: number }>> };
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

  it('contributes exactly the tools that there are, as they are, and those that write only where the user wants them', () => {
    const { languageModelTools, mcpServerDefinitionProviders } = manifest.contributes;
    const contributed = languageModelTools.map(({ name, modelDescription, inputSchema, when, displayName }) => ({ name, modelDescription, inputSchema, when, title: words[displayName.slice(1, -1)] }));
    const off = `config.${settingSection}.${settingIds.writeTools}`;
    assert.deepEqual(contributed, tools.map(({ name, title, description, writes, input }) => ({ name, modelDescription: description, inputSchema: jsonSchemaOf(input), when: writes ? off : undefined, title })));
    assert.deepEqual(mcpServerDefinitionProviders.map(({ id }) => id), [mcpProviderId]);
  });

  it('has the settings that the code asks for, all switches off, and none that a workspace could switch on', () => {
    const { properties } = manifest.contributes.configuration;
    assert.deepEqual(Object.keys(properties).sort(), [...Object.values(settingIds), ...Object.values(captureSettingIds)].map(name => `${settingSection}.${name}`).sort());
    for (const name of Object.values(settingIds)) assert.deepEqual([properties[`${settingSection}.${name}`]?.default, properties[`${settingSection}.${name}`]?.scope], [false, 'machine'], name);
  });

  it('has the limits with the defaults and bounds that the code has, which are the machine\'s, and patterns that a workspace may add', () => {
    const { properties } = manifest.contributes.configuration;
    const units = { maxFileSize: 1024 * 1024, lookBudget: 1, copyLimit: 1024 * 1024 };
    for (const [name, unit] of Object.entries(units) as [keyof typeof units, number][]) {
      const { default: value, scope, minimum = 0, maximum = 0 } = properties[`${settingSection}.${captureSettingIds[name]}`] ?? assert.fail(name);
      assert.deepEqual([Number(value) * unit, minimum * unit, maximum * unit, scope], [defaultCaptureSettings[name], ...captureBounds[name], 'machine'], name);
    }
    const exclude = properties[`${settingSection}.${captureSettingIds.exclude}`];
    assert.deepEqual([exclude?.default, exclude?.scope], [[], 'resource']);
  });

  it('says every text that it names', () => {
    for (const [, key] of text('package.json').matchAll(/"%([\w.]+)%"/g)) assert.ok(words[key ?? ''], key);
    const named = new Set([...text('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    for (const key of Object.keys(words)) assert.ok(named.has(key), `${key} is said nowhere`);
  });
});
