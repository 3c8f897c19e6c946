import { basename, dirname, join } from 'node:path';
import { fastCrc32 } from '../base/checksum.ts';
import { uniqueName } from '../base/digest.ts';
import { removeQuietly } from '../base/fileTools.ts';
import { timesOf, type Files } from '../base/files.ts';
import { isShape } from '../base/shape.ts';
import { unsoundPath, type RelativePath } from './paths.ts';
import type { State } from './state.ts';

/** What the last look saw at a path. An empty stamp fits no file, so the next look reads it again. */
export interface TreeEntry {
  readonly stamp: string;
  readonly state: State;
}

/** What is known of a root's covered tree. */
export interface TreeCache {
  /** When the look began, in milliseconds since 1970. */
  readonly scannedAt: number;
  readonly entries: ReadonlyMap<RelativePath, TreeEntry>;
  /** The folders, empty ones too, with their permission bits; empty text is the root. */
  readonly folders: ReadonlyMap<RelativePath, number>;
  /** Files and folders of which nothing is known, nor of what is below: they may have been there. Empty text is the whole root. */
  readonly unknown: ReadonlySet<RelativePath>;
}

/** TREE.md describes it. */
const format = 2;
const mark = { content: 'c', oversize: 'o', link: 'l', folder: 'd', unknown: 'u' } as const;

// Most paths have nothing to do with these; only the others are looked at closely.
const suspicious = /(?:^|\/)(?:\.{0,2}(?:\/|$)|\.git|git~)|[\0\\:]/i;

function lineOf(path: RelativePath, { stamp, state }: TreeEntry): string {
  switch (state.kind) {
    case 'content':
    case 'oversize':
      return `${JSON.stringify(path)} ${mark[state.kind]} ${state.hash} ${state.mode} ${state.size} ${stamp}\n`;
    case 'link':
      return `${JSON.stringify(path)} ${mark.link} ${JSON.stringify(state.target)} ${stamp}\n`;
    // Of other things nothing is remembered.
    default:
      return '';
  }
}

function textOf({ scannedAt, entries, folders, unknown }: TreeCache): string {
  let text = `${JSON.stringify({ turnstone: 'tree', format, scannedAt })}\n`;
  for (const [path, entry] of entries) text += lineOf(path, entry);
  for (const [path, mode] of folders) text += `${JSON.stringify(path)} ${mark.folder} ${mode}\n`;
  for (const path of unknown) text += `${JSON.stringify(path)} ${mark.unknown}\n`;
  return text;
}

/** The end of the JSON text that begins in a line at `start`. */
function endOfText(line: string, start: number): number {
  for (let end = start + 1; end > 0; end += 1) {
    end = line.indexOf('"', end);
    if (end < 0) break;
    let escapes = 0;
    while (line[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  throw new Error('a text without an end');
}

function parsedText(line: string, start: number, end: number): string {
  const inner = line.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(line.slice(start, end)) as string) : inner;
}

function numberIn(text: string): number {
  const number = Number(text);
  if (text === '' || !Number.isSafeInteger(number) || number < 0) throw new Error('no number');
  return number;
}

interface ParsedTree {
  readonly entries: Map<RelativePath, TreeEntry>;
  readonly folders: Map<RelativePath, number>;
  readonly unknown: Set<RelativePath>;
}

function parseLine(line: string, { entries, folders, unknown }: ParsedTree): void {
  const end = endOfText(line, 0);
  const path = parsedText(line, 0, end);
  const kind = line[end + 1];
  if (suspicious.test(path) && unsoundPath(path) !== undefined && (path !== '' || (kind !== mark.unknown && kind !== mark.folder))) throw new Error('a path that is none');
  if (kind === mark.unknown) {
    unknown.add(path);
  } else if (kind === mark.folder) {
    folders.set(path, numberIn(line.slice(end + 3)));
  } else if (kind === mark.link) {
    const targetEnd = endOfText(line, end + 3);
    entries.set(path, { stamp: line.slice(targetEnd + 1), state: { kind: 'link', target: parsedText(line, end + 3, targetEnd) } });
  } else {
    const [hash = '', mode = '', size = '', stamp, ...more] = line.slice(end + 3).split(' ');
    if ((kind !== mark.content && kind !== mark.oversize) || hash.length !== 64 || stamp === undefined || more.length > 0) throw new Error('no entry');
    entries.set(path, { stamp, state: { kind: kind === mark.content ? 'content' : 'oversize', hash, mode: numberIn(mode), size: numberIn(size) } });
  }
}

function parse(bytes: Buffer): TreeCache | undefined {
  const trailer = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  const body = bytes.subarray(0, trailer);
  if (bytes.subarray(trailer).toString('latin1') !== trailerOf(body)) return undefined;
  const lines = body.toString('utf8').split('\n');
  const header: unknown = JSON.parse(lines[0] as string);
  if (!isShape(header) || header['turnstone'] !== 'tree' || header['format'] !== format || !Number.isFinite(header['scannedAt'])) return undefined;
  const tree: ParsedTree = { entries: new Map(), folders: new Map(), unknown: new Set() };
  for (let index = 1; index < lines.length - 1; index += 1) parseLine(lines[index] as string, tree);
  return { scannedAt: header['scannedAt'] as number, ...tree };
}

function trailerOf(body: Uint8Array): string {
  return `${fastCrc32()(body).toString(16).padStart(8, '0')}\n`;
}

/** What the last look left; undefined, as if there had been none, where there is nothing, or nothing that we wrote as a whole. */
export function readTreeCache(files: Files, path: string): TreeCache | undefined {
  try {
    return parse(Buffer.from(files.read(path)));
  } catch {
    return undefined;
  }
}

/** What a writer that was killed left behind; the younger ones may be somebody's work just now. */
const leftoverAge = 10 * 60_000;

function removeLeftovers(files: Files, path: string, now: number): void {
  for (const name of files.readDirectory(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.tmp')) continue;
    const leftover = join(dirname(path), name);
    const changed = timesOf(files.stat(leftover)?.stamp ?? '')?.changed;
    if (changed !== undefined && changed < now - leftoverAge) removeQuietly(files, leftover);
  }
}

/**
 * Keeps what a look saw, in place of what was there. Not synced: after a power failure it may be the old one or none, which the
 * checksum tells, and then the tree is looked at anew. Throws what the disk says; then the old one is still there.
 */
export function writeTreeCache(files: Files, path: string, cache: TreeCache): void {
  const body = Buffer.from(textOf(cache), 'utf8');
  const temporary = `${path}.${uniqueName()}.tmp`;
  removeLeftovers(files, path, cache.scannedAt);
  try {
    const file = files.open(temporary, 'create', 0o600);
    try {
      file.write(body, 0);
      file.write(Buffer.from(trailerOf(body), 'latin1'), body.length);
    } finally {
      file.close();
    }
    files.rename(temporary, path);
  } catch (error) {
    removeQuietly(files, temporary);
    throw error;
  }
}
