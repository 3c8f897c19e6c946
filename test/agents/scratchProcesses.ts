import { readdirSync, readFileSync } from 'node:fs';
import type { Scratch } from './scratch.ts';

export interface ScratchProcess {
  readonly pid: number;
  readonly words: readonly string[];
}

/** The processes that an agent program has started and that are still there: their home is the scratch one. Linux only; elsewhere none is found. */
export function processesOf({ home }: Scratch): readonly ScratchProcess[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => (wordsIn(`/proc/${pid}/environ`).includes(`HOME=${home}`) ? [{ pid: Number(pid), words: wordsIn(`/proc/${pid}/cmdline`) }] : []));
}

function wordsIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\0');
  } catch {
    return [];
  }
}
