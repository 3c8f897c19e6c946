import { childrenOf, endOf, lineIndent, readGap, type JsonNode } from './jsonText.ts';

/** What can be inserted. */
export type Json = string | number | readonly Json[] | { readonly [key: string]: Json };

/** An element of an array, or a property if it has a key. */
export interface Item {
  readonly key?: string;
  readonly value: Json;
}

/**
 * Appends to an object or array, in the manner of the file, and only ever inserts.
 *
 * Invariant: `removeChild` of what was appended gives back the same bytes. That is why the item goes
 * right behind the last token of the container (so that all white space before it is ours and all
 * behind it is the file's), and why a container that was empty gets the item next to its bracket.
 */
export function appendChild(text: string, container: JsonNode, item: Item): string {
  const last = childrenOf(container).at(-1);
  const close = endOf(container) - 1;
  const gap = readGap(text, last === undefined ? container.offset + 1 : endOf(last), close);
  const empty = last === undefined && !gap.commented;
  const root = container.parent === undefined;
  const file = formatOf(text, outermost(container));
  const outer = lineIndent(text, container.offset);

  const linedUp = gap.endsInLineComment || startsLine(text, container, last) || hasLineBreak(text, gap.lastTokenEnd, close);
  const ownLine = empty ? root : linedUp;
  const sameLine = last === undefined || !hasLineBreak(text, container.offset, last.offset);
  const indent = !ownLine ? outer : sameLine ? outer + file.unit : lineIndent(text, last.offset);
  const lead = ownLine ? file.lineEnd + indent : empty ? '' : ' ';
  const tall = ownLine || (empty ? file.tall : hasLineBreak(text, container.offset, close));
  const rendered = renderItem(item, tall ? file.lineEnd + indent : ' ', tall ? file.unit : '');

  const comma = last !== undefined && gap.comma === undefined ? ',' : '';
  const trailingComma = gap.comma === undefined ? '' : ',';
  const closing = empty && root ? file.lineEnd : '';
  const at = last === undefined ? gap.lastTokenEnd : endOf(last);
  const inserted = lead + rendered + trailingComma + closing;
  return text.slice(0, at) + comma + text.slice(at, gap.lastTokenEnd) + inserted + text.slice(gap.lastTokenEnd);
}

/** Takes a child out with its comma and the white space before it. Comments around it stay. */
export function removeChild(text: string, container: JsonNode, child: JsonNode): string {
  const siblings = childrenOf(container);
  const index = siblings.indexOf(child);
  const previous = siblings[index - 1];
  const end = endOf(child);
  const before = readGap(text, previous === undefined ? container.offset + 1 : endOf(previous), child.offset);
  const after = readGap(text, end, siblings[index + 1]?.offset ?? endOf(container) - 1);

  const next = after.comma === end ? end + 1 : end;
  const swallowed = before.endsInLineComment && !/[\r\n]/.test(text.charAt(next));
  const from = swallowed ? child.offset : before.lastTokenEnd;
  const onlyInRoot = container.parent === undefined && siblings.length === 1 && !before.commented && !after.commented;
  // An empty root gets a line end behind its first item (see `appendChild`): it is the first one there.
  const closing = onlyInRoot && hasLineBreak(text, from, child.offset) ? (/^\r?\n/.exec(text.slice(next))?.[0].length ?? 0) : 0;

  let result = text;
  if (after.comma !== undefined && after.comma !== end) result = cut(result, after.comma, after.comma + 1);
  result = cut(result, from, next + closing);
  return after.comma === undefined && before.comma !== undefined ? cut(result, before.comma, before.comma + 1) : result;
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to);
}

function hasLineBreak(text: string, from: number, to: number): boolean {
  return /[\r\n]/.test(text.slice(from, to));
}

function startsLine(text: string, container: JsonNode, child: JsonNode | undefined): boolean {
  if (child === undefined) return false;
  const siblings = childrenOf(container);
  const previous = siblings[siblings.indexOf(child) - 1];
  return hasLineBreak(text, previous === undefined ? container.offset : endOf(previous), child.offset);
}

interface Format {
  readonly lineEnd: string;
  readonly unit: string;
  /** Whether the file is spread over lines. */
  readonly tall: boolean;
}

function formatOf(text: string, root: JsonNode): Format {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n';
  const first = childrenOf(root)[0];
  const tall = hasLineBreak(text, root.offset, endOf(root));
  if (first === undefined || !startsLine(text, root, first)) {
    return { lineEnd, unit: /[\r\n]([ \t]+)["[{\]}]/.exec(text)?.[1] ?? '  ', tall };
  }
  const outer = lineIndent(text, root.offset);
  const inner = lineIndent(text, first.offset);
  return { lineEnd, unit: inner.startsWith(outer) ? inner.slice(outer.length) : inner, tall };
}

function outermost(node: JsonNode): JsonNode {
  return node.parent === undefined ? node : outermost(node.parent);
}

function renderItem(item: Item, separator: string, unit: string): string {
  const value = render(item.value, separator, unit);
  return item.key === undefined ? value : `${JSON.stringify(item.key)}: ${value}`;
}

/** Never puts a bracket next to what it holds: by that, containers that were there before are told from ours. */
function render(value: Json, separator: string, unit: string): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = separator + unit;
  const list = (items: readonly string[]) => inner + items.join(`,${inner}`) + separator;
  if (isArray(value)) return `[${list(value.map(item => render(item, inner, unit)))}]`;
  return `{${list(Object.entries(value).map(([key, member]) => renderItem({ key, value: member }, inner, unit)))}}`;
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
