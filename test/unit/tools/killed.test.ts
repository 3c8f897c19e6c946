import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../../src/core/base/digest.ts';
import { faultyFiles } from '../../twins/faultyFiles.ts';
import type { World } from '../../twins/world.ts';
import { ToolGround } from './ground.ts';

const contents = { 'a.txt': 'one\r\ntwo\r\n', 'sub/b.txt': 'b' };

type Left = Readonly<Record<string, string | undefined>>;

/** `isTold`: the call's beginning says what it will leave, so that it is known for its work without its end. Of a file that is to go it can't be said. */
type Call = readonly [isTold: boolean, tool: string, input: object, undone: Left, done: Left];

const calls: readonly Call[] = [
  [true, 'edit_file', { path: 'a.txt', old_text: 'two', new_text: '2' }, { 'a.txt': '644 one\r\ntwo\r\n' }, { 'a.txt': '644 one\r\n2\r\n' }],
  [true, 'write_file', { path: 'new/c.txt', content: 'c' }, { 'new/c.txt': undefined }, { 'new/c.txt': '644 c' }],
  [false, 'delete_file', { path: 'sub/b.txt' }, { 'sub/b.txt': '644 b' }, { 'sub/b.txt': undefined }],
  [false, 'move_file', { path: 'sub/b.txt', new_path: 'new/d.txt' }, { 'sub/b.txt': '644 b', 'new/d.txt': undefined }, { 'sub/b.txt': undefined, 'new/d.txt': '644 b' }],
];

/** Nothing differs by whether the process was killed before or after one of these. */
const looks: ReadonlySet<string> = new Set(['stat', 'read', 'readAt', 'readDirectory', 'readLink', 'realPath', 'size', 'mustBeWritable']);

/** What a write that was cut off leaves beside the file; it is nobody's content. */
function isTemporary(name: string): boolean {
  return /(^|\/)\.c-[a-z0-9]+-[0-9a-f]{12}\.tmp$/.test(name);
}

function files(world: World): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(world.tree()).filter(([name]) => !name.endsWith('/') && !isTemporary(name)));
}

/** Kills the process at its operation of this number, and looks at what is left; false where the call ends before that. */
async function killAt(number: number, [isTold, tool, input, undone, done]: Call): Promise<boolean> {
  let wasKilled = false;
  let operations = -1;
  const ground = await ToolGround.make(contents, world =>
    faultyFiles(world.memory, ({ method }) => {
      if (operations === -1 || looks.has(method) || operations++ !== number) return undefined;
      wasKilled = true;
      return { kind: 'crash' };
    }),
  );
  const before = files(ground.world);
  operations = 0;
  await ground.session.call(`turnstone_${tool}`, input);
  const after = files(ground.world);
  const holds = (expected: Left): boolean => Object.entries(expected).every(([path, content]) => after[path] === content);
  assert.ok(holds(undone) || holds(done), `operation ${number}: ${JSON.stringify(after)}`);
  ground.world.reboot();
  const user = ground.world.open();
  user.store.refresh();
  const turn = [...user.store.timeline.turns.keys()].at(-1);
  assert.ok(turn !== undefined || holds(undone), `operation ${number}: written without a record`);
  const isClosed = [...user.store.timeline.calls.values()].every(({ outcome }) => outcome !== 'open');
  if (turn !== undefined) await user.rewind(turn);
  if (isTold || holds(undone)) assert.deepEqual(files(ground.world), before, `operation ${number}`);
  // Whether it was the tool or the user who took the file away nobody knows then: a rewind does nothing about it, and the bytes are kept.
  else assert.ok(user.store.blobs.has(sha256(Buffer.from('b'))) && isDeepStrictEqual(files(ground.world), isClosed ? before : after), `operation ${number}`);
  return wasKilled;
}

describe('a tool whose process is killed', () => {
  for (const call of calls) {
    it(`leaves each file whole, and what it had done can be taken back: ${call[1]}`, async () => {
      let number = 0;
      while (await killAt(number, call)) number += 1;
      assert.ok(number > 20, `only ${number} operations`);
    });
  }
});
