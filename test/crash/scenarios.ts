import { selectUndo } from '../../src/core/rewind/undo.ts';
import type { Actor, Contents, World } from '../twins/world.ts';

/** A stretch of work that is interrupted at every single file operation. */
export interface Scenario {
  readonly name: string;
  readonly files: Contents;
  /** Happens before, undisturbed. */
  prepare(world: World, actor: Actor): Promise<void>;
  /** Each step is acknowledged when it resolves. */
  readonly steps: readonly ((world: World, actor: Actor) => Promise<unknown>)[];
  /** Whether the steps restore files: then it is tried again, and taken back, after every interruption. */
  readonly restores: boolean;
}

const files: Contents = { 'edit.txt': 'v0\n', 'gone.txt': 'here\n', 'deep/er/keep.txt': 'keep\n', 'twin.txt': 'twin v0\n' };

/** One turn that edits, deletes, creates in new folders, and edits a file that has two names. */
async function workedOn(world: World, actor: Actor): Promise<void> {
  world.memory.hardLink('/project/twin.txt', '/project/other-name.txt');
  await actor.turn('t-1', [{ 'edit.txt': 'v1\n' }, { 'gone.txt': null }, { 'new/folder/made.txt': 'made\n' }, { 'twin.txt': 'twin longer v1\n' }]);
}

/** Undoes the rewind; what an earlier try has left is undone when the rewind is named again. */
function undoRewind(actor: Actor): Promise<unknown> {
  return actor.restore(timeline => {
    const rewind = [...timeline.operations.values()].find(operation => operation.intent.kind === 'rewind');
    if (rewind === undefined) throw new Error('nothing was rewound');
    return selectUndo(timeline, 'undo', rewind);
  });
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'the first call of a session',
    files,
    prepare: async () => undefined,
    steps: [
      (_, actor) => actor.recorder.openSession({ session: 's-a', agent: 'test', agentSession: 'a' }),
      (_, actor) => actor.openTurn('t-1'),
      (_, actor) => actor.call('t-1', { 'edit.txt': 'v1\n', 'new/made.txt': 'made\n' }),
      (_, actor) => actor.recorder.closeTurn('s-a', 't-1'),
    ],
    restores: false,
  },
  {
    name: 'a turn after the user has changed files',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      world.write({ 'edit.txt': 'v1\nmine\n', 'deep/er/keep.txt': null });
    },
    steps: [(_, actor) => actor.openTurn('t-2'), (_, actor) => actor.call('t-2', { 'edit.txt': 'v2\n' })],
    restores: false,
  },
  { name: 'a rewind', files, prepare: workedOn, steps: [(_, actor) => actor.rewind('t-1')], restores: true },
  {
    name: 'a rewind over work of the user',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      world.write({ 'edit.txt': 'v1\nmine\n' });
    },
    steps: [(_, actor) => actor.rewind('t-1', 'overwrite')],
    restores: true,
  },
  {
    name: 'an undo',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.rewind('t-1');
    },
    steps: [(_, actor) => undoRewind(actor)],
    restores: true,
  },
  {
    name: 'a rewind of permissions and of an open call',
    files,
    async prepare(world, actor) {
      await actor.openTurn('t-1');
      await actor.call('t-1', { 'edit.txt': 'v1\n' });
      const end = await actor.begin('t-1', {});
      await end();
      await actor.recorder.begin({ session: 's-a', turn: 't-1', call: 'c-open', tool: 'Write', paths: ['/project/gone.txt', '/project/deep/er/keep.txt'] });
      world.write({ 'gone.txt': 'changed\n' });
      world.memory.setMode('/project/edit.txt', 0o755);
    },
    steps: [(_, actor) => actor.rewind('t-1')],
    restores: true,
  },
];
