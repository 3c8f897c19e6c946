import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../support/paths.ts';
import type { Fault, FullDisk } from './faultyProcess.ts';

/** The environment in which a process of the built command line has a fault in its file system. */
export function faultIn(fault: Fault | FullDisk): NodeJS.ProcessEnv {
  const loader = pathToFileURL(join(repositoryRoot, 'test/unit/cases/faultyProcess.ts'));
  return { NODE_OPTIONS: `--import=${loader.href}`, TURNSTONE_TEST_FAULT: JSON.stringify(fault) };
}
