import { join } from 'node:path';
import type { Files } from '../core/base/files.ts';
import { makeDirectories } from '../core/base/fileTools.ts';
import { sha256 } from '../core/base/digest.ts';

const logLimit = 1024 * 1024;
const payloadLimit = 1024 * 1024;
const payloadCount = 20;

/**
 * What went wrong in hooks, for people: `logs/hook.log` in the storage directory, one JSON object a line.
 * A hook may neither print nor fail, so nothing here throws; the log and its older half stay under 2 MiB.
 */
export class HookLog {
  private readonly files: Files;
  private readonly directory: string;

  constructor(files: Files, storage: string) {
    this.files = files;
    this.directory = join(storage, 'logs');
  }

  write(entry: { readonly at: number; readonly agent: string; readonly event: string; readonly message: string }): void {
    try {
      makeDirectories(this.files, this.directory, 0o700);
      const path = join(this.directory, 'hook.log');
      if ((this.files.stat(path)?.size ?? 0) > logLimit) this.files.rename(path, `${path}.1`);
      const file = this.files.open(path, 'append', 0o600);
      try {
        file.write(Buffer.from(`${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`), 0);
      } finally {
        file.close();
      }
    } catch {
      // There is nowhere left to say it.
    }
  }

  /** Keeps a payload that could not be read, so that nothing of it is lost but who the user is; returns its file's name. */
  keepPayload(payload: Uint8Array): string | undefined {
    try {
      const bytes = withoutAddress(payload);
      makeDirectories(this.files, this.directory, 0o700);
      if (this.files.readDirectory(this.directory).filter(name => name.startsWith('unread-')).length >= payloadCount) return undefined;
      const name = `unread-${sha256(bytes).slice(0, 16)}.json`;
      const path = join(this.directory, name);
      if (this.files.stat(path) !== undefined) return name;
      const file = this.files.open(path, 'create', 0o600);
      try {
        file.write(bytes.subarray(0, payloadLimit), 0);
      } finally {
        file.close();
      }
      return name;
    } catch {
      return undefined;
    }
  }
}

/** One agent tells the user's address with every event. */
function withoutAddress(payload: Uint8Array): Uint8Array {
  const text = Buffer.from(payload).toString('latin1');
  const kept = text.replaceAll(/("user_email"\s*:\s*")(?:[^"\\]|\\.)*/g, '$1');
  return kept.length === text.length ? payload : Buffer.from(kept, 'latin1');
}
