import ignore from 'ignore';

/** Patterns of one sign that stand together: they hide what they match, or bring it back. In what order they are asked does not matter. */
interface Run {
  readonly hides: boolean;
  /** Without a special letter: what one of them matches can be looked up. */
  readonly literalNames: ReadonlySet<string>;
  readonly literalPaths: ReadonlySet<string>;
  /** About the last part of a path only, which spares remembering all paths. */
  readonly names: ignore.Ignore | undefined;
  readonly paths: ignore.Ignore | undefined;
}

/**
 * The text as git compares it: byte by byte. So `?` is one byte, as it is there, and two spellings of one letter are
 * two names.
 */
export function byteText(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function linesOf(text: string): readonly string[] {
  return byteText(text.startsWith('\ufeff') ? text.slice(1) : text)
    .split('\n')
    .map(line => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .filter(line => line !== '' && !line.startsWith('#'));
}

/**
 * Git compares the letters before the first special one by themselves, and what follows as if the pattern began there. So
 * in `a**` with `/b` after it the stars stand at a beginning: it is `ab`, and everything called `b` below what begins with `a`.
 */
function spelledOut(pattern: string): readonly string[] {
  const trimmed = pattern.replace(/(?<!\\) +$/, '');
  const end = trimmed.endsWith('/') ? '/' : '';
  const body = end === '' ? trimmed : trimmed.slice(0, -1);
  const [, start, rest] = (body.includes('/') ? /^([^*?[\\]*[^*?[\\/])\*{2,}(\/.*)?$/.exec(body) : null) ?? [];
  if (start === undefined) return [pattern];
  const anchored = start.startsWith('/') ? start : `/${start}`;
  if (rest === undefined) return [`${anchored}*${end}`, `${anchored}*/**${end}`];
  return [...spelledOut(`${anchored}${rest.slice(1)}${end}`), `${anchored}*/**${rest}${end}`];
}

/**
 * `ignore` holds that a path below a hidden folder is hidden. Whether a folder is hidden is not for one file to say, since
 * a deeper one may bring it back. So every pattern is given to it as one that brings back: of these it tells just
 * whether one matches the path itself.
 */
function matcherOf(patterns: readonly string[], ignoreCase: boolean): ignore.Ignore | undefined {
  // It takes one line end away, so a carriage return that is part of a pattern stays.
  return patterns.length === 0 ? undefined : ignore({ ignoreCase }).add(patterns.map(pattern => `!${pattern}\r\n`).join(''));
}

function runOf(hides: boolean, patterns: readonly string[], ignoreCase: boolean): Run {
  const [names, paths, literalNames, literalPaths] = [[] as string[], [] as string[], new Set<string>(), new Set<string>()];
  const isOfName = (pattern: string): boolean => !pattern.replace(/ +$/, '').slice(0, -1).includes('/');
  for (const given of patterns) {
    // In any folder: that is what a name alone means.
    const anywhere = given.replace(/^\/?(?:\*\*\/)+(?=[^/ ])/, '');
    const pattern = isOfName(anywhere) ? anywhere : given;
    const isName = isOfName(pattern);
    const isLiteral = !ignoreCase && /^\/?[^*?[\\/! #]+(?:\/[^*?[\\/ ]+)*\/?$/.test(pattern);
    if (!isLiteral) (isName ? names : paths).push(pattern);
    else if (isName) literalNames.add(pattern);
    else literalPaths.add(pattern.replace(/^\//, ''));
  }
  return { hides, literalNames, literalPaths, names: matcherOf(names, ignoreCase), paths: matcherOf(paths, ignoreCase) };
}

/** Whether a path or, where it is one of a folder, its name without the slash is among them. */
function isAmong(literals: ReadonlySet<string>, text: string): boolean {
  return literals.size > 0 && (literals.has(text) || (text.endsWith('/') && literals.has(text.slice(0, -1))));
}

/** The patterns of one ignore file, asked about one path at a time. */
export class IgnorePatterns {
  /** The last first, because the last one that matches counts. */
  private readonly runs: readonly Run[];

  constructor(text: string, ignoreCase: boolean) {
    const runs: { hides: boolean; patterns: string[] }[] = [];
    for (const line of linesOf(text)) {
      const hides = !line.startsWith('!');
      if (runs.at(-1)?.hides !== hides) runs.push({ hides, patterns: [] });
      runs.at(-1)?.patterns.push(...spelledOut(hides ? line : line.slice(1)));
    }
    this.runs = runs.reverse().map(({ hides, patterns }) => runOf(hides, patterns, ignoreCase));
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  /** Whether the patterns hide a path or bring it back; undefined where none matches. `path` is a byte text relative to the file's folder, with a `/` at the end for a folder. */
  verdict(path: string): boolean | undefined {
    if (this.runs.length === 0) return undefined;
    const name = path.slice(path.lastIndexOf('/', path.length - 2) + 1);
    for (const { hides, literalNames, literalPaths, names, paths } of this.runs) {
      if (isAmong(literalNames, name) || isAmong(literalPaths, path)) return hides;
      if (names?.test(name).unignored === true || paths?.test(path).unignored === true) return hides;
    }
    return undefined;
  }
}
