// One VS Code server, on loopback and a free port, with its own data directory and a scratch home.
// The server offers the same extension host as the desktop editor; a Chromium page (workbench.ts) is its window.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { isAlive, ownProcess, stopProcessTree } from './processTree.ts';
import { quietSettings } from './quietSettings.ts';
import { until } from './until.ts';
import { ensureVscode } from './vscodeInstall.ts';

/** An older server wants the Node.js of its own time. */
const serverNode = process.env['TURNSTONE_TEST_VSCODE_NODE'] ?? process.execPath;

export interface ServerOptions {
  /** Holds extensions, settings and global storage; keep it to start again with the same ones. */
  readonly dataDirectory: string;
  /** Stands in for the user's home in the server and in all it starts. */
  readonly homeDirectory: string;
  /** The smoke-test driver is what lets a page name a development extension and its tests; it also hides toasts. */
  readonly driver: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: NodeJS.ProcessEnv;
  /** A secret that every request must carry; without one, anybody on this machine could use the server. */
  readonly connectionToken?: string;
  /** Folders are not trusted until somebody says so; by default every folder is. */
  readonly restricted?: boolean;
}

export interface VscodeServer {
  readonly url: string;
  /** The `host:port` that `vscode-remote:` addresses of this server carry. */
  readonly authority: string;
  readonly pid: number;
  /** Where the bridge extension, if it is installed, announces each extension host. */
  readonly bridgeDirectory: string;
  stop(): Promise<void>;
}

const licence = '--accept-server-license-terms';

/** With a gallery without an address, the server asks nobody for extensions and updates. */
const noGallery = { EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }) };

export async function startServer(options: ServerOptions): Promise<VscodeServer> {
  const vscode = await ensureVscode();
  const bridgeDirectory = join(options.dataDirectory, 'bridge');
  await mkdir(bridgeDirectory, { recursive: true, mode: 0o700 });
  await writeSettings(options);
  const port = await freePort();
  const logFile = join(options.dataDirectory, 'server.log');
  const log = openSync(logFile, 'a');
  const child = spawn(serverNode, [
    'out/server-main.js', '--host', '127.0.0.1', '--port', String(port), ...token(options), licence,
    '--server-data-dir', options.dataDirectory, ...(options.restricted === true ? [] : ['--disable-workspace-trust']), '--telemetry-level', 'off',
    '--reconnection-grace-time', '5', ...(options.driver ? ['--enable-smoke-test-driver'] : []),
  ], {
    cwd: vscode,
    env: serverEnvironment(options, { TURNSTONE_TEST_BRIDGE: bridgeDirectory }),
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) throw new Error('The VS Code server could not be started.');
  ownProcess(pid);
  const authority = `127.0.0.1:${port}`;
  const url = `http://${authority}`;
  const answers = async () => !isAlive(pid) || (await fetch(`${url}/version`)).ok;
  await until('the VS Code server answers', answers).catch(async (error: unknown) => {
    await stopProcessTree(pid);
    throw error;
  });
  if (!isAlive(pid)) throw new Error(`The VS Code server ended at once:\n${await readFile(logFile, 'utf8')}`);
  return { url, authority, pid, bridgeDirectory, stop: () => stopProcessTree(pid) };
}

/** Installs packaged extensions into a data directory; its server need not run. */
export async function installVsix(options: Pick<ServerOptions, 'dataDirectory' | 'homeDirectory'>, files: readonly string[]) {
  const installs = files.flatMap((file) => ['--install-extension', file]);
  await runCommand(
    serverNode,
    ['out/server-main.js', '--server-data-dir', options.dataDirectory, licence, ...installs, '--force'],
    { cwd: await ensureVscode(), environment: serverEnvironment(options) },
  );
}

async function writeSettings(options: ServerOptions): Promise<void> {
  const user = join(options.dataDirectory, 'data', 'User');
  await mkdir(user, { recursive: true });
  await writeFile(join(user, 'settings.json'), JSON.stringify({ ...quietSettings, ...options.settings }, undefined, 2));
}

function token({ connectionToken }: ServerOptions): readonly string[] {
  return connectionToken === undefined ? ['--without-connection-token'] : ['--connection-token', connectionToken];
}

// Variables of an editor that runs these tests in its terminal, or of the real home, would leak into ours.
function serverEnvironment(options: { homeDirectory: string; environment?: NodeJS.ProcessEnv }, extra: NodeJS.ProcessEnv = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|XDG_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  const home = { HOME: options.homeDirectory, USERPROFILE: options.homeDirectory };
  return { ...Object.fromEntries(inherited), ...home, ...noGallery, ...extra, ...options.environment };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
