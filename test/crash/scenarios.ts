// The stretches of work that are interrupted at every single file operation.
//
// To add one, add an object to `scenarios` below; everything else follows from it (every operation, every way for the
// power to fail, errors, crashes during recovery, random schedules). A scenario that restores files says with
// `takeBack` what takes its restore back; it is then checked that every file is as before or as after, that trying
// again completes it, and that taking it back brings exactly what was there before. `discards` names turns that are
// off the active path once it is done. A record type that model.ts does not know has to be said there.
import { TurnstoneError } from '../../src/core/base/errors.ts';
import { selectTravel } from '../../src/core/rewind/travel.ts';
import { firstBranch } from '../../src/core/timeline/branches.ts';
import { selectUndo } from '../../src/core/rewind/undo.ts';
import type { Actor, Contents, World } from '../twins/world.ts';

export interface Scenario {
  readonly name: string;
  readonly files: Contents;
  /** A segment longer than this many bytes is followed by a new one. */
  readonly segmentLimit?: number;
  /** Happens before, undisturbed. */
  prepare(world: World, actor: Actor): Promise<void>;
  /** Each may be tried again by another process after an interruption. */
  readonly steps: readonly ((world: World, actor: Actor) => Promise<unknown>)[];
  /** What takes back what the steps have restored; left out where they restore nothing. */
  readonly takeBack?: 'undo' | 'redo';
  /** Turns that the steps take off the active path. */
  readonly discards?: readonly string[];
}

/** Text of several sectors, so that a write of it can be torn in many ways. */
function long(word: string, lines: number): string {
  return Array.from({ length: lines }, (_, index) => `${word} line ${index}\n`).join('');
}

const files: Contents = { 'edit.txt': 'v0\n', 'gone.txt': 'here\n', 'deep/er/keep.txt': 'keep\n', 'twin.txt': long('twin v0', 90) };

/** One turn that edits, deletes, creates in new folders, and edits a file that has two names. */
async function workedOn(world: World, actor: Actor): Promise<void> {
  world.memory.hardLink('/project/twin.txt', '/project/other-name.txt');
  await actor.turn('t-1', [{ 'edit.txt': 'v1\n' }, { 'gone.txt': null }, { 'new/folder/made.txt': 'made\n' }, { 'twin.txt': long('twin longer v1', 120) }]);
}

/** One turn that makes a folder of a file, and a file and a link of folders. */
async function changeKinds(world: World, actor: Actor): Promise<void> {
  await actor.openTurn('t-1');
  await actor.call('t-1', { 'to-folder': null });
  await actor.call('t-1', { 'to-folder/in/four.txt': 'four\n', 'to-folder/five.txt': long('five', 30) });
  for (const folder of ['to-folder', 'to-folder/in']) world.memory.setMode(`/project/${folder}`, 0o700);
  await actor.call('t-1', { 'to-file/in/one.txt': null, 'to-file/two.txt': null, 'to-link/three.txt': null });
  for (const folder of ['to-file/in', 'to-file', 'to-link']) world.memory.removeDirectory(`/project/${folder}`);
  await actor.call('t-1', { 'to-file': 'file\n' });
  await actor.recorder.run({ session: 's-a', turn: 't-1', call: 'c-link', tool: 'Write', paths: ['/project/to-link'] }, async () => world.memory.symbolicLink('deep', '/project/to-link'));
  await actor.recorder.closeTurn('s-a', 't-1');
}

/** Undoes the rewind; what an earlier try has left is undone when the rewind is named again. */
function undoRewind(actor: Actor): Promise<unknown> {
  return actor.restore(timeline => {
    const rewind = [...timeline.operations.values()].find(operation => operation.intent.kind === 'rewind');
    if (rewind === undefined) throw new Error('nothing was rewound');
    return selectUndo(timeline, 'undo', rewind);
  });
}

/** Redoes; where the redo was done in part, because a file could not be read, the rest of it is brought by rewinding. */
async function redoOrRewind(actor: Actor): Promise<unknown> {
  try {
    return await actor.redo();
  } catch (error) {
    if (!TurnstoneError.is(error, 'notFound')) throw error;
    return actor.rewind('t-1');
  }
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
    ],
  },
  {
    name: 'calls of two sessions at the same time',
    files,
    prepare: (_, actor) => actor.openTurn('t-1'),
    steps: [
      (_, actor) =>
        Promise.all([
          actor.openTurn('t-2', 's-b'),
          actor.call('t-1', { 'edit.txt': 'v1\n', 'new/made.txt': long('made', 60) }),
          actor.call('t-2', { 'twin.txt': long('v1', 70) }, 's-b'),
        ]),
      (_, actor) => Promise.all([actor.recorder.closeTurn('s-a', 't-1'), actor.recorder.closeTurn('s-b', 't-2')]),
    ],
  },
  {
    name: 'the end of a turn whose calls are open',
    files,
    async prepare(world, actor) {
      await actor.openTurn('t-1');
      await actor.begin('t-1', { 'edit.txt': long('half', 60) });
      await actor.begin('t-1', { 'new/folder/made.txt': 'made\n' });
      world.write({ 'edit.txt': long('half and more', 60) });
    },
    steps: [(_, actor) => actor.recorder.closeTurn('s-a', 't-1')],
  },
  {
    name: 'a turn after the user has changed files',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      world.write({ 'edit.txt': 'v1\nmine\n', 'deep/er/keep.txt': null });
    },
    steps: [(_, actor) => actor.openTurn('t-2'), (_, actor) => actor.call('t-2', { 'edit.txt': 'v2\n' })],
  },
  {
    name: 'a journal that goes on in new segments',
    files,
    segmentLimit: 900,
    prepare: (_, actor) => actor.turn('t-0', [{ 'edit.txt': 'v1\n' }]),
    steps: [
      (_, actor) => actor.openTurn('t-1'),
      (_, actor) => actor.call('t-1', { 'edit.txt': 'v2\n', 'gone.txt': null, 'new/made.txt': long('made', 80) }),
      (_, actor) => actor.recorder.closeTurn('s-a', 't-1'),
    ],
  },
  { name: 'a rewind', files, prepare: workedOn, steps: [(_, actor) => actor.rewind('t-1')], takeBack: 'undo', discards: ['t-1'] },
  {
    name: 'a rewind over work of the user',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      world.write({ 'edit.txt': 'v1\nmine\n', 'twin.txt': long('mine', 70) });
    },
    steps: [(_, actor) => actor.rewind('t-1', 'overwrite')],
    takeBack: 'undo',
    discards: ['t-1'],
  },
  {
    name: 'a rollback of a turn in the middle',
    files,
    segmentLimit: 900,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.turn('t-2', [{ 'deep/er/keep.txt': 'kept\n' }]);
    },
    steps: [(_, actor) => actor.rollback('t-1')],
    takeBack: 'undo',
  },
  {
    name: 'a rewind of a file whose folders the user has removed',
    files,
    async prepare(world, actor) {
      await actor.turn('t-1', [{ 'edit.txt': 'v1\n' }, { 'deep/er/keep.txt': null }]);
      for (const folder of ['deep/er', 'deep']) world.memory.removeDirectory(`/project/${folder}`);
      world.memory.settleBelow('/project');
    },
    steps: [(_, actor) => actor.rewind('t-1')],
    takeBack: 'undo',
    discards: ['t-1'],
  },
  {
    name: 'an undo',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.rewind('t-1');
    },
    steps: [(_, actor) => undoRewind(actor)],
    takeBack: 'redo',
  },
  {
    name: 'a redo',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.rewind('t-1');
      await actor.undo();
    },
    steps: [(_, actor) => redoOrRewind(actor)],
    takeBack: 'undo',
    discards: ['t-1'],
  },
  {
    name: 'a rewind past a rewind and the future after it',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.turn('t-2', [{ 'edit.txt': 'v2\n', 'second.txt': 'second\n' }]);
      await actor.rewind('t-2');
      await actor.turn('t-3', [{ 'edit.txt': 'v3\n', 'third.txt': 'third\n', 'gone.txt': 'again\n' }]);
    },
    steps: [(_, actor) => actor.rewind('t-1')],
    takeBack: 'undo',
    discards: ['t-1', 't-2', 't-3'],
  },
  {
    name: 'a switch back to an abandoned future',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.rewind('t-1');
      await actor.turn('t-2', [{ 'edit.txt': 'v2\n', 'second.txt': 'second\n' }]);
    },
    steps: [(_, actor) => actor.restore((timeline, look) => selectTravel(timeline, { kind: 'switch', target: firstBranch, scope: 'code' }, look))],
    takeBack: 'undo',
    discards: ['t-2'],
  },
  {
    name: 'a rewind of the whole workspace to a checkpoint, over work of two sessions and the user',
    files,
    async prepare(world, actor) {
      await workedOn(world, actor);
      await actor.recorder.addCheckpoint('p-1', 'good');
      await actor.turn('t-2', [{ 'edit.txt': 'v2\n', 'second.txt': 'second\n' }]);
      await actor.turn('t-3', [{ 'twin.txt': long('by another', 80), 'new/folder/made.txt': null }], 's-b');
      world.write({ 'edit.txt': 'v2\nmine\n' });
    },
    steps: [(_, actor) => actor.restore((timeline, look) => selectTravel(timeline, { kind: 'rewind', target: 'p-1', scope: 'code' }, look), 'overwrite')],
    takeBack: 'undo',
    discards: ['t-2', 't-3'],
  },
  {
    name: 'a rewind of files that became folders and of folders that became files and links',
    files: { ...files, 'to-folder': long('file', 20), 'to-file/in/one.txt': 'one\n', 'to-file/two.txt': 'two\n', 'to-link/three.txt': 'three\n' },
    prepare: changeKinds,
    steps: [(_, actor) => actor.rewind('t-1')],
    takeBack: 'undo',
    discards: ['t-1'],
  },
  {
    name: 'an undo of such a rewind',
    files: { ...files, 'to-folder': long('file', 20), 'to-file/in/one.txt': 'one\n', 'to-file/two.txt': 'two\n', 'to-link/three.txt': 'three\n' },
    async prepare(world, actor) {
      await changeKinds(world, actor);
      await actor.rewind('t-1');
    },
    steps: [(_, actor) => undoRewind(actor)],
    takeBack: 'redo',
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
      await actor.recorder.run({ session: 's-a', turn: 't-1', call: 'c-mode', tool: 'Write', paths: ['/project/twin.txt'] }, async () => world.memory.setMode('/project/twin.txt', 0o700));
    },
    steps: [(_, actor) => actor.rewind('t-1')],
    takeBack: 'undo',
    discards: ['t-1'],
  },
];
