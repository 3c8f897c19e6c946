import ignore from 'ignore';

/** A run of patterns of one sign: they hide what they match, or bring it back. */
interface Run {
  readonly hides: boolean;
  readonly patterns: ignore.Ignore;
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
 * The patterns of one ignore file, asked about one path at a time.
 *
 * `ignore` holds that a path below a hidden folder is hidden. Whether a folder is hidden is not for one file to say, since
 * a deeper one may bring it back. So every pattern is given to it as one that brings back: of these it tells just
 * whether one matches the path itself, and what that means is kept here.
 */
export class IgnorePatterns {
  /** The last first, because the last one that matches counts. */
  private readonly runs: readonly Run[];

  constructor(text: string, ignoreCase: boolean) {
    const runs: { hides: boolean; lines: string[] }[] = [];
    for (const line of linesOf(text)) {
      const hides = !line.startsWith('!');
      if (runs.at(-1)?.hides !== hides) runs.push({ hides, lines: [] });
      runs.at(-1)?.lines.push(...spelledOut(hides ? line : line.slice(1)).map(pattern => `!${pattern}`));
    }
    // It takes one line end away, so a carriage return that is part of a pattern stays.
    this.runs = runs.reverse().map(({ hides, lines }) => ({ hides, patterns: ignore({ ignoreCase }).add(`${lines.join('\r\n')}\r\n`) }));
  }

  get isEmpty(): boolean {
    return this.runs.length === 0;
  }

  /** Whether the patterns hide a path or bring it back; undefined where none matches. `path` is a byte text relative to the file's folder, with a `/` at the end for a folder. */
  verdict(path: string): boolean | undefined {
    return this.runs.find(({ patterns }) => patterns.test(path).unignored)?.hides;
  }
}
