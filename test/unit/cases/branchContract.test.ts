import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { buildCliOnce } from './builtCli.ts';
import { Project, giveTo, type Answer } from './project.ts';
import { branchesShape, checkpointShape, diffShape, errorShape, forkShape, incompleteShape, logShape, restoreShape, showBranchShape, showOperationShape, showPointShape, showTurnShape } from './shapes.ts';
import { WrappedAgent } from './wrappedAgent.ts';

const binary = Buffer.from([0, 255, 254, 0, 1]);
const strange = ['with space.txt', '😀.txt', '文件.txt', `${'n'.repeat(200)}.txt`];

interface Ground {
  readonly project: Project;
  readonly agent: WrappedAgent;
  readonly turns: readonly [string, string];
  readonly step: string;
  readonly checkpoint: string;
  /** The trees before the first and the second turn, and after it. */
  readonly trees: readonly ReturnType<Project['tree']>[];
}

/** Two turns over files of every kind, with a step and a checkpoint between them. */
async function worked(): Promise<Ground> {
  const project = new Project({ 'a.txt': '1\n2\n3\n', 'logo.bin': binary, ...Object.fromEntries(strange.map(name => [name, 'v0\n'])) });
  const agent = await WrappedAgent.in(project);
  const trees = [project.tree()];
  const first = await agent.prompt('first');
  await agent.change({ 'a.txt': 'one\n2\n3\n', 'logo.bin': Buffer.concat([binary, binary]), ...Object.fromEntries(strange.map(name => [name, 'v1\n'])) });
  const step = await agent.step('half way');
  await agent.close();
  const checkpoint: string = project.cli('checkpoint', '-m', 'named 点 😀').json.id;
  trees.push(project.tree());
  const second = await agent.turn('second', { 'a.txt': 'one\n2\nthree\n', 'new/made.txt': 'made\n' }, { '😀.txt': null });
  trees.push(project.tree());
  return { project, agent, turns: [first, second], step, checkpoint, trees };
}

function everything({ project }: Ground): unknown {
  return [project.tree(), project.tree(project.storage)];
}

function codeOf({ exitCode, json }: Answer): unknown {
  return [exitCode, json?.error?.code];
}

describe('the promises of branches, forks and checkpoints', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('documents have exactly the promised shapes', async () => {
    const { project, turns, step, checkpoint } = await worked();
    const [first] = z.parse(branchesShape, project.cli('branches').json).branches;
    assert.deepEqual(first, { id: first?.id, name: 'first', current: true, from: null, turns });
    assert.deepEqual(z.parse(checkpointShape, project.cli('checkpoint').json).label, null);
    assert.equal(z.parse(showPointShape, project.cli('show', checkpoint).json).label, 'named 点 😀');
    assert.equal(z.parse(showPointShape, project.cli('show', step).json).turn, turns[0]);
    const forked = z.parse(forkShape, project.cli('fork', turns[1]).json);
    assert.deepEqual([forked.session, forked.prompt], [project.cli('log', '--all').json.turns[0].session, 'second']);
    const shown = z.parse(showOperationShape, project.cli('show', forked.id ?? '').json);
    assert.deepEqual([shown.operation, shown.target, shown.files.map(({ path }) => path)], ['fork', turns[1], ['a.txt', 'new/made.txt', '😀.txt']]);
    const after = z.parse(branchesShape, project.cli('branches').json).branches;
    assert.deepEqual(after.map(({ name, current, from, turns: own }) => [name, current, from, own]), [['after first', true, turns[0], []], ['second', false, turns[0], [turns[1]]]]);
    assert.deepEqual(z.parse(showBranchShape, project.cli('show', first?.id ?? '').json), after[1]);
    for (const places of [[first?.id ?? '', after[0]?.id ?? ''], [checkpoint, first?.id ?? ''], [step, turns[1]], [checkpoint]]) z.parse(diffShape, project.cli('diff', ...places).json);
    for (const command of [['switch', first?.id ?? ''], ['rewind', checkpoint], ['rewind', step, '--reach', 'workspace'], ['undo'], ['redo']]) z.parse(restoreShape, project.cli(...command).json);
    z.parse(errorShape, project.cli('switch', 'b-zzz').json);
  });

  it('a diff of two places tells what lies between them, whichever kind of places and names they are', async () => {
    const ground = await worked();
    const { project, turns, step, checkpoint } = ground;
    const branch: string = project.cli('branches').json.branches[0].id;
    project.cli('fork', turns[1]);
    const paths = (...places: string[]): unknown => project.cli('diff', ...places).json.files.map(({ path, status }: { path: string; status: string }) => `${status} ${path}`);
    const forth = ['modified a.txt', 'added new/made.txt', 'deleted 😀.txt'];
    const back = ['modified a.txt', 'deleted new/made.txt', 'added 😀.txt'];
    for (const place of [step, checkpoint, turns[1]]) {
      assert.deepEqual(paths(place, branch), forth, place);
      assert.deepEqual(paths(branch, place), back, place);
    }
    assert.deepEqual([paths(step, checkpoint), paths(branch)], [[], back]);
    for (const name of [...strange, 'logo.bin']) assert.deepEqual(project.cli('diff', turns[0], checkpoint, '--path', name).json.files.length, 1, name);
    assert.deepEqual(codeOf(project.cli('diff', step, checkpoint, '--path', 'a.txt')), [4, 'notFound']);
  });

  it('the log names the branch of every turn that was left, and only of those', async () => {
    const { project, agent, turns } = await worked();
    const branchOf = (): unknown => Object.fromEntries(project.cli('log', '--all').json.turns.map(({ prompt, branch }: { prompt: string; branch: string | null }) => [prompt, branch]));
    assert.deepEqual(branchOf(), { first: null, second: null });
    project.cli('fork', turns[1]);
    await agent.turn('other', { 'a.txt': 'other\n' });
    const [other, second] = project.cli('branches').json.branches.map(({ id }: { id: string }) => id);
    assert.deepEqual(branchOf(), { first: null, second, other: null });
    project.cli('switch', second);
    assert.deepEqual(branchOf(), { first: null, second: null, other });
    assert.deepEqual(project.turns().map(({ branch }) => branch), [null, null]);
  });

  it('a dry run exits as the real run does, tells the same plan, and writes nothing', async () => {
    const ground = await worked();
    const { project, turns, step, checkpoint } = ground;
    const branch: string = project.cli('branches').json.branches[0].id;
    const compare = (...words: string[]): number | null => {
      const before = everything(ground);
      const dry = project.cli(...words, '--dry-run');
      assert.deepEqual(everything(ground), before, words.join(' '));
      const real = project.cli(...words);
      const actions = (answer: Answer): unknown => answer.json.plan?.map((item: { path: string; action: string }) => [item.path, item.action]);
      assert.deepEqual([dry.exitCode, actions(dry), dry.json.id ?? null], [real.exitCode, actions(real), null], words.join(' '));
      return real.exitCode;
    };
    compare('rewind', checkpoint);
    for (const words of [['rewind', step], ['fork', turns[1]], ['switch', branch], ['fork', turns[0], '--reach', 'workspace'], ['switch', 'b-zzz']]) compare(...words);
  });

  for (const kind of ['switch', 'fork', 'rewind'] as const) {
    it(`${kind} stops, merges, leaves or replaces what the user did since, as it is told, and what it left is done when it is tried again`, async () => {
      const ground = await worked();
      const { project, turns, checkpoint } = ground;
      const branch: string = project.cli('branches').json.branches[0].id;
      if (kind === 'switch') project.cli('fork', turns[1]);
      const [, apart, together] = ground.trees;
      const [from, to] = kind === 'switch' ? [apart, together] : [together, apart];
      assert.deepEqual(project.tree(), from);
      project.write('a.txt', 'all mine\n');
      const before = everything(ground);
      const run = (decision: string, ...more: string[]): Answer => project.cli(kind, { switch: branch, fork: turns[1], rewind: checkpoint }[kind], '--on-conflict', decision, ...more);
      for (const decision of ['stop', 'merge']) {
        assert.equal(run(decision).exitCode, 3);
        assert.deepEqual(everything(ground), before, decision);
      }
      assert.deepEqual([run('skip', '--dry-run').exitCode, everything(ground)], [1, before]);
      assert.equal(run('skip').exitCode, 1);
      assert.deepEqual(project.tree(), { ...to, 'a.txt': project.tree()['a.txt'] });
      assert.deepEqual([run('stop').exitCode, project.text('a.txt')], [3, 'all mine\n']);
      assert.equal(run('overwrite').exitCode, 0);
      assert.deepEqual(project.tree(), to);
      project.cli('undo');
      assert.equal(project.text('a.txt'), 'all mine\n');
    });
  }

  it('going to the branch that is checked out is done already, whatever the user did since, and nothing is written', async () => {
    const ground = await worked();
    const { project, turns } = ground;
    const here = (): string => project.cli('branches').json.branches.find(({ current }: { current: boolean }) => current).id;
    const expectNothing = (branch: string, ...more: string[]): void => {
      const before = everything(ground);
      const { exitCode, json } = project.cli('switch', branch, ...more);
      assert.deepEqual([exitCode, json.id, json.plan], [0, null, []]);
      assert.deepEqual(everything(ground), before);
    };
    const first = here();
    expectNothing(first);
    project.write('a.txt', 'mine\n');
    project.write('new/made.txt', null);
    project.write('new/mine.txt', 'mine\n');
    expectNothing(first);
    expectNothing(first, '--on-conflict', 'overwrite');
    expectNothing(first, '--dry-run');
    project.cli('fork', turns[1], '--on-conflict', 'overwrite');
    expectNothing(here());
    project.cli('undo');
    expectNothing(first);
  });

  it('a fork tells the session to go on in and the prompt to change, also where one stands there already', async () => {
    const { project, turns, agent } = await worked();
    for (const more of [['--dry-run'], [], []]) {
      const { exitCode, json } = project.cli('fork', turns[1], ...more);
      assert.deepEqual([exitCode, json.session, json.prompt], [0, agent.session, 'second']);
    }
    assert.match(project.run(['branches']).output, /^\* b-\w+ {2}after first {2}\(0 turns\)\n {2}b-\w+ {2}second {2}\(1 turn\)\n$/);
  });

  it('a checkpoint holds what the user had left, and makes a folder known', () => {
    const project = new Project({ 'a.txt': '0\n' });
    const made = project.cli('checkpoint', '-m', 'x\u001b[2J\ny');
    assert.deepEqual([made.exitCode, made.json.label, made.json.files], [0, 'x\u001b[2J\ny', 0]);
    assert.match(project.run(['show', made.json.id]).output, /checkpoint {2}x\\u\{1b\}\[2J\\u\{a\}y\n$/);
    assert.equal(existsSync(join(project.home, '.claude')), false);
    assert.equal(project.cli('rewind', made.json.id).exitCode, 0);
  });

  it('usage errors exit 2, unknown places 4, and neither touches anything', async () => {
    const ground = await worked();
    const { project, turns, step, checkpoint } = ground;
    const branch: string = project.cli('branches').json.branches[0].id;
    await ground.agent.turn('third', { 'a.txt': '3\n' });
    project.cli('checkpoint');
    const before = everything(ground);
    const wrong: readonly (readonly string[])[] = [
      ['switch'], ['fork', turns[0], turns[1]], ['branches', branch], ['log', branch], ['checkpoint', 'a label'], ['diff', step, step, step],
      ['switch', branch, '--reach', 'session'], ['fork', turns[0], '--scope', 'code'], ['branches', '--all'], ['checkpoint', '--dry-run'], ['checkpoint', '-m'],
      ['switch', branch, '--on-conflict', 'maybe'], ['fork', turns[0], '--reach', 'everything'], ['rewind', checkpoint, '--reach', 'session'],
      ['fork', 't-'], ['rewind', 'k-'], ['diff', 'k-', branch],
    ];
    for (const words of wrong) assert.deepEqual(codeOf(project.cli(...words)), [2, 'usage'], words.join(' '));
    const unknown: readonly (readonly string[])[] = [['switch', 'b-zzz'], ['switch', turns[0]], ['fork', checkpoint], ['rewind', branch], ['rollback', step], ['diff', turns[0], 'b-zzz'], ['show', 'b-zzz'], ['rewind', '']];
    for (const words of unknown) assert.deepEqual(codeOf(project.cli(...words)), [4, 'notFound'], words.join(' '));
    assert.deepEqual(everything(ground), before);
  });

  it('going back in the conversation is refused with a sentence, and takes no code along', async () => {
    const ground = await worked();
    const { project, turns, checkpoint } = ground;
    const before = everything(ground);
    for (const words of [[turns[0], '--scope', 'conversation'], [checkpoint, '--scope', 'both', '--on-conflict', 'overwrite'], [turns[1], '--scope', 'both', '--dry-run'], [turns[1], '--scope', 'nonsense']]) {
      const { exitCode, json } = project.cli('rewind', ...words);
      assert.deepEqual([exitCode, json.error.code], [2, 'usage'], words.join(' '));
      assert.match(json.error.message, /^[A-Z].*\. Nothing was touched\.$/);
    }
    assert.deepEqual(everything(ground), before);
  });

  it('what is looked at in a damaged history is shown as far as it can be read, nothing is written, and everything exits 5', async () => {
    const ground = await worked();
    const { project, turns, step, checkpoint } = ground;
    project.cli('fork', turns[1]);
    const branch: string = project.cli('branches').json.branches[1].id;
    const segment = join(project.storeDirectory, 'journal', '000001.log');
    const lines = readFileSync(segment, 'utf8').split('\n');
    writeFileSync(segment, lines.map((line, index) => (index === lines.length - 3 ? line.replace('"type"', '"tipe"') : line)).join('\n'));
    const before = everything(ground);
    for (const words of [['log'], ['branches'], ['show', turns[0]], ['show', step], ['diff', step, checkpoint], ['show', 'o-unknown'], ['diff', 'b-unknown']]) {
      const { exitCode, output } = project.run(words);
      assert.equal(exitCode, 5, words.join(' '));
      assert.match(output, /^The history is damaged .*/, words.join(' '));
    }
    const damage: string = project.cli('hooks', 'status', 'claude-code').json.problems[0];
    const shapes = [
      [['log'], logShape], [['branches'], branchesShape], [['show', turns[0]], showTurnShape], [['show', branch], showBranchShape], [['show', step], showPointShape],
      [['diff', step, checkpoint], diffShape], [['diff', turns[0]], diffShape],
    ] as const;
    for (const [words, shape] of shapes) {
      const { exitCode, json } = project.cli(...words);
      assert.equal(exitCode, 5, words.join(' '));
      // The type of what was found is not the matter here.
      assert.deepEqual(z.parse(incompleteShape(shape as typeof logShape), json).error, { code: 'damaged', message: damage }, words.join(' '));
    }
    const shown = project.cli('show', turns[0]);
    assert.deepEqual([shown.exitCode, shown.json.id], [5, turns[0]]);
    // What is not found may be in the part that can't be read: then there is nothing beside.
    for (const words of [['show', 'o-unknown'], ['diff', 'b-unknown']]) assert.equal(z.parse(errorShape, project.cli(...words).json).error.code, 'damaged');
    for (const words of [['switch', branch], ['fork', turns[0]], ['rewind', checkpoint], ['rewind', step, '--dry-run'], ['checkpoint']]) assert.deepEqual(codeOf(project.cli(...words)), [5, 'damaged'], words.join(' '));
    assert.deepEqual(everything(ground), before);
  });

  it('a store that can\'t be written exits 5, before anything is touched', async function () {
    if (process.platform === 'win32') this.skip();
    const ground = await worked();
    const { project, turns, checkpoint } = ground;
    const user = process.getuid?.() === 0 ? 65534 : undefined;
    if (user !== undefined) giveTo(user, dirname(project.folder));
    chmodSync(project.storeDirectory, 0o555);
    const before = everything(ground);
    for (const words of [['fork', turns[1]], ['fork', turns[1], '--dry-run'], ['rewind', checkpoint], ['checkpoint']]) {
      assert.deepEqual(codeOf(project.run(['--json', ...words], user === undefined ? {} : { user })), [5, 'readOnly'], words.join(' '));
    }
    assert.deepEqual(everything(ground), before);
    chmodSync(project.storeDirectory, 0o755);
  });
});
