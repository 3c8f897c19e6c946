import { join, relative, isAbsolute, sep } from 'node:path';
import * as z from 'zod/mini';
import type { Clock } from '../base/clock.ts';
import { TurnstoneError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { makeDirectories, readIfThere, replaceFile } from '../base/fileTools.ts';
import { derivedId, randomId } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import { Lock } from '../journal/lock.ts';
import { canonicalPath } from '../snapshot/paths.ts';
import { RootStore } from './store.ts';

const text = lazy(() => z.string());

const rootsSchema = lazy(() => z.object({ format: z.literal(1), roots: z.array(z.object({ key: text(), path: text() })) }));

/** `store` is random: two stores never share one, even for the same path. */
const identitySchema = lazy(() => z.object({ format: z.literal(1), key: text(), store: text(), path: text(), identity: text() }));
/** `identity` is the folder itself, as far as its file system tells: another folder at the same path has another one. */
export type RootIdentity = Readonly<z.infer<ReturnType<typeof identitySchema>>>;

export interface KnownRoot {
  readonly key: string;
  /** Canonical and native. */
  readonly path: string;
}

function parse<T>(schema: z.ZodMiniType<T>, bytes: Uint8Array, path: string): T {
  try {
    return z.parse(schema, JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    throw new TurnstoneError('damaged', `${path} can't be read. Nothing was changed.`, error);
  }
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
export class Roots {
  private readonly files: Files;
  private readonly clock: Clock;
  readonly storage: string;

  constructor(files: Files, clock: Clock, storage: string) {
    this.files = files;
    this.clock = clock;
    this.storage = storage;
  }

  list(): readonly KnownRoot[] {
    const path = join(this.storage, 'roots.json');
    const bytes = readIfThere(this.files, path);
    return bytes === undefined ? [] : parse(rootsSchema(), bytes, path).roots;
  }

  /** The deepest known root that holds a path. */
  find(path: string): KnownRoot | undefined {
    const canonical = canonicalPath(this.files, path);
    return this.list()
      .filter(root => holds(root.path, canonical))
      .sort((a, b) => b.path.length - a.path.length)[0];
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
      if (roots.some(known => known.key === root.key)) return;
      const bytes = Buffer.from(`${JSON.stringify({ format: 1, roots: [...roots, root] }, null, 2)}\n`);
      replaceFile(this.files, join(this.storage, 'roots.json'), bytes, 0o600);
    });
    return root;
  }

  directoryOf(root: KnownRoot): string {
    return join(this.storage, 'roots', root.key);
  }

  open(root: KnownRoot): RootStore {
    const directory = this.directoryOf(root);
    const path = join(directory, 'root.json');
    const bytes = readIfThere(this.files, path);
    if (bytes === undefined) throw new TurnstoneError('damaged', `The history of ${root.path} has no ${path}. Nothing was changed.`);
    const identity = parse(identitySchema(), bytes, path);
    if (identity.path !== root.path || identity.key !== root.key) {
      throw new TurnstoneError('damaged', `${path} belongs to ${identity.path}, not to ${root.path}. Nothing was changed.`);
    }
    return new RootStore(this.files, this.clock, directory, identity);
  }

  /** Whether the folder that is there now is the one that became known, and not another at its path. */
  isSameFolder(identity: RootIdentity): boolean {
    return this.files.stat(identity.path)?.identity === identity.identity;
  }
}
