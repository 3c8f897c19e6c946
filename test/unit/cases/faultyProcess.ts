/*
 * Loaded into a process of the built command line before anything else (NODE_OPTIONS=--import): its file system breaks off, or
 * waits, at a chosen call. TURNSTONE_TEST_FAULT is JSON: the call's name, the how manieth it is, and what happens then; or how full the disk is.
 */
import fs from 'node:fs';

type Call = 'renameSync' | 'writeSync' | 'linkSync' | 'fdatasyncSync' | 'fsyncSync';

/** `die`: half of what was to be written is, then the process is killed. `wait`: until the file `until` is there. */
export interface Fault {
  readonly call: Call;
  readonly nth: number;
  readonly then: 'die' | 'wait';
  /** Made when the call is reached. */
  readonly reached?: string;
  readonly until?: string;
}

/** `contents`: it takes names, but nothing into a file. `names`: not even those. */
export interface FullDisk {
  readonly full: 'contents' | 'names';
}

const text = process.env['TURNSTONE_TEST_FAULT'];
const fault = text === undefined ? undefined : (JSON.parse(text) as Fault | FullDisk);

function waitFor(path: string): void {
  while (!fs.existsSync(path)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}

function refuse(name: 'writeSync' | 'openSync' | 'mkdirSync', isRefused: (parameters: readonly unknown[]) => boolean): void {
  const original = fs[name] as (...parameters: unknown[]) => unknown;
  const faulty = (...parameters: unknown[]): unknown => {
    if (isRefused(parameters)) throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC', syscall: name });
    return original(...parameters);
  };
  Object.assign(fs, { [name]: faulty });
}

if (fault !== undefined && 'full' in fault) {
  refuse('writeSync', () => true);
  if (fault.full === 'names') {
    refuse('mkdirSync', () => true);
    refuse('openSync', ([path, flags]) => typeof flags === 'string' && /[wa]/.test(flags) && !fs.existsSync(path as string));
  }
} else if (fault !== undefined) {
  let calls = 0;
  const original = fs[fault.call] as (...parameters: unknown[]) => unknown;
  const faulty = (...parameters: unknown[]): unknown => {
    calls += 1;
    if (calls !== fault.nth) return original(...parameters);
    if (fault.reached !== undefined) fs.writeFileSync(fault.reached, '');
    if (fault.then === 'wait') waitFor(fault.until ?? '');
    else {
      const [descriptor, bytes, offset, length, position] = parameters;
      if (fault.call === 'writeSync') original(descriptor, bytes, offset, Math.floor((length as number) / 2), position);
      process.kill(process.pid, 'SIGKILL');
    }
    return original(...parameters);
  };
  Object.assign(fs, { [fault.call]: faulty });
}
