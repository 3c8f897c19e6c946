import { join } from 'node:path';
import type { Files } from '../base/files.ts';
import { readIfThere, replaceFile } from '../base/fileTools.ts';
import { isShape } from '../base/shape.ts';
import { defaultMaxFileSize } from '../snapshot/observe.ts';

/**
 * What a user can set of how a folder is recorded. The editor writes it to `settings.json` in the folder's part of the storage, beside `root.json`,
 * because hooks must obey it while no editor runs; hooks and the command line only read it, and without it the defaults are in force:
 *
 *     {
 *       "format": 1,
 *       "exclude": ["*.sqlite", "data/"],    patterns as in .gitignore, relative to the folder
 *       "maxFileSize": 10485760,             bytes; 1 MiB to 100 MiB
 *       "lookBudget": 2000,                  milliseconds; 100 to 20,000, which is less than any agent waits for a hook
 *       "copyLimit": 536870912               bytes; 1 MiB to 64 GiB
 *     }
 *
 * Each member that is missing, or is not what it should be, is the default; so is all of a file that can't be read or has another format.
 */
export interface CaptureSettings {
  readonly exclude: readonly string[];
  readonly maxFileSize: number;
  readonly lookBudget: number;
  readonly copyLimit: number;
}

const mebibyte = 1024 * 1024;

/** design.md §10. */
export const defaultCaptureSettings: CaptureSettings = { exclude: [], maxFileSize: defaultMaxFileSize, lookBudget: 2000, copyLimit: 512 * mebibyte };

/** The least and the most that each may be. */
export const captureBounds = {
  maxFileSize: [mebibyte, 100 * mebibyte],
  lookBudget: [100, 20_000],
  copyLimit: [mebibyte, 64 * 1024 * mebibyte],
} as const;

const fileLimit = 256 * 1024;
const patternsAtMost = 1000;
const patternLength = 1000;

function isPattern(value: unknown): value is string {
  return typeof value === 'string' && value.length <= patternLength && !/[\r\n\0]/.test(value);
}

/** Settings as somebody wrote them, made sound. */
export function soundCaptureSettings(told: Readonly<Partial<Record<keyof CaptureSettings, unknown>>>): CaptureSettings {
  const number = (name: keyof typeof captureBounds): number => {
    const [value, [least, most]] = [told[name], captureBounds[name]];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most ? value : defaultCaptureSettings[name];
  };
  const { exclude } = told;
  const isSound = Array.isArray(exclude) && exclude.length <= patternsAtMost && exclude.every(isPattern);
  return { exclude: isSound ? exclude : defaultCaptureSettings.exclude, maxFileSize: number('maxFileSize'), lookBudget: number('lookBudget'), copyLimit: number('copyLimit') };
}

function pathIn(directory: string): string {
  return join(directory, 'settings.json');
}

/** What is in force for the folder whose part of the storage this is. Never throws. */
export function readCaptureSettings(files: Files, directory: string): CaptureSettings {
  try {
    const path = pathIn(directory);
    const stat = files.stat(path);
    // Anything but a small file was not written by the editor; a pipe would never end.
    if (stat?.kind !== 'file' || stat.size > fileLimit) return defaultCaptureSettings;
    const value: unknown = JSON.parse(Buffer.from(files.read(path)).toString('utf8'));
    return isShape(value) && value['format'] === 1 ? soundCaptureSettings(value) : defaultCaptureSettings;
  } catch {
    return defaultCaptureSettings;
  }
}

/** Says what is in force from now on. Writes nothing where that is what hooks find already. */
export function writeCaptureSettings(files: Files, directory: string, settings: CaptureSettings): void {
  const sound = soundCaptureSettings(settings);
  const path = pathIn(directory);
  if (files.stat(path) === undefined && JSON.stringify(sound) === JSON.stringify(defaultCaptureSettings)) return;
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...sound }, null, 2)}\n`);
  const there = files.stat(path)?.kind === 'file' ? readIfThere(files, path) : undefined;
  if (there === undefined || !Buffer.from(there).equals(bytes)) replaceFile(files, path, bytes, 0o600);
}
