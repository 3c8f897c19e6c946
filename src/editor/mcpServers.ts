import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { mcpProviderId } from './ids.ts';
import { nodeFiles } from '../core/base/files.ts';
import { Policy } from '../core/timeline/policy.ts';
import type { Places } from './places.ts';
import type { Recordings } from './recordings.ts';
import { affects, isOn } from './settings.ts';

/** Offers the command line's MCP server, one for each recorded folder, where the user has switched that on. Starting one is the editor's matter. */
export class McpServers implements Disposable {
  private readonly places: Places;
  private readonly recordings: Recordings;
  private readonly version: string;
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new vscode.EventEmitter<void>());

  constructor(places: Places, recordings: Recordings, version: string) {
    this.places = places;
    this.recordings = recordings;
    this.version = version;
    if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return;
    let offered = this.standing();
    const look = (): void => {
      const now = this.standing();
      if (now === offered) return;
      offered = now;
      this.changed.fire();
    };
    this.owned.add(recordings.onDidChange(look));
    this.owned.add(vscode.workspace.onDidGrantWorkspaceTrust(look));
    this.owned.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (affects(event, 'mcpServer') || affects(event, 'writeTools')) look();
      }),
    );
    this.owned.add(vscode.lm.registerMcpServerDefinitionProvider(mcpProviderId, { onDidChangeMcpServerDefinitions: this.changed.event, provideMcpServerDefinitions: () => [...this.definitions()] }));
  }

  definitions(): readonly vscode.McpStdioServerDefinition[] {
    if (!isOn('mcpServer') || !vscode.workspace.isTrusted) return [];
    const { storage, runtime } = this.places;
    const writes = isOn('writeTools') && Policy.read(nodeFiles).whyNot('tools') === undefined;
    return this.recordings.folders.map(({ name, root }) => {
      const args = [runtime.bundle, '--store', storage, '--root', root.path, 'mcp', ...(writes ? [] : ['--read-only'])];
      return new vscode.McpStdioServerDefinition(vscode.l10n.t('Turnstone: {0}', name), runtime.executable, args, { ELECTRON_RUN_AS_NODE: '1' }, this.version);
    });
  }

  private standing(): string {
    return JSON.stringify(this.definitions().map(({ label, args }) => [label, args]));
  }

  dispose(): void {
    this.owned.dispose();
  }
}
