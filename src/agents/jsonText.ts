import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';

/** A value, or a property, with its place in the text. */
export type JsonNode = Node;

/** What the text of a hand-edited JSON file turned out to be. */
export type ParsedJson =
  | { readonly kind: 'parsed'; readonly root: JsonNode }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Reads JSON in which comments and trailing commas are allowed, because people write them. */
export function parseJson(text: string): ParsedJson {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first !== undefined) {
    const before = text.slice(0, first.offset).split(/\r\n|\n|\r/);
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { kind: 'invalid', problem: `line ${before.length}, column ${column}: ${printParseErrorCode(first.error)}` };
  }
  return root === undefined ? { kind: 'invalid', problem: 'it is empty' } : { kind: 'parsed', root };
}

/** The root of text that is known to be valid, because we have read it before or written it. */
export function rootOf(text: string): JsonNode {
  const parsed = parseJson(text);
  if (parsed.kind === 'invalid') throw new Error(`text that was valid JSON no longer is: ${parsed.problem}`);
  return parsed.root;
}

/** The offset just behind a node. */
export function endOf(node: JsonNode): number {
  return node.offset + node.length;
}

/** The elements of an array or the properties of an object, in the order of the text. */
export function childrenOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.children ?? [];
}

/** The name of a property. */
export function keyOf(property: JsonNode): string {
  return String(property.children?.[0]?.value);
}

/** The value of a property. */
export function valueOf(property: JsonNode | undefined): JsonNode | undefined {
  return property?.children?.[1];
}

/** All properties of that name: JSON allows several, and readers use the last. */
export function propertiesOf(object: JsonNode | undefined, name: string): readonly JsonNode[] {
  return object?.type === 'object' ? childrenOf(object).filter(property => keyOf(property) === name) : [];
}

/** The value that a reader sees under that name. */
export function memberOf(object: JsonNode | undefined, name: string): JsonNode | undefined {
  return valueOf(propertiesOf(object, name).at(-1));
}

/** Whether a stretch that begins and ends between tokens has a comment. Strings are skipped whole: they may hold slashes. */
export function hasComment(text: string, from: number, to: number): boolean {
  const tokens = text.slice(from, to).match(/"(?:[^"\\]|\\.)*"|\/[/*]/g) ?? [];
  return tokens.some(token => token.startsWith('/'));
}

/** What stands between two values, or between a value and a bracket: white space, comments, at most one comma. */
export interface Gap {
  readonly comma: number | undefined;
  readonly commented: boolean;
  /** Behind the last comment or comma; where the gap starts if there is neither. */
  readonly lastTokenEnd: number;
  /** Whatever is put at `lastTokenEnd` without a line break before it would become part of a comment. */
  readonly endsInLineComment: boolean;
}

export function readGap(text: string, from: number, to: number): Gap {
  let comma: number | undefined;
  let lastTokenEnd = from;
  let last = '';
  let commented = false;
  for (const match of text.slice(from, to).matchAll(/\/\/[^\r\n]*|\/\*[^]*?\*\/|,/g)) {
    last = match[0];
    lastTokenEnd = from + match.index + last.length;
    if (last === ',') comma = from + match.index;
    else commented = true;
  }
  return { comma, commented, lastTokenEnd, endsInLineComment: last.startsWith('//') };
}

/** The white space at the beginning of the line that holds an offset. */
export function lineIndent(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}
