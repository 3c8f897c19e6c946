import type { Files } from './files.ts';

/** Which process, on which running machine: enough to prove later that it is gone. */
export interface ProcessIdentity {
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  /** When the process started, in the machine's own ticks; empty where the platform doesn't say cheaply. */
  readonly started: string;
}

function text(files: Files, path: string): string {
  try {
    return Buffer.from(files.read(path)).toString('latin1').trim();
  } catch {
    return '';
  }
}

// Loading node:os takes longer than all else here, and where the kernel tells the name it isn't needed.
function hostName(files: Files): string {
  return text(files, '/proc/sys/kernel/hostname') || process.getBuiltinModule('node:os').hostname();
}

// A process in a container has numbers of its own: the same number elsewhere proves nothing.
function hostOf(files: Files): string {
  try {
    return `${hostName(files)}/${files.readLink('/proc/self/ns/pid')}`;
  } catch {
    return hostName(files);
  }
}

function startOf(files: Files, pid: number): string {
  const stat = text(files, `/proc/${pid}/stat`);
  // The command's name may hold anything, so fields are counted from its closing parenthesis.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

let current: ProcessIdentity | undefined;

/** This process; it stays the same, so it is looked up once. */
export function currentProcess(files: Files): ProcessIdentity {
  return (current ??= {
    host: hostOf(files),
    boot: text(files, '/proc/sys/kernel/random/boot_id'),
    pid: process.pid,
    started: startOf(files, process.pid),
  });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Whether a process is provably gone. A process of another machine or container is never provably
 * gone, and neither is one whose number is in use and whose start can't be compared.
 */
export function isGone(files: Files, owner: ProcessIdentity): boolean {
  const self = currentProcess(files);
  if (owner.host !== self.host) return false;
  if (owner.boot !== self.boot) return owner.boot !== '' && self.boot !== '';
  if (!exists(owner.pid)) return true;
  const started = startOf(files, owner.pid);
  return owner.started !== '' && started !== '' && started !== owner.started;
}
