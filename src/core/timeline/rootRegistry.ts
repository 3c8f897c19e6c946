import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { TurnstoneError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { makeDirectories, readIfThere, replaceFile } from '../base/fileTools.ts';
import { derivedId, randomId } from '../base/ids.ts';
import { isShape, listAt, textAt } from '../base/shape.ts';
import { Lock } from '../journal/lock.ts';
import { canonicalPath } from '../snapshot/paths.ts';
import { Policy } from './policy.ts';

/**
 * Who a store belongs to. `store` is random: two stores never share one, even for the same path. `identity`
 * is the folder itself, as far as its file system tells: another folder at the same path has another one.
 */
export interface RootIdentity {
  readonly format: 1;
  readonly key: string;
  readonly store: string;
  readonly path: string;
  readonly identity: string;
}

export interface KnownRoot {
  readonly key: string;
  /** Canonical and native. */
  readonly path: string;
}

const keyPattern = /^r-[a-z0-9]+$/;

function readKnown(value: unknown): KnownRoot | undefined {
  if (!isShape(value)) return undefined;
  const [key, path] = [textAt(value, 'key'), textAt(value, 'path')];
  // The key becomes a folder's name, so it must not lead anywhere else.
  return key !== undefined && keyPattern.test(key) && path !== undefined && isAbsolute(path) ? { key, path } : undefined;
}

function readRoots(value: unknown): readonly KnownRoot[] | undefined {
  const roots = isShape(value) && value['format'] === 1 ? listAt(value, 'roots')?.map(readKnown) : undefined;
  return roots?.every(root => root !== undefined) === true ? roots : undefined;
}

function readIdentity(value: unknown): RootIdentity | undefined {
  const known = readKnown(value);
  if (known === undefined || !isShape(value) || value['format'] !== 1) return undefined;
  const [store, identity] = [textAt(value, 'store'), textAt(value, 'identity')];
  return store === undefined || identity === undefined ? undefined : { format: 1, ...known, store, identity };
}

function parse<T>(read: (value: unknown) => T | undefined, bytes: Uint8Array, path: string): T {
  let found: T | undefined;
  try {
    found = read(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    found = undefined;
  }
  if (found === undefined) throw new TurnstoneError('damaged', `${path} can't be read. Nothing was changed.`);
  return found;
}

export function holds(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/**
 * The folders that Turnstone knows, in one storage directory.
 *
 * Invariants: nothing is written before `add`; a folder keeps its key for as long as its path is the same.
 */
export class RootRegistry {
  protected readonly files: Files;
  protected readonly clock: Clock;
  readonly storage: string;

  constructor(files: Files, clock: Clock, storage: string) {
    this.files = files;
    this.clock = clock;
    this.storage = storage;
  }

  list(): readonly KnownRoot[] {
    const path = join(this.storage, 'roots.json');
    const bytes = readIfThere(this.files, path);
    return bytes === undefined ? [] : parse(readRoots, bytes, path);
  }

  /** The deepest known root that holds a path. */
  find(path: string, known: readonly KnownRoot[] = this.list()): KnownRoot | undefined {
    const canonical = this.followed(path);
    if (canonical === undefined) return undefined;
    return known
      .filter(root => holds(root.path, canonical))
      .sort((a, b) => b.path.length - a.path.length)[0];
  }

  // Links in a circle lead nowhere, so no root holds what they name.
  private followed(path: string): string | undefined {
    try {
      return canonicalPath(this.files, path);
    } catch {
      return undefined;
    }
  }

  /** The known root at exactly this folder. */
  at(folder: string): KnownRoot | undefined {
    const canonical = canonicalPath(this.files, folder);
    return this.list().find(root => root.path === canonical);
  }

  /** Makes a folder known; returns it whether or not it was already. */
  async add(folder: string): Promise<KnownRoot> {
    const path = canonicalPath(this.files, folder);
    const stat = this.files.stat(path);
    if (stat?.kind !== 'directory') throw new TurnstoneError('notFound', `${folder} is not a folder. Nothing was changed.`);
    const forbidden = Policy.read(this.files).whyNotIn(path);
    if (forbidden !== undefined) throw new TurnstoneError('readOnly', `${forbidden} Nothing was changed.`);
    const root = { key: derivedId('root', path), path };
    makeDirectories(this.files, join(this.storage, 'roots'), 0o700);
    await new Lock(this.files, this.clock, join(this.storage, 'roots.lock')).exclusively(() => {
      const directory = join(this.storage, 'roots', root.key);
      makeDirectories(this.files, directory, 0o700);
      const identityPath = join(directory, 'root.json');
      if (this.files.stat(identityPath) === undefined) {
        const identity: RootIdentity = { format: 1, ...root, store: randomId('store'), identity: stat.identity };
        replaceFile(this.files, identityPath, Buffer.from(`${JSON.stringify(identity, null, 2)}\n`), 0o600);
      }
      const roots = this.list();
      // Whoever began this may have died before the names were durable, and all that is recorded from now on would go with them.
      this.files.syncDirectory(dirname(directory));
      if (roots.some(known => known.key === root.key)) return this.files.syncDirectory(this.storage);
      const bytes = Buffer.from(`${JSON.stringify({ format: 1, roots: [...roots, root] }, null, 2)}\n`);
      replaceFile(this.files, join(this.storage, 'roots.json'), bytes, 0o600);
    });
    return root;
  }

  directoryOf(root: KnownRoot): string {
    return join(this.storage, 'roots', root.key);
  }

  /** Who a known root's store belongs to; throws `damaged` where that can't be told. */
  identityOf(root: KnownRoot): RootIdentity {
    const path = join(this.directoryOf(root), 'root.json');
    const bytes = readIfThere(this.files, path);
    if (bytes === undefined) throw new TurnstoneError('damaged', `The history of ${root.path} has no ${path}. Nothing was changed.`);
    const identity = parse(readIdentity, bytes, path);
    if (identity.path !== root.path || identity.key !== root.key) {
      throw new TurnstoneError('damaged', `${path} belongs to ${identity.path}, not to ${root.path}. Nothing was changed.`);
    }
    return identity;
  }
}
