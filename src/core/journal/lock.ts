import { basename, dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { uniqueName } from '../base/digest.ts';
import { TurnstoneError, messageOf, systemCode } from '../base/errors.ts';
import type { Files, OpenFile } from '../base/files.ts';
import { readIfThere, removeQuietly } from '../base/fileTools.ts';
import { currentProcess, isGone } from '../base/processes.ts';
import { ownerIn, type Holder, type Owner } from './lockOwner.ts';

/** How long anybody waits for a lock, in milliseconds. */
export const lockWait = 5000;

/**
 * A lock between processes: a file that names its owner, made complete and at once by a hard link.
 *
 * Invariants:
 * - It is taken away only from an owner that is provably gone, never because of its age.
 * - The right to take a given dead owner's lock away is itself a lock, named after that owner's token,
 *   and passes from a dead heir to exactly one live one; so no live lock is ever removed by another.
 * - Whoever holds it releases it only while it still carries its own token.
 * - It is taken from a dead owner only after `settle`: so whoever gets it finds everything durable that was written under it.
 */
export class Lock {
  private readonly files: Files;
  private readonly clock: Clock;
  private readonly path: string;
  private readonly settle: () => void;
  /** What this process could not release when it was done. */
  private readonly stuck = new Set<string>();

  /** `settle` makes durable what a dead owner may have written and not synced; while it throws, the lock stays the dead one's. */
  constructor(files: Files, clock: Clock, path: string, settle: () => void = () => undefined) {
    this.files = files;
    this.clock = clock;
    this.path = path;
    this.settle = settle;
  }

  /** Runs `work` alone; throws `busy` when somebody alive holds the lock for longer than `wait` milliseconds. */
  async exclusively<T>(work: () => T | Promise<T>, wait: number = lockWait): Promise<T> {
    const token = await this.acquire(wait);
    try {
      return await work();
    } finally {
      this.release(token);
    }
  }

  /**
   * Throws what `exclusively` would, as far as it can be told without writing: waits for a live owner too. A
   * lock that names nobody counts as free.
   */
  async wouldBeTaken(wait: number = lockWait): Promise<void> {
    const deadline = this.clock.now() + wait;
    for (let attempt = 0; ; attempt += 1) {
      const owner = this.liveOwner();
      if (owner === undefined) return;
      if (this.clock.now() >= deadline) throw this.busy(owner);
      await this.clock.sleep(Math.min(1 + attempt, 20));
    }
  }

  private liveOwner(): Owner | undefined {
    try {
      this.files.mustBeWritable(dirname(this.path));
      const bytes = readIfThere(this.files, this.path);
      const owner = bytes === undefined ? undefined : ownerIn(bytes);
      return owner === undefined || this.stuck.has(owner.token) || isGone(this.files, owner) ? undefined : owner;
    } catch (error) {
      throw this.refused(error);
    }
  }

  private async acquire(wait: number): Promise<string> {
    const token = uniqueName();
    const deadline = this.clock.now() + wait;
    for (let attempt = 0; ; attempt += 1) {
      let holder: Holder | undefined;
      try {
        // After the first try a look comes first: it costs less, and hinders whoever is at work under the lock less.
        if (attempt > 0) holder = this.holder(this.path);
        if (holder === undefined && this.tryTake(this.path, token)) return token;
        holder ??= this.holder(this.path);
        if (holder?.gone === true && this.takeAway(holder)) continue;
      } catch (error) {
        throw this.refused(error);
      }
      if (this.clock.now() >= deadline) throw this.busy(holder?.owner);
      await this.clock.sleep(Math.min(1 + attempt, 20));
    }
  }

  private refused(error: unknown): unknown {
    if (TurnstoneError.is(error) || systemCode(error) === undefined) return error;
    return new TurnstoneError('readOnly', `The store can't be written (${messageOf(error)}). Nothing was changed.`, error);
  }

  private busy(owner: Owner | undefined): TurnstoneError {
    const who = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
    return new TurnstoneError('busy', `The store is locked by ${who} (${this.path}). Nothing was written. Try again when it is done.`);
  }

  private tryTake(path: string, token: string): boolean {
    const temporary = `${path}.${token}.tmp`;
    const bytes = Buffer.from(JSON.stringify({ token, ...currentProcess(this.files) }));
    this.writeOwner(temporary, bytes);
    try {
      this.files.hardLink(temporary, path);
      return true;
    } catch (error) {
      // Without the temporary file somebody has tidied up at just this moment; the next try makes a new one.
      if (systemCode(error) === 'EEXIST' || systemCode(error) === 'ENOENT') return false;
      return this.tryTakeWithoutLinks(path, bytes, error);
    } finally {
      removeQuietly(this.files, temporary);
    }
  }

  private writeOwner(path: string, bytes: Uint8Array): void {
    try {
      const file = this.files.open(path, 'create', 0o600);
      try {
        file.write(bytes, 0);
      } finally {
        file.close();
      }
    } catch (error) {
      removeQuietly(this.files, path);
      throw this.refused(error);
    }
  }

  // Some file systems have no hard links. Making the file exclusively is as good a lock; only a crash
  // between making and filling it leaves one whose owner nobody can tell, and then we say so.
  private tryTakeWithoutLinks(path: string, bytes: Uint8Array, linkError: unknown): boolean {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'].includes(systemCode(linkError) ?? '')) throw linkError;
    let file: OpenFile;
    try {
      file = this.files.open(path, 'create', 0o600);
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      file.write(bytes, 0);
      return true;
    } catch (error) {
      removeQuietly(this.files, path);
      throw error;
    } finally {
      file.close();
    }
  }

  private holder(path: string): Holder | undefined {
    const bytes = readIfThere(this.files, path);
    if (bytes === undefined) return undefined;
    const owner = ownerIn(bytes);
    if (owner !== undefined) return { token: owner.token, owner, gone: this.stuck.has(owner.token) || isGone(this.files, owner) };
    const stat = this.files.stat(path);
    // Where there are hard links a lock has its owner in it from the first moment on, so nobody alive holds this one.
    return stat === undefined ? undefined : { token: `ruin-${stat.identity.replaceAll(':', '-')}`, owner, gone: this.canLink() };
  }

  private canLink(): boolean {
    const [one, two] = [`${this.path}.${uniqueName()}.tmp`, `${this.path}.${uniqueName()}.tmp`];
    try {
      this.writeOwner(one, new Uint8Array(0));
      this.files.hardLink(one, two);
      return true;
    } catch {
      return false;
    } finally {
      removeQuietly(this.files, one);
      removeQuietly(this.files, two);
    }
  }

  /** Removes the lock of an owner that is gone; false when another heir is at it. */
  private takeAway(dead: Holder): boolean {
    const heirs: string[] = [];
    for (let rival: Holder = dead; ; ) {
      const right = `${this.path}.heir-${rival.token}`;
      const token = uniqueName();
      if (this.tryTake(right, token)) {
        heirs.push(right);
        break;
      }
      const holder = this.holder(right);
      if (holder?.gone !== true) return false;
      heirs.push(right);
      rival = holder;
    }
    try {
      // An earlier heir may have done it before it died; then the lock is somebody else's by now.
      if (this.holder(this.path)?.token === dead.token) {
        this.settle();
        this.files.remove(this.path);
      }
    } catch (error) {
      // Another one may try. The rights of dead heirs stay as they are: they lead everybody to the same last one.
      removeQuietly(this.files, heirs.at(-1) as string);
      throw error;
    }
    for (const right of heirs) removeQuietly(this.files, right);
    return true;
  }

  // What was done under the lock is done: that the lock can't be released must not make a failure of it.
  private release(token: string): void {
    try {
      const bytes = readIfThere(this.files, this.path);
      if (bytes !== undefined && ownerIn(bytes)?.token === token) this.files.remove(this.path);
    } catch {
      this.stuck.add(token);
    }
  }

  /** Removes what processes that died while taking this lock have left beside it. Never throws. */
  tidy(): void {
    try {
      const prefix = `${basename(this.path)}.`;
      const beside = this.files.readDirectory(dirname(this.path)).filter(name => name.startsWith(prefix)).map(name => join(dirname(this.path), name));
      // The right to inherit from somebody matters only for as long as that one's lock is there.
      const inheritance = this.holder(this.path)?.gone === true;
      for (const path of beside) {
        const holder = this.holder(path);
        if (holder === undefined) continue;
        const left = holder.gone || (holder.owner === undefined && path.endsWith('.tmp'));
        if (left && (path.endsWith('.tmp') || (!inheritance && path.startsWith(`${this.path}.heir-`)))) removeQuietly(this.files, path);
      }
    } catch {
      // It is only about looks.
    }
  }
}
