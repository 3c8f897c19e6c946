import type { Files } from '../base/files.ts';

/** The names in the folder of contents; BLOBS.md beside this file tells the format. */
export const packPattern = /^(\d{6})\.pack$/;
export const indexName = 'index';

export function packName(pack: number): string {
  return `${String(pack).padStart(6, '0')}.pack`;
}

/** The numbers of the packs that are there. */
export function listPacks(files: Files, directory: string): readonly number[] {
  const names = files.stat(directory) === undefined ? [] : files.readDirectory(directory);
  return names.map(name => packPattern.exec(name)?.[1]).filter(digits => digits !== undefined).map(Number);
}

/** Whether a name is one of those that hold contents, or say where they are. */
export function isContentsFile(name: string): boolean {
  return packPattern.test(name) || name === indexName;
}
