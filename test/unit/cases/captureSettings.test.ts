import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCliOnce } from './builtCli.ts';
import { PlayedAgent } from './playedAgent.ts';
import { Project } from './project.ts';

function started(settings: unknown): { readonly project: Project; readonly agent: PlayedAgent } {
  const project = new Project({ 'a.txt': 'a', 'data/b.txt': 'b' }).install();
  writeFileSync(join(project.storeDirectory, 'settings.json'), JSON.stringify(settings));
  const agent = new PlayedAgent(project);
  agent.prompt('work');
  return { project, agent };
}

function newest(project: Project): { readonly coverage: unknown; readonly files: readonly string[] } {
  const { coverage, files } = project.turns().at(-1);
  return { coverage, files: files.map(({ path }: { path: string }) => path) };
}

describe('settings of a recorded folder', () => {
  before(buildCliOnce);

  it('what they exclude is left out of looks as ignored files are, and an edit that names it is recorded', () => {
    const { project, agent } = started({ format: 1, exclude: ['data/', '*.sqlite'] });
    agent.shell(() => {
      for (const path of ['a.txt', 'data/b.txt', 'db.sqlite', 'data/new/c.txt']) project.write(path, 'changed');
    });
    agent.send('Stop');
    assert.deepEqual(newest(project), { coverage: { state: 'full', reasons: [] }, files: ['a.txt'] });
    assert.equal(project.cli('rewind', project.turns().at(-1).id).exitCode, 0);
    assert.deepEqual([project.text('a.txt'), project.text('data/b.txt'), project.text('db.sqlite')], ['a', 'changed', 'changed']);
    agent.prompt('edit');
    agent.change('data/b.txt', 'edited');
    agent.send('Stop');
    assert.deepEqual(newest(project), { coverage: { state: 'full', reasons: [] }, files: ['data/b.txt'] });
  });

  it('limits count for edits and for looks', () => {
    const mebibyte = 1024 * 1024;
    const { project, agent } = started({ format: 1, maxFileSize: mebibyte });
    const large = 'x'.repeat(mebibyte + 1);
    project.write('large.txt', large);
    agent.shell(() => project.write('large.txt', `${large}y`));
    agent.change('large.txt', 'small');
    agent.send('Stop');
    const { coverage } = newest(project);
    assert.match(JSON.stringify(coverage), /the limit for a file is 1048576/);
    const { exitCode } = project.cli('rewind', project.turns().at(-1).id);
    // Something is left: a content that was not kept.
    assert.deepEqual([exitCode, project.text('large.txt')], [1, 'small']);
  });

  it('that are no settings are the defaults', () => {
    const { project, agent } = started([{ exclude: '*' }]);
    agent.shell(() => project.write('a.txt', 'changed'));
    agent.send('Stop');
    assert.deepEqual(newest(project).files, ['a.txt']);
  });
});
