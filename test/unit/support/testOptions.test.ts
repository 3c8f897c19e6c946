import assert from 'node:assert/strict';
import { takeTestOptions, testOptions } from '../../support/testOptions.ts';

describe('options of a suite', () => {
  const names = ['TURNSTONE_LONG', 'TURNSTONE_SCHEDULES', 'TURNSTONE_SEED'];
  const before = new Map(names.map(name => [name, process.env[name]]));

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('reach the tests that ask for them, also those given after the module was loaded', () => {
    for (const name of names) delete process.env[name];
    const usual = testOptions();
    assert.deepEqual(testOptions(), usual);
    assert.deepEqual(takeTestOptions(['sweep', '--seed', '7', '--schedules', '3', '--long', 'random']), ['sweep', 'random']);
    assert.deepEqual(testOptions(), { long: true, schedules: 3, seed: 7 });
    assert.notEqual(usual.seed, 7);
  });

  it('are numbers where numbers are meant', () => {
    assert.throws(() => takeTestOptions(['--seed', 'x7']), /--seed takes a number, not x7/);
  });
});
