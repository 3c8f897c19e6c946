// A door into the extension host for tests: it evaluates the JavaScript posted to it and answers with the result.
// It opens only when the tests named a directory to announce it in, on loopback, and only to who read its token there.
import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as vscode from 'vscode';
import type { BridgeAnnouncement, BridgeAnswer } from '../bridgeProtocol.ts';

type Body = (api: typeof vscode) => Promise<unknown>;
const AsyncFunction = (async () => {}).constructor as new (name: string, body: string) => Body;

export function activate(context: vscode.ExtensionContext): void {
  const directory = process.env['TURNSTONE_TEST_BRIDGE'];
  if (directory === undefined) return;
  const token = randomBytes(24).toString('hex');
  const server = createServer(async (request, response) => {
    const allowed = request.method === 'POST' && request.headers['x-bridge-token'] === token;
    response.statusCode = allowed ? 200 : 403;
    response.end(allowed ? JSON.stringify(await answer(request)) : '');
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') return;
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    announce(directory, { pid: process.pid, port: address.port, token, folders });
  });
  context.subscriptions.push({ dispose: () => server.close() });
}

async function answer(request: IncomingMessage): Promise<BridgeAnswer> {
  try {
    const body = new AsyncFunction('vscode', await text(request));
    return { value: await body(vscode) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// Renamed into place, so that the tests never read half an announcement.
function announce(directory: string, announcement: BridgeAnnouncement): void {
  const file = join(directory, `${announcement.pid}.json`);
  writeFileSync(`${file}.new`, JSON.stringify(announcement), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
