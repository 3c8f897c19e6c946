import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { viewIds } from './ids.ts';
import type { Recordings } from './recordings.ts';
import { itemOf, tooltipOf } from './timelineItems.ts';
import { TimelineNodes, type TimelineNode } from './timelineNodes.ts';

/**
 * The Timeline view.
 *
 * Invariants: an update never reveals, selects or focuses anything; only what looks different is drawn anew,
 * and the whole tree only when its first level has other nodes than before.
 */
export class TimelineTree implements vscode.TreeDataProvider<TimelineNode>, Disposable {
  private readonly recordings: Recordings;
  private readonly nodes = new TimelineNodes();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new vscode.EventEmitter<TimelineNode | TimelineNode[] | undefined>());
  private readonly parents = new Map<TimelineNode, TimelineNode>();
  private drawn = new Map<TimelineNode, string>();
  private firstLevel = '';
  readonly view: vscode.TreeView<TimelineNode>;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(recordings: Recordings) {
    this.recordings = recordings;
    this.view = this.owned.add(vscode.window.createTreeView(viewIds.timeline, { treeDataProvider: this, showCollapseAll: true }));
    this.owned.add(recordings.onDidChange(() => this.update()));
    this.tellProblems();
  }

  getChildren(node?: TimelineNode): TimelineNode[] {
    const children = node === undefined ? this.nodes.roots(this.recordings.folders) : this.nodes.children(node);
    if (node === undefined) this.firstLevel = children.map(({ id }) => id).join('\n');
    else for (const child of children) this.parents.set(child, node);
    return [...children];
  }

  getTreeItem(node: TimelineNode): vscode.TreeItem {
    const item = itemOf(node);
    this.drawn.set(node, this.look(node, item));
    return item;
  }

  getParent(node: TimelineNode): TimelineNode | undefined {
    return this.parents.get(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: TimelineNode): vscode.TreeItem {
    const tooltip = tooltipOf(node);
    if (tooltip !== undefined) item.tooltip = tooltip;
    return item;
  }

  private look(node: TimelineNode, item: vscode.TreeItem): string {
    const children = this.nodes.children(node).map(({ id }) => id);
    return JSON.stringify([item.label, item.description, item.contextValue, item.iconPath, item.accessibilityInformation, item.resourceUri?.toString(), children]);
  }

  private update(): void {
    this.tellProblems();
    const firstLevel = this.nodes.roots(this.recordings.folders).map(({ id }) => id).join('\n');
    if (firstLevel !== this.firstLevel) {
      this.drawn = new Map();
      this.changed.fire(undefined);
      return;
    }
    const different = [...this.drawn].filter(([node, look]) => look !== this.look(node, itemOf(node))).map(([node]) => node);
    // A child is drawn with its parent.
    const topmost = different.filter(node => !this.hasAncestorIn(node, different));
    for (const node of different) this.drawn.delete(node);
    if (topmost.length > 0) this.changed.fire(topmost);
  }

  private hasAncestorIn(node: TimelineNode, others: readonly TimelineNode[]): boolean {
    const parent = this.parents.get(node);
    return parent !== undefined && (others.includes(parent) || this.hasAncestorIn(parent, others));
  }

  /** Says beside the view's name that nothing is recorded, when that is how the user wants it. */
  tellStopped(stopped: boolean): void {
    const description = stopped ? vscode.l10n.t('not recording') : '';
    if ((this.view.description ?? '') !== description) this.view.description = description;
  }

  private tellProblems(): void {
    const problems = [...this.recordings.problems, ...this.recordings.folders.map(folder => folder.problem).filter(problem => problem !== undefined)];
    this.view.message = problems.join('\n');
  }

  dispose(): void {
    this.owned.dispose();
  }
}
