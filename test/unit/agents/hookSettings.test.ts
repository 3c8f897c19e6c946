import assert from 'node:assert/strict';
import { hookCommand } from '../../../src/agents/hookCommand.ts';
import { addHooks, listHooks, removeHooks, type HookEdit } from '../../../src/agents/hookSettings.ts';

const command = (home: string, event = 'Stop') => hookCommand(`${home}/bin/turnstone`, 'claude-code', event, 'linux');
const entry = { event: 'Stop', command: command('/new'), timeout: 30 };
const handler = (of = entry.command) => `{ "type": "command", "command": ${JSON.stringify(of)}, "timeout": 30 }`;
const theirs = '{ "type": "command", "command": "theirs" }';

describe('hook settings: adding', () => {
  it('writes a fresh file, and empties it again', () => {
    const written = text(addHooks(undefined, [entry]));
    assert.equal(written, `${JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: entry.command, timeout: 30 }] }] } }, null, 2)}\n`);
    assert.deepEqual(addHooks(' \n', [entry]), { kind: 'changed', text: written, otherContent: false });
    assert.deepEqual(removeHooks(written), { kind: 'changed', text: '{}\n', otherContent: false });
  });

  it('keeps byte order mark and line ends of a blank file', () => {
    assert.match(text(addHooks('\uFEFF\r\n', [entry])), /^\uFEFF\{\r\n {2}"hooks": \{\r\n[^]*\r\n\}\r\n$/);
  });

  it('changes nothing when there is nothing to add', () => {
    assert.deepEqual(addHooks(undefined, []), { kind: 'unchanged' });
  });

  const manners: readonly [what: string, before: string, after: string][] = [
    ['tabs and a comment behind the last line', '{\n\t"a": 1 // c\n}', `{\n\t"a": 1, // c\n\t"hooks": ${tall('\t', 1)}\n}`],
    ['four spaces, CRLF', '{\r\n    "a": 1\r\n}\r\n', `{\r\n    "a": 1,\r\n    "hooks": ${tall('    ', 1).replaceAll('\n', '\r\n')}\r\n}\r\n`],
    ['a trailing comma', '{\n  "a": 1,\n}', `{\n  "a": 1,\n  "hooks": ${tall('  ', 1)},\n}`],
    ['one line', '{"a":1}', `{"a":1, "hooks": { "Stop": [ { "hooks": [ ${handler()} ] } ] }}`],
    ['an empty event', '{"hooks":{"Stop":[]}}', `{"hooks":{"Stop":[{ "hooks": [ ${handler()} ] }]}}`],
    ['a group of the user', `{"hooks":{"Stop":[{"hooks":[${theirs}]}]}}`, `{"hooks":{"Stop":[{"hooks":[${theirs}]}, { "hooks": [ ${handler()} ] }]}}`],
  ];
  for (const [what, before, after] of manners) {
    it(`follows the file: ${what}`, () => {
      assert.equal(text(addHooks(before, [entry])), after);
      assert.deepEqual(removeHooks(after), { kind: 'changed', text: before, otherContent: true });
    });
  }

  const refusals: readonly [before: string, reason: RegExp][] = [
    ['{ "a": 1', /not valid JSON \(line 1, column 9: CloseBraceExpected\)\. Nothing was changed/],
    ['{\n  "a" 1\n}', /line 2, column 7/],
    ['// only a comment', /not valid JSON/],
    ['{} {}', /not valid JSON/],
    ['[]', /holds an array where an object/],
    ['{"hooks": []}', /"hooks" in the settings file is an array/],
    ['{"hooks": null}', /"hooks" in the settings file is null/],
    ['{"hooks": {"Stop": "x"}}', /"hooks\.Stop" in the settings file is a string/],
    ['{"hooks": {}, "hooks": {}}', /"hooks" more than once/],
    ['{"hooks": {"Stop": [], "Stop": []}}', /"Stop" more than once/],
  ];
  for (const [before, reason] of refusals) {
    it(`refuses ${JSON.stringify(before)}`, () => {
      const edit = addHooks(before, [entry]);
      assert.match(edit.kind === 'refused' ? edit.reason : edit.kind, reason);
    });
  }
});

describe('hook settings: an older hook of ours', () => {
  const old = command('/old');
  const updates: readonly [what: string, before: string, after: string][] = [
    ['another place', `[ {"hooks":[${handler(old)}]}, 1 ]`, `[ {"hooks":[${handler()}]}, 1 ]`],
    ['beside a handler of the user', `[{"hooks":[${theirs}, ${handler(old)}]}]`, `[{"hooks":[${theirs}, ${handler()}]}]`],
    ['a matcher', `[{"matcher":"Edit", "hooks":[${handler(old)}]}]`, `[{ "hooks":[${handler()}]}]`],
    ['no timeout, a stray member', `[{"hooks":[{"async": true, "command":"${old}"}]}]`, `[{"hooks":[{ "command":"${entry.command}", "type": "command", "timeout": 30}]}]`],
    ['twice', `[{"hooks":[${handler(old)}]}, {"hooks":[${handler(old)}]}]`, `[{"hooks":[${handler()}]}]`],
    ['under a matcher of the user', `[{"matcher":"Edit","hooks":[${handler(old)},${theirs}]}]`, `[{"matcher":"Edit","hooks":[${theirs}]}, { "hooks": [ ${handler()} ] }]`],
    ['in no group', `[${handler(old)}, 1]`, `[ 1, { "hooks": [ ${handler()} ] }]`],
  ];
  for (const [what, before, after] of updates) {
    it(`is updated where it is: ${what}`, () => {
      const updated = text(addHooks(`{"hooks":{"Stop":${before}}}`, [entry]));
      assert.equal(updated, `{"hooks":{"Stop":${after}}}`);
      assert.deepEqual(addHooks(updated, [entry]), { kind: 'unchanged' });
    });
  }
});

describe('hook settings: removing', () => {
  const removals: readonly [what: string, before: string, after: string][] = [
    ['only ours of a group', `{"hooks":{"Stop":[{"matcher":"x","hooks":[${handler()}, ${theirs}]}]}}`, `{"hooks":{"Stop":[{"matcher":"x","hooks":[ ${theirs}]}]}}`],
    ['what ours filled', `{ "a": 1, "hooks": {"Stop":[{"hooks":[${handler()}]}]} }`, '{ "a": 1 }'],
    ['not a comment', `{"hooks": {"Stop": [ /* c */ {"hooks":[${handler()}]}]}}`, '{"hooks": {"Stop": [ /* c */]}}'],
    ['not the line end of a comment', `{ // c\n"hooks": {"Stop":[{"hooks":[${handler()}]}]}, "a": 1}`, '{ // c\n "a": 1}'],
    ['ours in no group', `{"hooks": {"Stop": [${handler()}]}, "a": 1}`, '{ "a": 1}'],
  ];
  for (const [what, before, after] of removals) {
    it(`takes ${what}`, () => assert.equal(text(removeHooks(before)), after));
  }

  it('asks the caller which commands are ours', () => {
    const file = `{"hooks": {"Stop": [{"hooks": [${theirs}, ${handler()}]}]}}`;
    assert.equal(text(removeHooks(file, of => of === 'theirs')), file.replace(`${theirs},`, ''));
    assert.deepEqual(listHooks(file, of => of === 'theirs'), [{ event: 'Stop', command: 'theirs' }]);
  });

  it('leaves alone what it can not read, and says so', () => {
    assert.equal(removeHooks('{').kind, 'refused');
    assert.deepEqual(listHooks('{'), []);
    assert.deepEqual(removeHooks(undefined), { kind: 'unchanged' });
    assert.deepEqual(removeHooks('[1]'), { kind: 'unchanged' });
    assert.deepEqual(removeHooks('{"hooks": [{"Stop": 1}]}'), { kind: 'unchanged' });
  });
});

function text(edit: HookEdit): string {
  assert.equal(edit.kind, 'changed', JSON.stringify(edit));
  return edit.kind === 'changed' ? edit.text : '';
}

function tall(unit: string, depth: number): string {
  const value = { Stop: [{ hooks: [{ type: 'command', command: entry.command, timeout: 30 }] }] };
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${unit.repeat(depth)}`);
}
