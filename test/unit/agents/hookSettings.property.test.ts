import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdits, modify, parse, type ParseError } from 'jsonc-parser';
import { hookCommand, isTurnstoneCommand } from '../../../src/agents/hookCommand.ts';
import { addHooks, listHooks, removeHooks, type HookEdit, type HookEntry } from '../../../src/agents/hookSettings.ts';
import { events, isCutFrom, settingsText, type Value } from './settingsTexts.ts';

const seed = Number(process.env['TURNSTONE_SEED'] ?? Date.now() % 2 ** 31);
const runs = { seed, numRuns: Number(process.env['TURNSTONE_RUNS'] ?? 2000) };

const entries = (home: string): HookEntry[] =>
  events.map(event => ({ event, command: hookCommand(`${home}/bin/turnstone`, 'claude-code', event, 'linux'), timeout: 30 }));
const ours = entries('/home/a b');

describe(`hook settings: any file (TURNSTONE_SEED=${seed})`, function () {
  this.timeout(120_000);

  it('adding inserts, says what it should, and hides nothing of the user', () => {
    fc.assert(
      fc.property(settingsText, ({ text, value, strict }) => {
        const added = changed(addHooks(text, ours));
        assert.ok(isCutFrom(text, added));
        assert.deepEqual(strict ? JSON.parse(added) : read(added), withGroups(value));
        assert.deepEqual(listHooks(added).length, ours.length);
      }),
      runs,
    );
  });

  it('adding twice is adding once', () => {
    fc.assert(fc.property(settingsText, ({ text }) => {
      assert.deepEqual(addHooks(changed(addHooks(text, ours)), ours), { kind: 'unchanged' });
    }), runs);
  });

  it('removing gives back every byte, after an update of the commands too', () => {
    fc.assert(fc.property(settingsText, fc.boolean(), ({ text }, updated) => {
      const added = changed(addHooks(text, updated ? entries('/old') : ours));
      const current = updated ? changed(addHooks(added, ours)) : added;
      assert.equal(changed(removeHooks(current)), text);
    }), runs);
  });

  it('an update changes nothing but the commands', () => {
    fc.assert(fc.property(settingsText, ({ text }) => {
      const updated = changed(addHooks(changed(addHooks(text, entries('/old'))), ours));
      assert.equal(updated, changed(addHooks(text, ours)));
    }), runs);
  });

  it('a file without hooks of ours is left alone', () => {
    fc.assert(fc.property(settingsText, ({ text }) => {
      assert.deepEqual(removeHooks(text), { kind: 'unchanged' });
    }), runs);
  });

  it('after edits of the user, removing takes only ours', () => {
    const edit = fc.record({ place: fc.nat(6), event: fc.constantFrom(...events), first: fc.boolean() });
    fc.assert(
      fc.property(settingsText, fc.array(edit, { minLength: 1, maxLength: 4 }), ({ text }, edits) => {
        const edited = edits.reduce(userEdit, changed(addHooks(text, ours)));
        const before = read(edited);
        const removed = changed(removeHooks(edited));
        assert.ok(isCutFrom(removed, edited));
        assert.deepEqual(comments(removed), comments(edited));
        assert.deepEqual(listHooks(removed), []);
        assert.deepEqual(withoutEmpty(read(removed)), withoutEmpty(withoutOurs(before)));
      }),
      runs,
    );
  });
});

function changed(edit: HookEdit): string {
  assert.equal(edit.kind, 'changed', JSON.stringify(edit));
  return edit.kind === 'changed' ? edit.text : '';
}

function read(text: string): { [key: string]: Value } {
  const errors: ParseError[] = [];
  const value = parse(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true }) as { [key: string]: Value };
  assert.deepEqual(errors, []);
  return value;
}

function withGroups(value: { [key: string]: Value }): unknown {
  const hooks = { ...(value['hooks'] as Record<string, Value[]> | undefined) };
  for (const { event, command, timeout } of ours) {
    hooks[event] = [...(hooks[event] ?? []), { hooks: [{ type: 'command', command, timeout }] }];
  }
  return { ...value, hooks };
}

const isOurs = (handler: Value) => {
  const command = typeof handler === 'object' && handler !== null && !Array.isArray(handler) ? handler['command'] : undefined;
  return typeof command === 'string' && isTurnstoneCommand(command);
};

/** What should be left, on values: our handlers gone, and a group too if that emptied it. */
function withoutOurs(value: { [key: string]: Value }): { [key: string]: Value } {
  const hooks: { [key: string]: Value } = {};
  for (const [event, groups] of Object.entries(value['hooks'] ?? {})) {
    hooks[event] = (groups as Value[]).flatMap(group => {
      if (typeof group !== 'object' || group === null || Array.isArray(group) || !Array.isArray(group['hooks'])) return [group];
      if (!group['hooks'].some(isOurs)) return [group];
      const left = group['hooks'].filter(handler => !isOurs(handler));
      return left.length === 0 ? [] : [{ ...group, hooks: left }];
    });
  }
  return { ...value, hooks };
}

/** Whether an emptied event was there before us, or holds a comment, can't be seen in the value, only in the bytes. */
function withoutEmpty(value: { [key: string]: Value }): { [key: string]: Value } {
  const { hooks = {}, ...rest } = value;
  const filled = Object.entries(hooks as Record<string, Value[]>)
    .map(([event, groups]) => [event, groups.filter(group => JSON.stringify(group) !== '{"hooks":[]}')] as const)
    .filter(([, groups]) => groups.length > 0);
  return filled.length === 0 ? rest : { ...rest, hooks: Object.fromEntries<Value>(filled) };
}

interface UserEdit {
  readonly place: number;
  readonly event: string;
  readonly first: boolean;
}

/** Something a user, or another tool, does to the file while our hooks are in it. */
function userEdit(text: string, { place, event, first }: UserEdit): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const body = text.slice(mark.length);
  const groups = (read(text)['hooks'] as Record<string, Value[]>)[event] ?? [];
  const own = groups.findIndex(group => JSON.stringify(group).includes('/bin/turnstone'));
  const theirs = { type: 'command', command: 'theirs' };
  const handlers = (path: (string | number)[], value: unknown) => {
    const options = { isArrayInsertion: value !== undefined, formattingOptions: { insertSpaces: true, tabSize: 2 } };
    return mark + applyEdits(body, modify(body, path, value, options));
  };
  if (place === 0) return handlers(['hooks', event, first ? 0 : groups.length], { matcher: 'X', hooks: [theirs] });
  if (place === 1 && own >= 0) return handlers(['hooks', event, own, 'hooks', first ? 0 : 1], theirs);
  if (place === 2) return handlers([first ? 'model' : 'new'], 'theirs');
  if (place === 3) return handlers(['hooks', 'SessionEnd'], [{ hooks: [theirs] }]);
  if (place === 4) return text.replace(/\{/, '{ /* theirs */');
  if (place === 5) return text.replaceAll('"hooks": [', '"hooks": [ // theirs\n');
  return text.replaceAll('"type": "command"', '"type" : "command"');
}

function comments(text: string): readonly string[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\//g) ?? []).filter(token => token.startsWith('/'));
}
