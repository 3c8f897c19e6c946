import type { HookEntry, HookFormat } from './hookSettings.ts';
import { elementsOf, findHooks, largestOwn, type HookPlace, type IsOurs } from './hookPlaces.ts';
import { appendChild, removeChild, type Json } from './jsonEdit.ts';
import { childrenOf, endOf, keyOf, memberOf, propertiesOf, rootOf, valueOf, type JsonNode } from './jsonText.ts';

/** The text without any of our hooks. Goes backwards, so that each step undoes the latest insertion. */
export function withoutHooks(text: string, isOurs: IsOurs, format: HookFormat): string {
  const last = findHooks(rootOf(text), isOurs).at(-1);
  return last === undefined ? text : withoutHooks(withoutPlace(text, last, format), isOurs, format);
}

/**
 * Brings what we have at an event up to date where it is, and leaves at most one of it.
 *
 * A hook of ours that can't see every tool, because it sits in a group of the user's with a matcher, or
 * that is in no group at all, is taken out instead; `present` is then false and a new one is needed.
 */
export function updateHook(text: string, entry: HookEntry, isOurs: IsOurs, format: HookFormat): { readonly text: string; readonly present: boolean } {
  const places = findHooks(rootOf(text), isOurs).filter(place => place.event === entry.event);
  const kept = places.find(place => (format.isFlat ? place.group === undefined : seesEveryTool(place, isOurs)));
  const surplus = places.findLast(place => place !== kept);
  if (surplus !== undefined) return updateHook(withoutPlace(text, surplus, format), entry, isOurs, format);
  return kept === undefined ? { text, present: false } : { text: inShape(text, entry, isOurs, format), present: true };
}

function withoutPlace(text: string, place: HookPlace, { isFlat }: HookFormat): string {
  const own = largestOwn(text, place, isFlat);
  return own.parent === undefined ? text : removeChild(text, own.parent, own);
}

function seesEveryTool(place: HookPlace, isOurs: IsOurs): boolean {
  if (place.group === undefined) return false;
  const matcher = memberOf(place.group, 'matcher')?.value as unknown;
  if (matcher === undefined || matcher === '' || matcher === '*') return true;
  return elementsOf(place.handler.parent).every(handler => {
    const command = memberOf(handler, 'command')?.value as unknown;
    return typeof command === 'string' && isOurs(command);
  });
}

/** Repeats the next small edit until none is needed: offsets hold only until the first one. */
function inShape(text: string, entry: HookEntry, isOurs: IsOurs, format: HookFormat): string {
  const place = findHooks(rootOf(text), isOurs).find(candidate => candidate.event === entry.event);
  if (place === undefined) return text;
  const alone = elementsOf(place.handler.parent).length === 1;
  const next =
    shapeStep(text, place.handler, format.handler(entry)) ??
    (alone && place.group !== undefined ? shapeStep(text, place.group, {}, 'hooks') : undefined);
  return next === undefined ? text : inShape(next, entry, isOurs, format);
}

/** The first edit that brings an object of ours nearer to exactly these members; undefined when it is there. */
function shapeStep(text: string, object: JsonNode, wanted: Readonly<Record<string, Json>>, kept?: string): string | undefined {
  const belongs = (property: JsonNode) =>
    Object.hasOwn(wanted, keyOf(property)) && propertiesOf(object, keyOf(property)).at(-1) === property;
  const stray = childrenOf(object).find(property => keyOf(property) !== kept && !belongs(property));
  if (stray !== undefined) return removeChild(text, object, stray);
  for (const [key, value] of Object.entries(wanted)) {
    const current = valueOf(propertiesOf(object, key)[0]);
    if (current === undefined) return appendChild(text, object, { key, value });
    if (current.value !== value) return text.slice(0, current.offset) + JSON.stringify(value) + text.slice(endOf(current));
  }
  return undefined;
}
