import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Files } from '../core/base/files.ts';
import { makeDirectories, readIfThere, replaceFile } from '../core/base/fileTools.ts';

const ledgerSchema = z.object({
  format: z.literal(1),
  files: z.array(z.object({ agent: z.string(), scope: z.string(), path: z.string(), created: z.boolean() })),
});
type Ledger = z.infer<typeof ledgerSchema>;
export type LedgerEntry = Ledger['files'][number];

/** Which settings files Turnstone's hooks were put into, so that all of them can be taken out again. */
export class HooksLedger {
  private readonly files: Files;
  private readonly path: string;

  constructor(files: Files, storage: string) {
    this.files = files;
    this.path = join(storage, 'hooks.json');
  }

  list(): readonly LedgerEntry[] {
    const bytes = readIfThere(this.files, this.path);
    if (bytes === undefined) return [];
    try {
      return z.parse(ledgerSchema, JSON.parse(Buffer.from(bytes).toString('utf8'))).files;
    } catch {
      // Without it only a file that Turnstone made can't be told from one that it found.
      return [];
    }
  }

  add(entry: LedgerEntry): void {
    const others = this.list().filter(known => known.path !== entry.path);
    const earlier = this.list().find(known => known.path === entry.path);
    this.write([...others, { ...entry, created: entry.created || earlier?.created === true }]);
  }

  remove(path: string): void {
    const kept = this.list().filter(known => known.path !== path);
    if (kept.length !== this.list().length) this.write(kept);
  }

  private write(files: readonly LedgerEntry[]): void {
    makeDirectories(this.files, dirname(this.path), 0o700);
    replaceFile(this.files, this.path, Buffer.from(`${JSON.stringify({ format: 1, files }, null, 2)}\n`), 0o600);
  }
}
