import assert from 'node:assert/strict';
import * as vscode from 'vscode';

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

  it('finds an editor at least as new as its manifest asks for', () => {
    const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
    assert.ok(major > 1 || minor >= 101, `VS Code ${vscode.version}`);
  });
});
