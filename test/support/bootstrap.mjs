// The door to the test ground, and the only file here that must run on whatever Node the machine has (18 or newer):
// everything behind it is TypeScript run by the Node 24 which the npm package `node` brings along.
//
//   node test/support/bootstrap.mjs <task> [arguments…]     runs test/support/<task>.ts
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const isWindows = process.platform === 'win32';
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const stampFile = join(modules, '.turnstone-stamp');

function readOrNothing(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex');
}

// A developer's own `npm install` leaves no stamp but the right modules; reinstalling would pull them from under an
// open editor. npm writes its hidden lock file last, so an interrupted install never looks complete here.
function installedMatchesLock() {
  const hidden = readOrNothing(join(modules, '.package-lock.json'));
  if (hidden === undefined) return false;
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const installed = JSON.parse(hidden).packages;
  return Object.entries(wanted).every(
    ([place, entry]) => place === '' || entry.optional || installed[place]?.version === entry.version,
  );
}

function ensureModules() {
  const wanted = lockHash();
  if (readOrNothing(stampFile) === wanted) return;
  if (!installedMatchesLock()) {
    console.log('Installing the node modules (npm ci).');
    const outcome = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit', shell: isWindows });
    if (outcome.status !== 0) {
      console.error('npm ci failed, so nothing was run. Its own message above says why.');
      process.exit(outcome.status || 1);
    }
  }
  writeFileSync(stampFile, wanted);
}

const [task, ...taskArguments] = process.argv.slice(2);
const taskFile = join(root, 'test', 'support', `${task}.ts`);
if (task === undefined || !existsSync(taskFile)) {
  console.error('Usage: node test/support/bootstrap.mjs <task> [arguments…], where test/support/<task>.ts exists.');
  process.exit(2);
}
ensureModules();
const node = join(modules, 'node', 'bin', isWindows ? 'node.exe' : 'node');
const pathKey = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
const run = spawn(node, [taskFile, ...taskArguments], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, [pathKey]: join(modules, '.bin') + delimiter + (process.env[pathKey] ?? '') },
});
// Ending this process alone would leave the task and its servers running behind the caller's back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => run.kill(signal));
run.on('error', (error) => {
  console.error(`Could not run ${node}: ${error.message}`);
  process.exit(1);
});
run.on('exit', (code) => process.exit(code ?? 1));
