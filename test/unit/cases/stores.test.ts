import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { rewriteJournal } from './journalFile.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project, giveTo } from './project.ts';

const nobody = 65534;

describe('stores and what they belong to', function () {
  this.timeout(60_000);
  before(buildCliOnce);

  it('F4: an unknown id touches nothing', () => {
    const project = new Project({ 'a.txt': 'v0\n' }).install();
    new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n']]);
    const before = [project.tree(), project.tree(project.storage)];
    for (const command of ['rewind', 'rollback', 'undo', 'redo', 'show', 'diff']) {
      const { exitCode, json } = project.cli(command, 't-zzzzzzzzzzzzzzzz');
      assert.deepEqual([exitCode, json.error.code], [4, 'notFound'], command);
    }
    assert.deepEqual([project.tree(), project.tree(project.storage)], before);
  });

  const evils = ['../../outside.txt', '/etc/x', 'C:\\x', 'a/../../b', '.git/config', 'sub/.GIT/hooks/pre-commit', 'a//b', './a', 'git~1/config', 'a\0b'];
  it('F4: a journal that was made to say a path that leaves the root is refused as a whole', () => {
    const project = new Project({ 'a.txt': 'v0\n', 'b.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n'], ['b.txt', 'v1\n']]);
    let last = 'a.txt';
    for (const evil of evils) {
      rewriteJournal(project.storeDirectory, record => JSON.parse(JSON.stringify(record).replaceAll(JSON.stringify(last), () => JSON.stringify(evil))));
      last = evil;
      const around = project.tree(dirname(project.folder));
      const { exitCode, json } = project.cli('rewind', turn, '--on-conflict', 'overwrite');
      assert.deepEqual([exitCode, json.error.code], [5, 'damaged'], evil);
      assert.deepEqual(project.tree(dirname(project.folder)), around, evil);
    }
  });

  it('F4: a folder that became a link out of the root is not followed', function () {
    if (process.platform === 'win32') this.skip();
    const project = new Project({ 'd/a.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['d/a.txt', 'v1\n']]);
    const outside = join(dirname(project.folder), 'outside');
    spawnSync('sh', ['-c', `mv d ../outside && ln -s ../outside d`], { cwd: project.folder });
    const { exitCode, json } = project.cli('rewind', turn, '--on-conflict', 'overwrite');
    assert.deepEqual([exitCode, json.plan[0].action, json.plan[0].reason], [1, 'unavailable', 'a folder on its way is a link now']);
    assert.deepEqual(Object.keys(project.tree(outside)), ['a.txt']);
  });

  it('S1: the history of one folder is unknown in another', () => {
    const first = new Project({ 'a.txt': 'v0\n' }).install();
    const second = new Project({ 'a.txt': 'v1\n' }, { storage: first.storage, folder: `${first.folder}-2` }).install();
    const turn = new PlayedAgent(first).turn('edit', [['a.txt', 'v1\n']]);
    const { exitCode } = second.cli('rewind', turn);
    assert.deepEqual([exitCode, second.text('a.txt')], [4, 'v1\n']);
    assert.equal(first.cli('rewind', turn).exitCode, 0);
  });

  it('S1: a store that was copied over another one is not believed', () => {
    const first = new Project({ 'a.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(first).turn('edit', [['a.txt', 'v1\n']]);
    const second = new Project({ 'a.txt': 'v1\n' }).install();
    cpSync(join(first.storeDirectory, 'journal'), join(second.storeDirectory, 'journal'), { recursive: true });
    cpSync(join(first.storeDirectory, 'blobs'), join(second.storeDirectory, 'blobs'), { recursive: true });
    const { exitCode, json } = second.cli('rewind', turn);
    assert.deepEqual([exitCode, json.error.code, second.text('a.txt')], [5, 'damaged', 'v1\n']);
  });

  it('S1: another project at the same path is warned of, and keeps its files', () => {
    const project = new Project({ 'a.txt': 'v0\n', 'b.txt': 'v0\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['a.txt', 'v1\n'], ['made.txt', 'made\n']]);
    rmSync(project.folder, { recursive: true });
    const other = new Project({ 'a.txt': 'theirs\n', 'made.txt': 'theirs too\n', 'more.txt': 'more\n' }, project);
    const before = other.tree();
    const { exitCode, output } = other.run(['rewind', turn]);
    assert.deepEqual([exitCode, other.tree()], [3, before]);
    assert.match(output, /not the folder that was recorded/);
    assert.equal(other.run(['rewind', turn, '--on-conflict', 'skip']).exitCode, 1);
    assert.deepEqual(other.tree(), before);
  });

  it('P1: what can\'t be written is told and kept, and done when tried again', function () {
    if (process.platform === 'win32') this.skip();
    const user = process.getuid?.() === 0 ? nobody : undefined;
    const project = new Project({ 'locked/a.json': '{"v":0}\n', 'b.json': '{"v":0}\n' }).install();
    const turn = new PlayedAgent(project).turn('edit', [['locked/a.json', '{"v":1}\n'], ['b.json', '{"v":1}\n']]);
    chmodSync(project.path('locked/a.json'), 0o444);
    chmodSync(project.path('locked'), 0o555);
    if (user !== undefined) giveTo(user, dirname(project.folder));
    const first = project.run(['--json', 'rewind', turn], user === undefined ? {} : { user });
    assert.deepEqual([first.exitCode, first.json.counts.restored, first.json.counts.failed], [1, 1, 1]);
    assert.match(first.json.plan.find((item: any) => item.path === 'locked/a.json').reason, /EACCES/);
    assert.deepEqual([project.text('locked/a.json'), project.text('b.json'), readdirSync(project.path('locked'))], ['{"v":1}\n', '{"v":0}\n', ['a.json']]);
    chmodSync(project.path('locked'), 0o755);
    const second = project.run(['--json', 'rewind', turn], user === undefined ? {} : { user });
    assert.deepEqual([second.exitCode, project.text('locked/a.json')], [0, '{"v":0}\n']);
  });

  it('damage in the middle of the history is said, nothing is written, and what is before it is shown', () => {
    const project = new Project({ 'a.txt': 'v0\n' }).install();
    const agent = new PlayedAgent(project);
    const turn = agent.turn('first', [['a.txt', 'v1\n']]);
    agent.turn('second', [['a.txt', 'v2\n']]);
    const log = join(project.storeDirectory, 'journal', '000001.log');
    const lines = spawnSync('cat', [log], { encoding: 'utf8' }).stdout.split('\n');
    writeFileSync(log, lines.map((line, index) => (index === lines.length - 4 ? line.replace('"type"', '"tipe"') : line)).join('\n'));
    const before = project.tree(project.storage);
    const { exitCode, json } = project.cli('rewind', turn);
    assert.deepEqual([exitCode, json.error.code, project.text('a.txt')], [5, 'damaged', 'v2\n']);
    const shown = project.cli('log');
    assert.deepEqual([shown.exitCode, shown.json.turns.at(-1).id], [5, turn]);
    assert.deepEqual(project.tree(project.storage), before);
  });

  /** What every command that looks or writes says of a history that is damaged: the same, and nothing is changed by any of them, nor by an agent that goes on. */
  function mustBeToldAsDamaged(project: Project, agent: PlayedAgent, turn: string, what: string): any {
    const [files, journal] = [project.tree(), project.tree(join(project.storeDirectory, 'journal'))];
    const { exitCode, json } = project.cli('rewind', turn);
    assert.deepEqual([exitCode, json.error.code], [5, 'damaged'], what);
    const shown = project.cli('log');
    assert.deepEqual([shown.exitCode, shown.json.error.code], [5, 'damaged'], what);
    assert.match(project.run(['log']).output, /The history is damaged/);
    const status = project.cli('hooks', 'status', 'claude-code');
    assert.deepEqual([status.exitCode, status.json.problems.length], [5, 1], what);
    assert.match(status.json.problems[0], /The history is damaged/);
    agent.turn('after', [['a.txt', 'after\n']]);
    assert.deepEqual(project.tree(join(project.storeDirectory, 'journal')), journal, what);
    assert.deepEqual(project.tree(), { ...files, 'a.txt': project.tree()['a.txt'] }, what);
    return shown.json;
  }

  it('damage in the last lines of the history is no torn end: it is said, and nothing is cut', () => {
    const text = (line: string): string => line.replace('"type"', '"tipe"');
    const head = (line: string): string => `${line.slice(0, 20)}#${line.slice(21)}`;
    for (const [damage, lineCount, withGenerations] of [[text, 3, false], [head, 2, false], [text, 1, true]] as const) {
      const project = new Project({ 'a.txt': 'v0\n' }).install();
      const agent = new PlayedAgent(project);
      const turn = agent.turn('first', [['a.txt', 'v1\n']]);
      agent.turn('second', [['a.txt', 'v2\n']]);
      const log = join(project.storeDirectory, 'journal', '000001.log');
      const lines = readFileSync(log, 'utf8').split('\n');
      writeFileSync(log, lines.map((line, index) => (index >= lines.length - 1 - lineCount && line !== '' ? damage(line) : line)).join('\n'));
      if (!withGenerations) rmSync(join(project.storeDirectory, 'generations'), { recursive: true });
      const { turns } = mustBeToldAsDamaged(project, agent, turn, `${lineCount} lines, generations: ${String(withGenerations)}`);
      assert.deepEqual(turns.at(-1).id, turn);
    }
  });

  it('a history that has lost its last whole lines, or is an older copy, is told to be damaged by whoever opens it, and goes on when the user says so', () => {
    for (const kept of ['header', 'line', 'turn', 'allButOne'] as const) {
      const project = new Project({ 'a.txt': 'v0\n' }).install();
      const agent = new PlayedAgent(project);
      const turn = agent.turn('first', [['a.txt', 'v1\n']]);
      const log = join(project.storeDirectory, 'journal', '000001.log');
      const copy = readFileSync(log, 'utf8');
      agent.turn('second', [['a.txt', 'v2\n']]);
      const lines = readFileSync(log, 'utf8').split('\n');
      const left = { header: lines.slice(0, 1), line: lines.slice(0, 2), turn: copy.split('\n').slice(0, -1), allButOne: lines.slice(0, -2) }[kept];
      writeFileSync(log, left.map(line => `${line}\n`).join(''));
      const before = readFileSync(log, 'utf8');
      const told = project.cli('log');
      assert.deepEqual([told.exitCode, told.json.error.code], [5, 'damaged'], kept);
      assert.match(told.json.error.message, /record \d+ was written, and is not there\).*nothing is written\. If a copy of the journal was put back, put the whole store back; .* remove .*generations\.$/);
      for (const words of [['rewind', turn], ['undo'], ['checkpoint']]) assert.deepEqual([project.cli(...words).exitCode, readFileSync(log, 'utf8')], [5, before], `${kept} ${words.join(' ')}`);
      // The agent is not stopped. Its calls go on where the lost lines were, and that hides nothing.
      for (let again = 0; again < 4; again += 1) agent.turn('after', [['a.txt', `after ${again}\n`]]);
      assert.ok(readFileSync(log, 'utf8').startsWith(before), kept);
      const later = project.cli('log');
      assert.deepEqual([later.exitCode, later.json.error.code], [5, 'damaged'], kept);
      rmSync(join(project.storeDirectory, 'generations'), { recursive: true });
      const accepted = project.cli('log');
      assert.deepEqual([accepted.exitCode, accepted.json.error], [0, undefined], kept);
      agent.turn('accepted', [['a.txt', 'accepted\n']]);
      assert.equal(project.cli('log').json.turns[0].prompt, 'accepted', kept);
    }
  });

  it('a history that is gone beside what was recorded with it is said to be damaged, and no new one begins', () => {
    const losses: readonly (readonly [lose: (journal: string) => void, alsoLost: string])[] = [
      [journal => rmSync(journal, { recursive: true }), 'generations'],
      [journal => rmSync(join(journal, '000001.log')), 'blobs'],
      [journal => writeFileSync(join(journal, '000001.log'), ''), 'generations'],
    ];
    for (const [index, [lose, alsoLost]] of losses.entries()) {
      const project = new Project({ 'a.txt': 'v0\n' }).install();
      const agent = new PlayedAgent(project);
      const turn = agent.turn('first', [['a.txt', 'v1\n']]);
      lose(join(project.storeDirectory, 'journal'));
      rmSync(join(project.storeDirectory, alsoLost), { recursive: true });
      const { turns } = mustBeToldAsDamaged(project, agent, turn, `${index}, without ${alsoLost}`);
      assert.deepEqual(turns, []);
    }
  });

  it('contents that are gone are told by the status, beside everything that is shown, and by each file that needs one', () => {
    const project = new Project({ 'a.txt': 'v0\n', 'b.txt': 'v0 of b\n' }).install();
    const agent = new PlayedAgent(project);
    const turn = agent.turn('edit', [['a.txt', 'v1\n'], ['b.txt', 'v1 of b\n'], ['made.txt', 'made\n']]);
    const status = (): any => project.cli('hooks', 'status', 'claude-code');
    assert.deepEqual([status().exitCode, status().json.problems], [0, []]);
    const pack = join(project.storeDirectory, 'blobs', '000001.pack');
    const bytes = readFileSync(pack);
    for (const withIndex of [true, false]) {
      rmSync(pack, { force: true });
      if (!withIndex) rmSync(join(project.storeDirectory, 'blobs', 'index'));
      const { exitCode, json } = status();
      assert.deepEqual([exitCode, json.problems.length], [5, 1]);
      assert.match(json.problems[0], /^Of the 6 contents that the history names, 6 are missing in .*blobs\. What needs one of them can't be shown or restored; everything else can\.$/);
      for (const words of [['log'], ['branches']]) {
        const looked = project.cli(...words);
        assert.deepEqual([looked.exitCode, looked.json.error], [5, { code: 'damaged', message: json.problems[0] }], words.join(' '));
      }
    }
    const before = project.tree();
    const rewound = project.cli('rewind', turn, '--dry-run');
    assert.deepEqual(rewound.json.plan.map((item: any) => [item.path, item.action, item.reason]), [
      ['a.txt', 'unavailable', 'its content is not in the store any more'],
      ['b.txt', 'unavailable', 'its content is not in the store any more'],
      ['made.txt', 'delete', undefined],
    ]);
    assert.equal(rewound.exitCode, 1);
    assert.deepEqual(project.tree(), before);
    // Of what comes back nothing is missed.
    writeFileSync(pack, bytes);
    assert.deepEqual([status().exitCode, project.cli('rewind', turn).exitCode, project.text('b.txt')], [0, 0, 'v0 of b\n']);
  });
});
