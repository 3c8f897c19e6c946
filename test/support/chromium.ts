// The window of the tests is the Chromium the machine already has. On Debian as root it is installed when missing;
// elsewhere CHROMIUM_PATH can name any Chromium-based browser.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { runCommand } from './command.ts';

const usualNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const usualPlaces = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  join(process.env['ProgramFiles'] ?? '', 'Google/Chrome/Application/chrome.exe'),
  join(process.env['ProgramFiles(x86)'] ?? '', 'Microsoft/Edge/Application/msedge.exe'),
];

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureChromium(),
    args: [
      // The tests often run as root in a container, where the sandbox cannot start; the pages are all our own.
      '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--disable-sync', '--no-first-run',
      '--disable-background-networking', '--disable-component-update',
    ],
  });
}

export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found !== undefined) return found;
  const mayInstall = onPath('apt-get') !== undefined && process.getuid?.() === 0;
  if (!mayInstall) throw new Error(advice('No Chromium was found.'));
  console.log('Installing Chromium with apt-get; this happens once.');
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (...parameters: string[]) =>
    runCommand('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...parameters], { environment });
  try {
    await aptGet('update');
    await aptGet('install', '--yes', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
  } catch (error) {
    throw new Error(advice('Chromium could not be installed with apt-get.'), { cause: error });
  }
  const installed = findChromium();
  if (installed === undefined) throw new Error(advice('apt-get installed no Chromium that can be found.'));
  return installed;
}

function findChromium(): string | undefined {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which does not exist.`);
    return named;
  }
  const candidates = [...usualNames.map(onPath), ...usualPlaces.filter((place) => existsSync(place))];
  return candidates.find((place) => place !== undefined);
}

function onPath(name: string): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return directories.map((directory) => join(directory, name)).find((place) => existsSync(place));
}

function advice(problem: string): string {
  return `${problem} Install Chromium or Chrome, or set CHROMIUM_PATH to the browser's executable, and run the tests again.`;
}
