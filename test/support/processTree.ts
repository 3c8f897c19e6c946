// Servers are stopped by process id, with everything they started. VS Code's file watcher outlives its server, and in a
// container nobody may reap a dead grandchild, so a zombie counts as gone.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until.ts';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly zombie: boolean;
}

const roots = new Set<number>();
let armed = false;

function fromProc(pid: number): ProcessEntry | undefined {
  try {
    // The command name stands in parentheses and may itself hold any character, hence the last parenthesis.
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { pid, parent: Number(parent), zombie: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

function listProcesses(): ProcessEntry[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => fromProc(Number(name)) ?? []);
  }
  const table = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).stdout ?? '';
  return table.trim().split('\n').map((line) => {
    const [pid, parent, state] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), zombie: state?.startsWith('Z') ?? false };
  });
}

export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return fromProc(pid)?.zombie === false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function treeOf(root: number): number[] {
  const all = listProcesses();
  const tree = [root];
  for (const parent of tree) tree.push(...all.filter((entry) => entry.parent === parent).map((entry) => entry.pid));
  return tree;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself, which is what was wanted.
  }
}

function killTreeNow(root: number): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/PID', String(root), '/T', '/F']);
  else for (const pid of treeOf(root)) signal(pid, 'SIGKILL');
}

/** Makes sure the tree of this process does not outlive us, even when a test run is interrupted. */
export function ownProcess(root: number): void {
  roots.add(root);
  if (armed) return;
  armed = true;
  // Before the other listeners, which remove directories these processes write to.
  process.prependOnceListener('exit', () => roots.forEach(killTreeNow));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
}

/** Asks the root to end, kills what is left of its tree, and returns when every process of it is gone. */
export async function stopProcessTree(root: number): Promise<void> {
  const tree = process.platform === 'win32' ? [root] : treeOf(root);
  if (process.platform === 'win32') killTreeNow(root);
  else signal(root, 'SIGTERM');
  await until(`process ${root} ends when asked`, () => !isAlive(root), 5_000).catch(() => killTreeNow(root));
  for (const pid of tree) if (isAlive(pid)) signal(pid, 'SIGKILL');
  await until(`the processes of ${root} are gone`, () => !tree.some(isAlive), 10_000);
  roots.delete(root);
}
