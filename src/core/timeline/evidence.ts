import { structuredPatch } from 'diff';
import { sha256 } from '../base/digest.ts';
import type { State } from '../snapshot/state.ts';
import { lineCounts } from './lineCounts.ts';

/** Contents larger than this many bytes, or with more changed lines than `lineLimit`, get no hunks. */
export const hunkByteLimit = 256 * 1024;
export const lineLimit = 2000;

/** A maximal run of changed lines, with lines of context around it. Line numbers count from 1. */
export interface Hunk {
  /** Hash of position and texts: a hunk that moved or changed is another hunk. */
  readonly id: string;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with its mark (` `, `+`, `-`, `\`) in front. */
  readonly lines: readonly string[];
}

/** What a change says about itself. It is worked out from the two contents, so it can't be out of step with them. */
export interface Evidence {
  readonly kind: 'text' | 'binary' | 'large' | 'none';
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

/** As much of it as a list of files shows. */
export type Counts = Omit<Evidence, 'hunks'>;

export type Encoding = 'utf8' | 'utf8bom' | 'utf16le' | 'utf16be' | 'latin1';

/** How to show bytes as text; the bytes themselves are never changed by it. */
export function encodingOf(bytes: Uint8Array): Encoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf8bom';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be';
  if (bytes.subarray(0, 8000).includes(0)) return undefined;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf8';
  } catch {
    return 'latin1';
  }
}

/** The text to show; undefined for binary content. */
export function textOf(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  switch (encoding) {
    case undefined:
      return undefined;
    case 'utf8':
    case 'utf8bom':
      return new TextDecoder('utf-8').decode(bytes);
    case 'utf16le':
    case 'utf16be':
      return new TextDecoder(encoding === 'utf16le' ? 'utf-16le' : 'utf-16be').decode(bytes);
    case 'latin1':
      return Buffer.from(bytes).toString('latin1');
  }
}

function bytesOf(state: State, read: (hash: string) => Uint8Array): Uint8Array | undefined {
  if (state.kind === 'absent') return new Uint8Array(0);
  return state.kind === 'content' ? read(state.hash) : undefined;
}

function hunkId(oldStart: number, newStart: number, changed: readonly string[]): string {
  return sha256(Buffer.from(JSON.stringify([oldStart, newStart, changed]))).slice(0, 16);
}

/** The two texts of a change, or why there are none. */
function textsOf(before: State, after: State, read: (hash: string) => Uint8Array): { readonly kind: 'text'; readonly old: string; readonly fresh: string } | { readonly kind: Exclude<Evidence['kind'], 'text'> } {
  const old = bytesOf(before, read);
  const fresh = bytesOf(after, read);
  if (old === undefined || fresh === undefined) return { kind: 'none' };
  if (old.length > hunkByteLimit || fresh.length > hunkByteLimit) return { kind: 'large' };
  const [oldText, freshText] = [textOf(old), textOf(fresh)];
  return oldText === undefined || freshText === undefined ? { kind: 'binary' } : { kind: 'text', old: oldText, fresh: freshText };
}

/** How many lines two states of a path differ by: what the hunks of `compare` add up to, many times faster. */
export function countLines(before: State, after: State, read: (hash: string) => Uint8Array): Counts {
  const texts = textsOf(before, after, read);
  if (texts.kind !== 'text') return { kind: texts.kind, added: 0, removed: 0 };
  const counts = lineCounts(texts.old, texts.fresh, 2 * lineLimit);
  return counts === undefined ? { kind: 'large', added: 0, removed: 0 } : { kind: 'text', ...counts };
}

/** Compares two states of a path. `context` is 1, 3 or 5 lines. */
export function compare(before: State, after: State, read: (hash: string) => Uint8Array, context: 0 | 1 | 3 | 5): Evidence {
  const texts = textsOf(before, after, read);
  const without = (kind: Evidence['kind']): Evidence => ({ kind, added: 0, removed: 0, hunks: [] });
  if (texts.kind !== 'text') return without(texts.kind);
  // To find out that there are too many changes takes the hunks' algorithm longest.
  if (lineCounts(texts.old, texts.fresh, 2 * lineLimit) === undefined) return without('large');
  const patch = structuredPatch('', '', texts.old, texts.fresh, '', '', { context, maxEditLength: 2 * lineLimit });
  if (patch === undefined) return without('large');
  const hunks = patch.hunks.map(hunk => {
    const changed = hunk.lines.filter(line => !line.startsWith(' '));
    return { ...hunk, id: hunkId(hunk.oldStart, hunk.newStart, changed) };
  });
  const lines = hunks.flatMap(hunk => hunk.lines);
  const count = (mark: string): number => lines.filter(line => line.startsWith(mark)).length;
  return { kind: 'text', added: count('+'), removed: count('-'), hunks };
}
