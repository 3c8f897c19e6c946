import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '..', '..');
export const supportDirectory = import.meta.dirname;

/** Git-ignored; screenshots and logs of the last run end up here. */
export const resultsDirectory = join(repositoryRoot, 'test-results');
