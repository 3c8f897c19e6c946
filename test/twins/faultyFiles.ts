import type { Files, OpenFile } from '../../src/core/base/files.ts';
import type { ForgetfulFile, Forgetting, MemoryFiles } from './memoryFiles.ts';
import { systemError } from './systemError.ts';

/** The process is dead: nothing it does has any effect from here on. */
export class Crash extends Error {
  constructor() {
    super('the process is dead');
    this.name = 'Crash';
  }
}

/** One call through the port, in the order in which they came. */
export interface FileOperation {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** What a write writes, and where. */
  readonly write?: { readonly bytes: Uint8Array; readonly position: number };
}

/**
 * What happens instead of an operation. `written` is how many bytes of a write reach the disk before; all
 * other operations happen not at all. `forgets`: a sync fails, and what it should have made durable never will be
 * (memory only).
 */
export type Fault =
  | { readonly kind: 'crash'; readonly written?: number }
  | { readonly kind: 'error'; readonly code: string; readonly written?: number; readonly forgets?: Forgetting };

export type FaultPlan = (operation: FileOperation) => Fault | undefined;

export interface FaultyFiles extends Files {
  readonly operations: readonly FileOperation[];
  readonly crashed: boolean;
}

const noFault: FaultPlan = () => undefined;

/** Wraps a file system: counts every operation, and lets a plan spoil any of them. */
export function faultyFiles(inner: Files, plan: FaultPlan = noFault): FaultyFiles {
  const operations: FileOperation[] = [];
  let crashed = false;

  const perform = <Result>(operation: FileOperation, work: () => Result, spoil?: (fault: Fault) => void): Result => {
    if (crashed) throw new Crash();
    operations.push(operation);
    const fault = plan(operation);
    if (fault === undefined) return work();
    spoil?.(fault);
    if (fault.kind === 'error') throw systemError(fault.code, operation.method, operation.path);
    crashed = true;
    throw new Crash();
  };
  const pass = <Result>(method: string, path: string, work: () => Result, spoil?: (fault: Fault) => void): Result =>
    perform({ index: operations.length, method, path }, work, spoil);

  const forget = (file: OpenFile) => (fault: Fault): void => {
    if (fault.kind === 'error' && fault.forgets !== undefined) (file as ForgetfulFile).forgetUnsynced(fault.forgets);
  };
  const forgetNames = (path: string) => (fault: Fault): void => {
    if (fault.kind === 'error' && fault.forgets !== undefined) (inner as MemoryFiles).forgetNames(path, fault.forgets);
  };

  const wrapFile = (file: OpenFile, path: string): OpenFile => ({
    write: (bytes, position) =>
      perform(
        { index: operations.length, method: 'write', path, write: { bytes, position } },
        () => file.write(bytes, position),
        ({ written }) => written === undefined || file.write(bytes.subarray(0, written), position),
      ),
    truncate: size => pass('truncate', path, () => file.truncate(size)),
    setMode: mode => pass('fchmod', path, () => file.setMode(mode)),
    size: () => pass('size', path, () => file.size()),
    syncData: () => pass('syncData', path, () => file.syncData(), forget(file)),
    sync: () => pass('sync', path, () => file.sync(), forget(file)),
    // The system closes a dead process's files, and a descriptor that fails to close is gone all the same.
    close() {
      file.close();
      pass('close', path, () => undefined);
    },
  });

  return {
    operations,
    get crashed() {
      return crashed;
    },
    stat: path => pass('stat', path, () => inner.stat(path)),
    read: path => pass('read', path, () => inner.read(path)),
    readAt: (path, offset, length) => pass('readAt', path, () => inner.readAt(path, offset, length)),
    readDirectory: path => pass('readDirectory', path, () => inner.readDirectory(path)),
    readLink: path => pass('readLink', path, () => inner.readLink(path)),
    realPath: path => pass('realPath', path, () => inner.realPath(path)),
    makeDirectory: (path, mode) => pass('makeDirectory', path, () => inner.makeDirectory(path, mode)),
    removeDirectory: path => pass('removeDirectory', path, () => inner.removeDirectory(path)),
    remove: path => pass('remove', path, () => inner.remove(path)),
    rename: (from, to) => pass('rename', to, () => inner.rename(from, to)),
    hardLink: (existing, path) => pass('hardLink', path, () => inner.hardLink(existing, path)),
    symbolicLink: (target, path) => pass('symbolicLink', path, () => inner.symbolicLink(target, path)),
    setMode: (path, mode) => pass('setMode', path, () => inner.setMode(path, mode)),
    open: (path, flag, mode) => wrapFile(pass('open', path, () => inner.open(path, flag, mode)), path),
    mustBeWritable: directory => pass('mustBeWritable', directory, () => inner.mustBeWritable(directory)),
    syncDirectory: path => pass('syncDirectory', path, () => inner.syncDirectory(path), forgetNames(path)),
    watchDirectory: (path, listener) => pass('watchDirectory', path, () => inner.watchDirectory(path, listener)),
  };
}

/** Spoils exactly the n-th operation. */
export function at(index: number, fault: Fault): FaultPlan {
  return operation => (operation.index === index ? fault : undefined);
}

/** Spoils every operation that matches. */
export function whenever(method: string, path: RegExp, fault: Fault): FaultPlan {
  return operation => (operation.method === method && path.test(operation.path) ? fault : undefined);
}
