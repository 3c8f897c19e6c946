import { isTurnstoneCommand } from './hookCommand.ts';
import { findHooks, type IsOurs } from './hookPlaces.ts';
import { updateHook, withoutHooks } from './hookUpdate.ts';
import { appendChild, type Json } from './jsonEdit.ts';
import { memberOf, parseJson, propertiesOf, rootOf, type JsonNode } from './jsonText.ts';

/** One hook that should be there: an event of the agent, what to run, and for how long at most, in the agent's own unit. */
export interface HookEntry {
  readonly event: string;
  readonly command: string;
  readonly timeout: number;
}

/** How an agent wants its hooks written. */
export interface HookFormat {
  /** Whether an event holds its handlers, and no groups of handlers. */
  readonly isFlat: boolean;
  /** A handler of ours. */
  handler(entry: HookEntry): Readonly<Record<string, string | number>>;
  /** What a file has to hold beside hooks, before the agent reads them. */
  readonly required?: { readonly key: string; readonly value: string | number } | undefined;
}

export const groupedFormat: HookFormat = {
  isFlat: false,
  handler: ({ command, timeout }) => ({ type: 'command', command, timeout }),
};

/**
 * What became of a settings file.
 *
 * `otherContent` is about the new text: whether it holds anything but our hooks. A caller that created the
 * file can delete it when a removal leaves nothing else, which the text alone can't tell.
 */
export type HookEdit =
  | { readonly kind: 'changed'; readonly text: string; readonly otherContent: boolean }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

const byteOrderMark = '\uFEFF';

/**
 * Adds our hooks to a settings file in the format of Claude Code; all other bytes stay, in their order.
 *
 * Invariants: adding twice is adding once; `removeHooks` gives back the same bytes, except that a blank or
 * absent file becomes `{}`. An older command of ours for the same event is updated where it is. The text must
 * have been decoded without loss and with its byte order mark.
 */
export function addHooks(
  text: string | undefined,
  entries: readonly HookEntry[],
  isOurs: IsOurs = isTurnstoneCommand,
  format: HookFormat = groupedFormat,
): HookEdit {
  if (entries.length === 0) return { kind: 'unchanged' };
  const { mark, body } = splitMark(text ?? '');
  const start = body.trim() === '' ? freshText(body, format) : body;
  const problem = shapeProblem(start, entries, format);
  if (problem !== undefined) return refuse(problem);

  const commands = new Set(entries.map(entry => entry.command));
  const isOursOrNew: IsOurs = command => commands.has(command) || isOurs(command);
  const result = entries.reduce((current, entry) => addHook(current, entry, isOursOrNew, format), start);
  if (result === body) return { kind: 'unchanged' };
  return { kind: 'changed', text: mark + result, otherContent: !isBare(withoutHooks(result, isOursOrNew, format), format) };
}

/** Removes our hooks wherever they are, then whatever that emptied. Comments and everything of the user's stay. */
export function removeHooks(text: string | undefined, isOurs: IsOurs = isTurnstoneCommand, format: HookFormat = groupedFormat): HookEdit {
  const { mark, body } = splitMark(text ?? '');
  if (body.trim() === '') return { kind: 'unchanged' };
  const parsed = parseJson(body);
  if (parsed.kind === 'invalid') return refuse(`The settings file is not valid JSON (${parsed.problem}).`);
  const result = withoutHooks(body, isOurs, format);
  if (result === body) return { kind: 'unchanged' };
  return { kind: 'changed', text: mark + result, otherContent: !isBare(result, format) };
}

/** Our hooks in a settings file, in its order; none if it can't be read. */
export function listHooks(
  text: string | undefined,
  isOurs: IsOurs = isTurnstoneCommand,
): readonly { readonly event: string; readonly command: string }[] {
  const parsed = parseJson(splitMark(text ?? '').body);
  if (parsed.kind === 'invalid') return [];
  return findHooks(parsed.root, isOurs).map(({ event, command }) => ({ event, command }));
}

function addHook(text: string, entry: HookEntry, isOurs: IsOurs, format: HookFormat): string {
  const updated = updateHook(text, entry, isOurs, format);
  if (updated.present) return updated.text;
  const root = rootOf(updated.text);
  const handler = format.handler(entry);
  const group: Json = format.isFlat ? handler : { hooks: [handler] };
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return appendChild(updated.text, root, { key: 'hooks', value: { [entry.event]: [group] } });
  const event = memberOf(hooks, entry.event);
  if (event === undefined) return appendChild(updated.text, hooks, { key: entry.event, value: [group] });
  return appendChild(updated.text, event, { value: group });
}

/** Why hooks can't be added there, or undefined. Twice the same name is refused: which of them counts is the reader's guess. */
function shapeProblem(text: string, entries: readonly HookEntry[], { required }: HookFormat): string | undefined {
  const parsed = parseJson(text);
  if (parsed.kind === 'invalid') return `The settings file is not valid JSON (${parsed.problem}).`;
  if (parsed.root.type !== 'object') return `The settings file holds ${aOrAn(parsed.root.type)} where an object is expected.`;
  if (required !== undefined && (memberOf(parsed.root, required.key)?.value as unknown) !== required.value) {
    return `The settings file lacks "${required.key}": ${JSON.stringify(required.value)}, without which its hooks are not read.`;
  }
  const hooks = memberOf(parsed.root, 'hooks');
  if (propertiesOf(parsed.root, 'hooks').length > 1) return 'The settings file has "hooks" more than once.';
  if (hooks !== undefined && hooks.type !== 'object') {
    return `"hooks" in the settings file is ${aOrAn(hooks.type)} where an object is expected.`;
  }
  for (const { event } of entries) {
    const groups = memberOf(hooks, event);
    if (propertiesOf(hooks, event).length > 1) return `"hooks" in the settings file has "${event}" more than once.`;
    if (groups !== undefined && groups.type !== 'array') {
      return `"hooks.${event}" in the settings file is ${aOrAn(groups.type)} where an array is expected.`;
    }
  }
  return undefined;
}

function aOrAn(type: JsonNode['type']): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function refuse(problem: string): HookEdit {
  return { kind: 'refused', reason: `${problem} Nothing was changed. Correct it there, then try again.` };
}

/** Text that holds nothing but what a fresh file has, and no comment. */
function isBare(text: string, format: HookFormat): boolean {
  return text.replaceAll(/\s/g, '') === freshText('', format).replaceAll(/\s/g, '');
}

/** A file without any hooks, in the place of a blank one. */
function freshText(blank: string, { required }: HookFormat): string {
  const end = /\r?\n/.exec(blank)?.[0] ?? '\n';
  return required === undefined ? `{}${end}` : `{${end}  "${required.key}": ${JSON.stringify(required.value)}${end}}${end}`;
}

function splitMark(text: string): { readonly mark: string; readonly body: string } {
  return text.startsWith(byteOrderMark) ? { mark: byteOrderMark, body: text.slice(1) } : { mark: '', body: text };
}
