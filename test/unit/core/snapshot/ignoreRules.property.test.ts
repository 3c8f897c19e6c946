import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchDirectory } from '../../../support/scratch.ts';
import { testOptions } from '../../../support/testOptions.ts';
import { SeededRandom } from '../../../twins/random.ts';
import { clear, GitGround, hasGit, plant, put, randomRules } from './gitTree.ts';

describe('ignore rules, beside git', function () {
  this.timeout(300_000);

  before(function () {
    if (hasGit()) return;
    console.error('Skipped, because there is no git on this machine to compare with.');
    this.skip();
  });

  /** The case, with all its ignore files, of the first path about which they disagree. */
  function agree(ground: GitGround, root: string, where: string): void {
    const [git, ours] = [ground.listed(root), ground.covered(root)];
    const [theirs, own] = [new Set(git), new Set(ours)];
    const first = [...git, ...ours].filter(path => theirs.has(path) !== own.has(path)).toSorted()[0];
    if (first === undefined) return;
    const folders = first.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
    const rules = folders.map(folder => {
      try {
        return [folder, readFileSync(join(root, folder, '.gitignore'), 'utf8')];
      } catch {
        return [];
      }
    });
    assert.fail(`${where}: git ${git.includes(first) ? 'lists' : 'ignores'} ${JSON.stringify(first)}: ${JSON.stringify(rules)}`);
  }

  it('are the same for nested ignore files of any patterns', () => {
    const { seed, long } = testOptions();
    const scratch = scratchDirectory('ignore');
    for (let round = 0; round < (long ? 8 : 1); round += 1) {
      const ground = new GitGround(join(scratch, 'home'));
      const root = join(scratch, 'root');
      mkdirSync(root);
      ground.git(root, 'init', '-q');
      for (let index = 0; index < (long ? 150 : 80); index += 1) plant(new SeededRandom(seed + round * 1000 + index), join(root, `case${index}`));
      agree(ground, root, `seed ${seed + round * 1000}`);
      clear(root);
    }
  });

  it('are the same with rules of the repository and of the user, in the root and above it', () => {
    const { seed, long } = testOptions();
    const place = scratchDirectory('ignore');
    for (let round = 0; round < (long ? 80 : 15); round += 1) {
      const scratch = join(place, String(round));
      const random = new SeededRandom(seed + round);
      const ground = new GitGround(join(scratch, 'home'));
      const root = join(scratch, 'root');
      plant(random, root);
      ground.git(root, 'init', '-q');
      put(root, '.git/info/exclude', randomRules(random));
      put(ground.home, '.config/git/ignore', randomRules(random));
      if (random.chance(0.3)) ground.git(root, 'config', 'core.ignoreCase', 'true');
      agree(ground, root, `seed ${seed + round}`);
      clear(scratch);
    }
  });
});
