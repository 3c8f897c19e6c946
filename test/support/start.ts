// npm start: a sample project in which an agent has worked, opened in VS Code with Turnstone.
// npm start -- --headless: the same without a window; proves by hash that a rewind and its undo are exact.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { makeScratch, hashOf, treeOf, type Scratch } from '../agents/scratch.ts';
import { runNpm } from './command.ts';
import { packageExtension } from './packageExtension.ts';
import { repositoryRoot } from './paths.ts';
import { playSample } from './samplePlay.ts';
import { sampleSession } from './sampleSession.ts';
import { scratchDirectory } from './scratch.ts';
import { installVsix, startServer } from './vscodeServer.ts';

interface Played {
  readonly place: Scratch;
  readonly store: string;
  /** The project's hash before each prompt, and after the last. */
  readonly hashes: readonly string[];
}

function cli(place: Scratch, store: string, ...parameters: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repositoryRoot, 'dist', 'cli.js'), '--store', store, ...parameters], {
    cwd: place.project,
    env: { PATH: process.env['PATH'], HOME: place.home },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`turnstone ${parameters.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

function projectHash(project: string): string {
  return hashOf(JSON.stringify(Object.entries(treeOf(project)).sort()));
}

async function play(store: string): Promise<Played> {
  const place = makeScratch(sampleSession.before);
  console.log(cli(place, store, 'hooks', 'install', 'claude-code').trimEnd());
  const hashes: string[] = [];
  const { agent } = await playSample(sampleSession, place, () => hashes.push(projectHash(place.project)));
  hashes.push(projectHash(place.project));
  console.log(`\nTwo prompts were worked on by ${agent}.\n`);
  return { place, store, hashes };
}

/** Rewinds the last turn and undoes it; true when both give exactly the earlier bytes. */
function prove({ place, store, hashes }: Played): boolean {
  console.log(cli(place, store, 'log'));
  const { turns } = JSON.parse(cli(place, store, '--json', 'log')) as { turns: { id: string; prompt: string; files: unknown[] }[] };
  const last = turns[0];
  const [, before, after] = hashes;
  if (last === undefined || turns.length !== 2 || last.files.length !== 3) throw new Error('The timeline does not hold the two turns with their files.');
  console.log(`Project before “${last.prompt}”: ${before}\nProject after it:                    ${after}\n`);
  console.log(cli(place, store, 'rewind', last.id).trimEnd());
  const rewound = projectHash(place.project);
  console.log(`Project after the rewind:            ${rewound}  ${rewound === before ? 'equal to before' : 'DIFFERENT'}\n`);
  console.log(cli(place, store, 'undo').trimEnd());
  const undone = projectHash(place.project);
  console.log(`Project after the undo:              ${undone}  ${undone === after ? 'equal to after' : 'DIFFERENT'}`);
  return before !== after && rewound === before && undone === after;
}

function desktopCode(): string | undefined {
  const names = process.platform === 'win32' ? ['code.cmd'] : ['code'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Opens the sample in a desktop VS Code with profile folders of its own, so that the user's stay as they are. */
async function openDesktop(code: string): Promise<void> {
  const directory = scratchDirectory('start');
  const profile = ['--user-data-dir', join(directory, 'user'), '--extensions-dir', join(directory, 'extensions')];
  const shell = process.platform === 'win32';
  spawnSync(code, [...profile, '--install-extension', await packageExtension()], { stdio: 'inherit', shell });
  const { place } = await play(join(directory, 'user', 'User', 'globalStorage', 'turnstone.turnstone'));
  console.log(`Opening ${place.project} in VS Code. Close its window to end.`);
  const environment = { ...process.env, CLAUDE_CONFIG_DIR: join(place.home, '.claude') };
  await new Promise((resolve) => spawn(code, [...profile, '--new-window', '--wait', place.project], { stdio: 'inherit', env: environment, shell }).on('close', resolve));
}

/** Opens the sample in a VS Code server on loopback; its address carries a token, so that nobody else can use it. */
async function openServer(): Promise<void> {
  const directory = scratchDirectory('start');
  const dataDirectory = join(directory, 'data');
  const vsix = await packageExtension();
  const { place } = await play(join(dataDirectory, 'data', 'User', 'globalStorage', 'turnstone.turnstone'));
  const options = { dataDirectory, homeDirectory: place.home, driver: false };
  await installVsix(options, [vsix]);
  const connectionToken = randomUUID();
  const server = await startServer({ ...options, connectionToken });
  console.log(`\nOpen this address in a browser; the timeline is behind the Turnstone icon on the left:\n\n    ${server.url}/?tkn=${connectionToken}&folder=${encodeURIComponent(place.project)}\n\nPress Ctrl+C to end.`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await server.stop();
}

if (process.argv.includes('--headless')) {
  await runNpm(['run', '--silent', 'build:cli'], repositoryRoot);
  const exact = prove(await play(join(scratchDirectory('start'), 'store')));
  console.log(exact ? '\nThe rewind and its undo were exact.' : '\nThe rewind or its undo was not exact.');
  process.exitCode = exact ? 0 : 1;
} else {
  const code = desktopCode();
  await (code === undefined ? openServer() : openDesktop(code));
}
