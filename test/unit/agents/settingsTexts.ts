import fc from 'fast-check';

/** Any JSON value, with the readonly off: tests change what they generated. */
export type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** A settings file that a user could have: what it says, and how it is written down. */
export interface SettingsText {
  readonly value: { [key: string]: Value };
  readonly text: string;
  /** Whether `JSON.parse` can read it: no comments, no trailing commas, no byte order mark. */
  readonly strict: boolean;
}

export const events = ['PreToolUse', 'PostToolUse', 'Stop'] as const;

const trickyText = fc.constantFrom('// no comment', '/* nor this */', 'a "quote" \\', '{,]', '\u2028', '', '$HOME', 'turnstone hook claude-code Stop');
const scalar = fc.oneof<fc.Arbitrary<Value>[]>(fc.integer(), fc.boolean(), fc.constant(null), trickyText, fc.string());
const key = fc
  .oneof(fc.constantFrom('permissions', 'env', 'model', 'hook', 'Hooks', '//'), fc.string())
  .filter(name => name !== '__proto__' && name !== 'hooks');
const anything = fc.oneof<fc.Arbitrary<Value>[]>(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(key, fc.oneof<fc.Arbitrary<Value>[]>(scalar, fc.array(scalar, { maxLength: 2 })), { maxKeys: 3, noNullPrototype: true }),
);

const command = fc.oneof(trickyText, fc.string());
const handler = fc.oneof<fc.Arbitrary<Value>[]>(
  command.map(text => ({ type: 'command', command: text })),
  command.map(text => ({ type: 'command', command: text, timeout: 5, async: true })),
  fc.constant({ type: 'http', url: 'http://localhost:1/' }),
  trickyText.map(prompt => ({ type: 'prompt', prompt })),
);
const handlers = fc.array(handler, { maxLength: 3 });
const group = fc.oneof<fc.Arbitrary<Value>[]>(
  fc.tuple(fc.constantFrom('', '*', 'Edit|Write'), handlers).map(([matcher, list]) => ({ matcher, hooks: list })),
  handlers.map(list => ({ hooks: list })),
  handlers.map(list => ({ hooks: list })),
  handler,
  scalar,
);
const groups: fc.Arbitrary<Value> = fc.array(group, { maxLength: 3 });
const eventName = fc.constantFrom(...events, 'Notification');
const hooks: fc.Arbitrary<Value> = fc.dictionary(eventName, groups, { maxKeys: 3, noNullPrototype: true });

const value = fc
  .tuple(fc.dictionary(key, anything, { maxKeys: 3, noNullPrototype: true }), fc.option(hooks, { freq: 4, nil: undefined }), fc.nat(3))
  .map(([rest, own, place]) => {
    const members = Object.entries(rest);
    if (own !== undefined) members.splice(Math.min(place, members.length), 0, ['hooks', own]);
    return Object.fromEntries<Value>(members);
  });

const format = fc.record({
  manner: fc.constantFrom('pretty', 'line', 'minified', 'wild', 'commented'),
  unit: fc.constantFrom('  ', '    ', '\t', ''),
  lineEnd: fc.constantFrom('\n', '\r\n', 'mixed'),
  mark: fc.constantFrom('', '', '\uFEFF'),
  before: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n', ' \n'),
  seed: fc.integer(),
});

type Format = typeof format extends fc.Arbitrary<infer T> ? T : never;

export const settingsText: fc.Arbitrary<SettingsText> = fc.tuple(value, format).map(([content, manner]) => write(content, manner));

function write(content: { [key: string]: Value }, { manner, unit, lineEnd, mark, before, end, seed }: Format): SettingsText {
  const commented = manner === 'commented';
  const random = randomFrom(seed);
  let comments = 0;

  const noise = (pretty: string): string => {
    if (manner === 'pretty') return pretty;
    if (manner === 'minified') return '';
    if (manner === 'line') return pretty.includes('\n') || pretty === ' ' ? ' ' : '';
    const parts = ['', ' ', '\n', '\n\t', '  ', pretty, pretty];
    if (commented) parts.push(` /* ${++comments} ", } */`, ` // ${++comments} ] " ,\n`, `\n// ${++comments}\n\n`);
    return (parts[random(parts.length)] ?? '') + (random(6) === 0 ? ' ' : '');
  };
  const list = (open: string, items: readonly string[], close: string, depth: number): string => {
    if (items.length === 0) return open + (manner === 'wild' || commented ? noise('') : '') + close;
    const inner = `\n${unit.repeat(depth + 1)}`;
    const trailing = commented && random(3) === 0 ? ',' + noise('') : '';
    const inside = items.map(item => noise(inner) + item + noise('')).join(',');
    return open + inside + trailing + noise(`\n${unit.repeat(depth)}`) + close;
  };
  const render = (part: Value, depth: number): string => {
    if (Array.isArray(part)) return list('[', part.map(item => render(item, depth + 1)), ']', depth);
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    const member = ([name, of]: [string, Value]) => `${JSON.stringify(name)}${noise('')}:${noise(' ')}${render(of, depth + 1)}`;
    return list('{', Object.entries(part).map(member), '}', depth);
  };

  const newline = () => (lineEnd !== 'mixed' ? lineEnd : random(2) === 0 ? '\n' : '\r\n');
  const text = (before ? noise('') : '') + render(content, 0) + end + (commented ? noise('') : '');
  return { value: content, text: mark + text.replaceAll('\n', newline), strict: !commented && mark === '' };
}

/** A small generator for the noise: a property must see the same text again when it shrinks. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0;
  return below => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** Whether `part` is what is left of `whole` when some ranges are cut out. */
export function isCutFrom(part: string, whole: string): boolean {
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at) + character.length;
    if (at < character.length) return false;
  }
  return true;
}
