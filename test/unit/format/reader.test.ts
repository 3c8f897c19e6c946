import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCliOnce } from '../cases/builtCli.ts';
import { PlayedAgent } from '../cases/playedAgent.ts';
import { Project, hashOf } from '../cases/project.ts';
import { ReadableProject, agree, compared, pythonReadsZstd, readWithPython } from './agreement.ts';
import { histories } from './histories.ts';
import { Random } from './random.ts';
import { playAtRandom } from './randomPlay.ts';
import { RandomRecords } from './randomRecords.ts';
import { writeJournal, type Batch } from './writtenJournal.ts';

// The usual run fails only where the code has changed; other seeds hunt.
const seed = Number(process.env['TURNSTONE_SEED'] ?? 20261201);
const contents = ['a\n', 'a\nb\n', 'b\na\n', 'a', '', 'x\ny\nz', Buffer.from('\ufeffa\n\u00e9', 'utf16le'), Buffer.from([0xe9, 0x0a]), Buffer.from([0, 1])];

/** A history with a turn, and a copy of all contents in its store. */
function withContents(): ReadableProject {
  const project = new ReadableProject(Object.fromEntries(contents.map((content, index) => [`${index}.txt`, content]))).install();
  const agent = new PlayedAgent(project);
  agent.prompt('all');
  for (const index of contents.keys()) agent.send('PreToolUse', agent.tool(`${index}.txt`, 'x'));
  return project;
}

describe('a reader in Python that was written from FORMAT.md alone tells the same log', function () {
  this.timeout(60_000);
  let zstd = false;
  let project: ReadableProject;
  let log: string;
  before(() => (zstd = pythonReadsZstd()));
  before(buildCliOnce);
  before(() => {
    project = withContents();
    log = join(project.storeDirectory, 'journal', '000001.log');
  });
  after(() => console.log(`      ${compared.histories} histories, ${compared.documents} documents, ${compared.turns} turns, ${compared.files} files compared`));

  for (const [what, play] of Object.entries(histories)) it(`of ${what}`, async () => void (await agree(play())));

  it(`of steps at random (TURNSTONE_SEED=${seed})`, async () => void (await agree(playAtRandom(new Random(seed), 16), { turns: 2 })));

  for (const offset of [0, 1, 2, 3]) {
    it(`of records at random (TURNSTONE_SEED=${seed}, ${offset})`, async () => {
      writeJournal(project.storeDirectory, new RandomRecords(new Random(seed + offset), contents.map(hashOf)).batches(90));
      await agree(project);
    });
  }

  const turn = (id: string): Batch => ({ at: 1000, tick: 0, records: [{ type: 'turn.open', session: 's', turn: id }] });
  const fresh = (): void => writeJournal(project.storeDirectory, [turn('t-1'), turn('t-2'), turn('t-3')]);

  it('of a journal with a torn end, whatever it is', async () => {
    for (const tear of [() => truncateSync(log, readFileSync(log).length - 1), () => appendFileSync(log, 'garbage\n\0\0'), () => writeFileSync(log.replace('1.log', '2.log'), '01234567 {"turn')]) {
      fresh();
      tear();
      await agree(project, { turns: 2, modes: ['log --all'] });
    }
  });

  it('up to where a journal is damaged, and says where that is', async () => {
    const change = (changed: (lines: readonly string[]) => readonly string[]) => () => writeFileSync(log, changed(readFileSync(log, 'utf8').split('\n')).join('\n'));
    const damages = [
      change(lines => lines.map(line => line.replace('"t-2"', '"t-X"'))),
      change(lines => lines.toSpliced(2, 1)),
      change(lines => [...lines.slice(0, -1), 'garbage', lines[2] as string, '']),
      () => writeFileSync(log.replace('1.log', '3.log'), ''),
      // Each of the last lines is a write of its own, and wrong; in the second of these also where it says that it is.
      change(lines => lines.map((line, index) => (index < 2 ? line : line.replace('"t-', '"x-')))),
      change(lines => lines.map((line, index) => (index < 2 ? line : line.replace('"tick":', '"tick";')))),
      change(lines => [...lines.slice(0, 2), ...lines.slice(2).map(line => line.replace('"records"', '"write":5000,"records"'))]),
    ];
    for (const damage of damages) {
      fresh();
      damage();
      const { errors } = await agree(project, { exitCode: 5, modes: ['log --all'] });
      assert.match(errors, /^The journal is damaged: (000001\.log at byte \d+|segment 000002\.log is missing)\. What is before that is shown\.\n$/);
    }
  });

  it('of a journal of which nothing is left beside contents: that it is damaged', async () => {
    for (const lose of [() => rmSync(log), () => truncateSync(log, 0), () => truncateSync(log, 20)]) {
      fresh();
      lose();
      assert.match((await agree(project, { exitCode: 5, turns: 0, modes: ['log'] })).errors, /^The journal is damaged: 000001\.log at byte 0, where there was more\./);
    }
  });

  it('up to where a generation says that there was more', async () => {
    const recorded = new ReadableProject({ 'a.txt': '0\n' }).install();
    const agent = new PlayedAgent(recorded);
    for (const text of ['1\n', '2\n']) agent.turn('edit', [['a.txt', text]]);
    const path = join(recorded.storeDirectory, 'journal', '000001.log');
    const bytes = readFileSync(path);
    const generation = join(recorded.storeDirectory, 'generations', readdirSync(join(recorded.storeDirectory, 'generations')).find(name => name.endsWith('.gen')) ?? '');
    truncateSync(path, bytes.length - 1);
    assert.match((await agree(recorded, { exitCode: 5 })).errors, /where there was more/);
    const whole = readFileSync(generation);
    truncateSync(generation, whole.length - 1);
    await agree(recorded);
    truncateSync(path, bytes.indexOf('\n') + 1);
    await agree(recorded, { exitCode: 5, turns: 0 });
    // However well the journal ends.
    writeFileSync(generation, whole);
    const lines = bytes.toString().split('\n').slice(0, -1);
    for (let count = 1; count < lines.length; count += 1) {
      writeFileSync(path, lines.slice(0, count).map(line => `${line}\n`).join(''));
      assert.match((await agree(recorded, { exitCode: 5, turns: 0, modes: ['log --all'] })).errors, /where there was more/, `${count} lines`);
    }
    // And whatever was written in place of what is gone.
    const turns = Array.from({ length: 30 }, (_, index) => ({ at: 1000, tick: index, records: [{ type: 'turn.open', session: 's', turn: `t-${index}` }] }));
    const folder = dirname(generation);
    cpSync(folder, `${folder}-kept`, { recursive: true });
    writeJournal(recorded.storeDirectory, turns);
    cpSync(`${folder}-kept`, folder, { recursive: true });
    assert.match((await agree(recorded, { exitCode: 5, turns: 30, modes: ['log --all'] })).errors, /where there was another record \d+/);
    rmSync(folder, { recursive: true });
    writeFileSync(path, bytes.subarray(0, bytes.indexOf('\n', bytes.length / 2) + 1));
    await agree(recorded);
  });

  it('without a record that is not sound, and says which that is', async () => {
    writeJournal(project.storeDirectory, [turn('t-1'), { at: 2000, tick: 0, records: [{ type: 'drift', paths: [{ path: '.GIT/x', after: { kind: 'absent' } }] }] }, turn('t-2')]);
    assert.match((await agree(project, { exitCode: 5, turns: 2 })).errors, /^Record 2 \(drift\) is not sound/);
  });

  it('of contents that zstd has packed, where Python has it, else says that this is what it needs', async () => {
    const packed = new Project({ 'a.txt': 'a line that comes again\n'.repeat(1000) }).install();
    new PlayedAgent(packed).turn('edit', [['a.txt', 'a line that comes again\n'.repeat(1001)]]);
    if (zstd) return void (await agree(packed));
    const { exitCode, errors } = await readWithPython(packed);
    assert.equal(exitCode, 1);
    assert.match(errors, /is packed with zstd: to read it, Python 3\.14 or newer is needed\.\n$/);
  });
});
