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

/** State and start of a process, as far as the platform says; both empty where it doesn't. */
function statusOf(files: Files, pid: number): { readonly state: string; readonly started: string } {
  const stat = text(files, `/proc/${pid}/stat`);
  // The command's name may hold anything, so fields are counted from its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', started: fields[19] ?? '' };
}

const current = new WeakMap<Files, ProcessIdentity>();

/** This process; it stays the same, so it is looked up once for each file system. */
export function currentProcess(files: Files): ProcessIdentity {
  const known = current.get(files);
  if (known !== undefined) return known;
  const identity = {
    host: hostOf(files),
    boot: text(files, '/proc/sys/kernel/random/boot_id'),
    pid: process.pid,
    started: statusOf(files, process.pid).started,
  };
  current.set(files, identity);
  return identity;
}

/** Another process of this machine, as it is now. */
export function processWith(files: Files, pid: number): ProcessIdentity {
  return { ...currentProcess(files), pid, started: statusOf(files, pid).started };
}

/** Whether it is this very process, and not another one that has its number. */
export function isThisProcess(files: Files, { host, boot, pid, started }: ProcessIdentity): boolean {
  const self = currentProcess(files);
  return host === self.host && boot === self.boot && pid === self.pid && started === self.started;
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
  // Where one of the two could not tell, the process itself has to.
  if (owner.boot !== self.boot && owner.boot !== '' && self.boot !== '') return true;
  if (!exists(owner.pid)) return true;
  const { state, started } = statusOf(files, owner.pid);
  // Dead and not yet buried: in a container there may be nobody who ever does it.
  if (state === 'Z' || state === 'X') return true;
  return owner.started !== '' && started !== '' && started !== owner.started;
}
