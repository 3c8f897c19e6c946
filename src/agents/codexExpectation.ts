import type { PatchChunk, PatchedFile } from './codexPatch.ts';

type Expected = (path: string, before: Uint8Array | undefined) => Uint8Array | undefined;

/**
 * What a patch will leave in each of its files, asked in their order, `resolved` as the patch names them. Undefined where it can't be told
 * for certain: Codex also finds lines that only nearly fit, and what it makes of those is not guessed here.
 */
export function expectedByPatch(files: readonly PatchedFile[], resolved: (path: string) => string): Expected {
  const moved = new Map<string, Uint8Array | undefined>();
  const isNamedOnce = (path: string): boolean => files.flatMap(namesOf).filter(name => resolved(name) === path).length === 1;
  return (path, before) => {
    if (!isNamedOnce(path)) return undefined;
    if (moved.has(path)) return moved.get(path);
    const file = files.find(({ path: named }) => resolved(named) === path);
    if (file?.kind === 'add') return encoded(file.lines.map(line => `${line}\n`).join(''));
    if (file?.kind !== 'update') return undefined;
    const after = before === undefined ? undefined : patched(before, file.chunks);
    if (file.movedTo === undefined) return after;
    moved.set(resolved(file.movedTo), after);
    return undefined;
  };
}

/** The files that an entry of a patch changes: one that is moved, and then its new name. */
export function namesOf(file: PatchedFile): readonly string[] {
  return file.kind === 'update' && file.movedTo !== undefined ? [file.path, file.movedTo] : [file.path];
}

function patched(before: Uint8Array, chunks: readonly PatchChunk[]): Uint8Array | undefined {
  const text = Buffer.from(before).toString('utf8');
  const end = text.includes('\r') ? '\r\n' : '\n';
  const lines = text.split(end);
  // What would not come back the same, or mixes its line ends, is left to Codex.
  if (!encoded(text).equals(before) || lines.some(line => /[\r\n]/.test(line))) return undefined;
  if (lines.at(-1) === '') lines.pop();
  const result: string[] = [];
  let next = 0;
  for (const { context, old, fresh, isAtEnd } of chunks) {
    const from = context === undefined ? next : lines.indexOf(context, next) + 1;
    const at = from === 0 && context !== undefined ? -1 : placeOf(old, lines, from);
    if (at < 0 || (isAtEnd && at + old.length !== lines.length)) return undefined;
    result.push(...lines.slice(next, at), ...fresh);
    next = at + old.length;
  }
  return encoded([...result, ...lines.slice(next)].map(line => `${line}${end}`).join(''));
}

/** Where lines come first; less than 0 where they don't, or where any place would do. */
function placeOf(old: readonly string[], lines: readonly string[], from: number): number {
  if (old.length === 0) return -1;
  return lines.findIndex((_line, start) => start >= from && old.every((line, index) => lines[start + index] === line));
}

function encoded(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}
