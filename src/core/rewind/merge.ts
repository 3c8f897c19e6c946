import { diff3Merge } from 'node-diff3';
import { sha256 } from '../base/digest.ts';

/** Text with more bytes than this is not merged line by line. */
const mergeLimit = 4 * 1024 * 1024;

// One character per byte: no decoding is involved, so encodings and line ends come out as they went in.
function lines(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString('latin1').split(/(?<=\n)/);
}

/**
 * Takes one change out of a file that changed since: `base` is what the change left, `theirs` what was
 * before it, `mine` what is there now. Undefined where the two overlap, or for binary content.
 */
export function mergeBytes(base: Uint8Array, mine: Uint8Array, theirs: Uint8Array): { readonly bytes: Uint8Array; readonly hash: string } | undefined {
  const all = [base, mine, theirs];
  // UTF-16 has zero bytes too, but its lines end in the middle of a character pair: it is not merged either.
  if (all.some(bytes => bytes.length > mergeLimit || bytes.includes(0))) return undefined;
  const regions = diff3Merge(lines(mine), lines(base), lines(theirs), { excludeFalseConflicts: true });
  if (regions.some(region => region.ok === undefined)) return undefined;
  const bytes = Buffer.from(regions.flatMap(region => region.ok ?? []).join(''), 'latin1');
  return { bytes, hash: sha256(bytes) };
}
