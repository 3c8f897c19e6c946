import { dirname, join } from 'node:path';
import { isShape, listAt, textAt } from '../core/base/shape.ts';
import type { Files } from '../core/base/files.ts';
import { makeDirectories, readIfThere, replaceFile } from '../core/base/fileTools.ts';

/** A settings file that Turnstone's hooks for an agent were put into; `created` where it was Turnstone that made it. */
export interface LedgerEntry {
  readonly agent: string;
  readonly scope: string;
  readonly path: string;
  readonly created: boolean;
}

/** Which settings files Turnstone's hooks were put into, so that all of them can be taken out again. Hooks read it, too. */
export class HooksLedger {
  private readonly files: Files;
  private readonly path: string;

  constructor(files: Files, storage: string) {
    this.files = files;
    this.path = join(storage, 'hooks.json');
  }

  /** What can't be read is left out: without it only a file that Turnstone made can't be told from one that it found. */
  list(): readonly LedgerEntry[] {
    try {
      const bytes = readIfThere(this.files, this.path);
      const value: unknown = bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
      return isShape(value) && value['format'] === 1 ? (listAt(value, 'files') ?? []).flatMap(entryIn) : [];
    } catch {
      return [];
    }
  }

  add(entry: LedgerEntry): void {
    const others = this.list().filter(known => !isOf(known, entry));
    const earlier = this.list().find(known => known.path === entry.path);
    this.write([...others, { ...entry, created: entry.created || earlier?.created === true }]);
  }

  remove(agent: string, path: string): void {
    const kept = this.list().filter(known => !isOf(known, { agent, path }));
    if (kept.length !== this.list().length) this.write(kept);
  }

  private write(files: readonly LedgerEntry[]): void {
    makeDirectories(this.files, dirname(this.path), 0o700);
    replaceFile(this.files, this.path, Buffer.from(`${JSON.stringify({ format: 1, files }, null, 2)}\n`), 0o600);
  }
}

/** Whether hooks for an agent are in any of its settings files, as far as is remembered. */
export function hasHooks(files: Files, storage: string, agent: string): boolean {
  return new HooksLedger(files, storage).list().some(entry => entry.agent === agent);
}

function isOf(entry: LedgerEntry, { agent, path }: Pick<LedgerEntry, 'agent' | 'path'>): boolean {
  return entry.agent === agent && entry.path === path;
}

function entryIn(value: unknown): readonly LedgerEntry[] {
  if (!isShape(value)) return [];
  const [agent, scope, path] = [textAt(value, 'agent'), textAt(value, 'scope'), textAt(value, 'path')];
  return agent === undefined || scope === undefined || path === undefined ? [] : [{ agent, scope, path, created: value['created'] === true }];
}
