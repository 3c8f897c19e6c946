// The VS Code server comes from the npm package code-server, because that is the one place where a plain `npm` can get
// it. Only the server inside it is unpacked, with the few modules it loads; nothing native is compiled, and without
// those parts it has no log files and no terminals, which no test needs.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from './cacheDirectory.ts';
import { runCommand, runNpm } from './command.ts';

/** Another version, such as the oldest one that the manifest allows, can be named to run the same suites in it. */
const serverPackage = process.env['TURNSTONE_TEST_VSCODE'] ?? 'code-server@4.139.1';

const loadedModules = new Set([
  '@microsoft/1ds-core-js', '@microsoft/1ds-post-js', '@parcel/watcher', '@vscode/deviceid', '@vscode/fs-copyfile',
  '@vscode/iconv-lite-umd', '@vscode/native-watchdog', '@vscode/proxy-agent', '@vscode/ripgrep', '@vscode/ripgrep-universal',
  '@vscode/spdlog', '@vscode/tree-sitter-wasm', '@xterm/addon-serialize', '@xterm/addon-unicode11', '@xterm/headless',
  'cookie', 'detect-libc', 'http-proxy-agent', 'https-proxy-agent', 'jschardet', 'minimist', 'node-pty', 'tas-client',
  'vscode-oniguruma', 'vscode-regexpp', 'vscode-textmate', 'ws', 'yauzl', 'yazl',
]);

/** Returns the directory that holds the server's `out/server-main.js`, downloading it on the first call. */
export async function ensureVscode(): Promise<string> {
  const recipe = createHash('sha256').update([...loadedModules].sort().join()).digest('hex').slice(0, 8);
  return cached(`${serverPackage.replace('@', '-')}-${recipe}`, async (directory) => {
    console.log(`Setting up the VS Code server (${serverPackage}); this happens once.`);
    const download = join(directory, 'download');
    await mkdir(download);
    const packed = (await runNpm(['pack', '--silent', serverPackage], download)).trim().split('\n').at(-1) ?? '';
    await runCommand('tar', ['-xzf', packed, 'package/lib/vscode'], { cwd: download });
    const server = join(download, 'package', 'lib', 'vscode');
    await keepLoadedModules(join(server, 'package.json'));
    // The shrinkwrap disagrees with the manifest it came with, so `npm ci` would refuse it.
    await runNpm(['install', '--omit=dev', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund'], server);
    await rename(server, join(directory, 'vscode'));
    await rm(download, { recursive: true });
  }).then((directory) => join(directory, 'vscode'));
}

async function keepLoadedModules(manifestFile: string): Promise<void> {
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as { dependencies: Record<string, string> };
  const kept = Object.entries(manifest.dependencies).filter(([name]) => loadedModules.has(name));
  await writeFile(manifestFile, JSON.stringify({ ...manifest, dependencies: Object.fromEntries(kept) }, undefined, 2));
}
