import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256OfText } from '../../../../src/core/base/digest.ts';
import { foldVersion } from '../../../../src/core/timeline/fold.ts';
import { repositoryRoot } from '../../../support/paths.ts';

/** What gives records their meaning, and how it is frozen. */
const sources = ['snapshot/state.ts', 'snapshot/stateSchema.ts', 'timeline/records.ts', 'timeline/fold.ts', 'timeline/folderWork.ts', 'timeline/ownership.ts', 'timeline/frozen.ts', 'timeline/packed.ts'];

/** Of the fold of this number. */
const known = { version: 10, digest: '3fbd9676fd798052' };

describe('the version of the fold', () => {
  it('was thought of when the meaning of records may have changed', () => {
    const code = sources.map(source => readFileSync(join(repositoryRoot, 'src/core', source), 'utf8').replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, '')).join('\n');
    const advice = 'Does the same journal fold to something else now, or is it frozen otherwise? Then raise foldVersion in src/core/timeline/fold.ts, else generations of before are believed that no longer say the same. Then put the new pair here.';
    assert.deepEqual({ version: foldVersion, digest: Buffer.from(sha256OfText(code)).toString('hex').slice(0, 16) }, known, advice);
  });
});
