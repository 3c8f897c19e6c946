/** What a patch of Codex does to one file. Paths are as the patch has them. */
export type PatchedFile =
  | { readonly kind: 'add'; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly movedTo: string | undefined; readonly chunks: readonly PatchChunk[] };

/** Lines that take the place of others, somewhere after a line of context. */
export interface PatchChunk {
  readonly context: string | undefined;
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  readonly isAtEnd: boolean;
}

const headers = { add: '*** Add File: ', delete: '*** Delete File: ', update: '*** Update File: ', move: '*** Move to: ' } as const;

/**
 * Reads a patch in the format of Codex's `apply_patch`. Undefined for anything with a line that is not understood: such a patch
 * may change files that are not known here.
 */
export function parsePatch(text: string): readonly PatchedFile[] | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.length < 2 || lines.at(-1)?.trim() !== '*** End Patch') return undefined;
  const rest = lines.slice(1, -1);
  const files: PatchedFile[] = [];
  while (rest.length > 0) {
    const file = takeFile(rest);
    if (file === undefined) return undefined;
    files.push(file);
  }
  return files;
}

/** A whole shell command that is nothing but a patch, which Codex applies itself; `directory` is where it goes to before. */
export function patchInCommand(command: string): { readonly directory: string | undefined; readonly files: readonly PatchedFile[] } | undefined {
  const found = /^\s*(?:cd +(?:([\w./-]+)|'([^'\n]+)'|"([^"\n$`\\]+)") *&& *)?(?:apply_patch|applypatch) *<< *(['"]?)(\w+)\4 *\n([^]*)\n\5\s*$/.exec(command);
  if (found === null) return undefined;
  const [, plain, single, double, quote, word = '', body = ''] = found;
  // Where the word is not quoted a shell would put in its variables; after the word's first line it would go on with other commands.
  if ((quote === '' && /[$`\\]/.test(body)) || body.split('\n').includes(word)) return undefined;
  const files = parsePatch(body);
  return files === undefined ? undefined : { directory: plain ?? single ?? double, files };
}

function takeFile(rest: string[]): PatchedFile | undefined {
  const header = rest.shift()?.trim() ?? '';
  if (header.startsWith(headers.delete)) return { kind: 'delete', path: header.slice(headers.delete.length) };
  if (header.startsWith(headers.add)) return { kind: 'add', path: header.slice(headers.add.length), lines: takeWhile(rest, line => line.startsWith('+')).map(line => line.slice(1)) };
  if (!header.startsWith(headers.update)) return undefined;
  const path = header.slice(headers.update.length);
  const movedTo = rest[0]?.startsWith(headers.move) === true ? rest.shift()?.slice(headers.move.length).trim() : undefined;
  const chunks: PatchChunk[] = [];
  while (rest.length > 0 && !isHeader(rest[0] ?? '')) {
    if (rest[0]?.trim() === '') rest.shift();
    else {
      const chunk = takeChunk(rest, chunks.length === 0);
      if (chunk === undefined) return undefined;
      chunks.push(chunk);
    }
  }
  return { kind: 'update', path, movedTo, chunks };
}

function takeChunk(rest: string[], isFirst: boolean): PatchChunk | undefined {
  const mark = rest[0] ?? '';
  const isMarked = mark === '@@' || mark.startsWith('@@ ');
  if (!isMarked && !isFirst) return undefined;
  if (isMarked) rest.shift();
  const lines = takeWhile(rest, line => line === '' || /^[ +-]/.test(line));
  if (lines.length === 0) return undefined;
  const isAtEnd = rest[0] === '*** End of File';
  if (isAtEnd) rest.shift();
  const without = (sign: string): string[] => lines.filter(line => !line.startsWith(sign)).map(line => line.slice(1));
  return { context: isMarked && mark !== '@@' ? mark.slice(3) : undefined, old: without('+'), fresh: without('-'), isAtEnd };
}

function isHeader(line: string): boolean {
  return line.startsWith('*** ');
}

function takeWhile(rest: string[], fits: (line: string) => boolean): string[] {
  const end = rest.findIndex(line => !fits(line));
  return rest.splice(0, end < 0 ? rest.length : end);
}
