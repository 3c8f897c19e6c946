import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Position } from '../journal/segments.ts';
import type { Witness } from '../journal/witness.ts';
import { isContentsFile } from '../snapshot/packs.ts';
import { framesIn, generationName, generationsAmong, newestAmong } from './generationFrames.ts';

/**
 * What contents and generations tell of the journal beside them. A pack is made only after the journal's first line was durable, and a
 * generation is cut only of records that are.
 */
export class StoreWitness implements Witness {
  private readonly files: Files;
  private readonly directory: string;

  constructor(files: Files, directory: string) {
    this.files = files;
    this.directory = directory;
  }

  sawBeginning(): boolean {
    return this.namesIn('blobs').some(isContentsFile) || generationsAmong(this.namesIn('generations')).length > 0;
  }

  /** As far as the newest file tells that has a whole frame. */
  newestSeen(): Position | undefined {
    for (const seq of generationsAmong(this.namesIn('generations'))) {
      const frames = framesIn(this.bytesOf(join(this.directory, 'generations', generationName(seq))));
      const newest = newestAmong(frames);
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  private namesIn(folder: string): readonly string[] {
    return this.thereOr([], () => this.files.readDirectory(join(this.directory, folder)));
  }

  private bytesOf(path: string): Buffer {
    return this.thereOr(Buffer.alloc(0), () => Buffer.from(this.files.read(path)));
  }

  /** What can't be looked at tells nothing. */
  private thereOr<T>(otherwise: T, look: () => T): T {
    try {
      return look();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return otherwise;
    }
  }
}
