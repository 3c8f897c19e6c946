import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { commandIds } from '../../src/editor/ids.ts';
import { storageDirectory, workspaceFolder } from './place.ts';

describe('activation', () => {
  const find = () => {
    const extension = vscode.extensions.getExtension('turnstone.turnstone');
    assert.ok(extension, 'turnstone.turnstone is installed');
    return extension;
  };

  it('activates from its package', async () => {
    const extension = find();
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  // The first spec of the suite, so nobody has agreed to anything yet.
  it('writes nothing anywhere before consent', async () => {
    await find().activate();
    await vscode.commands.executeCommand(commandIds.refresh);
    assert.equal(existsSync(storageDirectory()), false);
    assert.deepEqual(readdirSync(homedir()).filter(name => name === '.claude'), []);
    assert.deepEqual(readdirSync(workspaceFolder()), []);
  });

  it('registers all its commands', async () => {
    await find().activate();
    const known = await vscode.commands.getCommands(true);
    for (const id of Object.values(commandIds)) assert.ok(known.includes(id), id);
  });

  it('finds an editor at least as new as its manifest asks for', () => {
    const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
    assert.ok(major > 1 || minor >= 101, `VS Code ${vscode.version}`);
  });
});
