import type { RecordedFolder } from './recordedFolder.ts';
import { folderTimeline, type Entry, type SessionEntries } from './folderTimeline.ts';

/** A place in the tree. It only names things; what they are is looked up when they are drawn. */
export type TimelineNode =
  | { readonly kind: 'folder'; readonly id: string; readonly folder: RecordedFolder }
  | { readonly kind: 'session'; readonly id: string; readonly folder: RecordedFolder; readonly session: string }
  | { readonly kind: 'turn'; readonly id: string; readonly folder: RecordedFolder; readonly turn: string }
  | { readonly kind: 'file'; readonly id: string; readonly folder: RecordedFolder; readonly turn: string; readonly path: string }
  | { readonly kind: 'operation'; readonly id: string; readonly folder: RecordedFolder; readonly operation: string }
  | { readonly kind: 'branch'; readonly id: string; readonly folder: RecordedFolder; readonly session: string; readonly operation: string }
  | { readonly kind: 'start'; readonly id: string; readonly folder: RecordedFolder };

export type NodeOf<K extends TimelineNode['kind']> = Extract<TimelineNode, { readonly kind: K }>;

/**
 * Makes the tree's nodes.
 *
 * Invariant: the same thing is the same object for as long as its folder is open, because the editor tells
 * nodes apart by object when it refreshes one and by id when it keeps what is selected and expanded.
 */
export class TimelineNodes {
  private readonly known = new Map<string, TimelineNode>();

  roots(folders: readonly RecordedFolder[]): readonly TimelineNode[] {
    const filled = folders.filter(folder => folderTimeline(folder).sessions.length > 0);
    const only = filled[0];
    if (only === undefined) return [];
    return filled.length === 1 ? this.ofFolder(only) : filled.map(folder => this.node({ kind: 'folder', id: folder.root.key, folder }));
  }

  children(node: TimelineNode): readonly TimelineNode[] {
    const { folder } = node;
    switch (node.kind) {
      case 'folder':
        return this.ofFolder(folder);
      case 'session': {
        const session = folderTimeline(folder).sessions.find(({ id }) => id === node.session);
        return session === undefined ? [] : this.ofSession(folder, session);
      }
      case 'turn':
        return (folderTimeline(folder).turns.get(node.turn)?.files ?? []).map(({ path }) =>
          this.node({ kind: 'file', id: `${folder.root.key}/${node.turn}/${path}`, folder, turn: node.turn, path }),
        );
      case 'branch': {
        const entries = folderTimeline(folder).sessions.flatMap(session => session.entries);
        const branch = entries.find((entry): entry is Extract<Entry, { kind: 'branch' }> => entry.kind === 'branch' && entry.operation.id === node.operation);
        return (branch?.turns ?? []).map(({ turn }) => this.turn(folder, turn.id));
      }
      case 'file':
      case 'operation':
      case 'start':
        return [];
    }
  }

  /** The node of a turn, wherever it hangs. */
  turn(folder: RecordedFolder, turn: string): TimelineNode {
    return this.node({ kind: 'turn', id: `${folder.root.key}/${turn}`, folder, turn });
  }

  private ofFolder(folder: RecordedFolder): readonly TimelineNode[] {
    const { sessions, here } = folderTimeline(folder);
    const only = sessions[0];
    const nodes =
      sessions.length === 1 && only !== undefined
        ? this.ofSession(folder, only)
        : sessions.map(({ id }) => this.node({ kind: 'session', id: `${folder.root.key}/${id}`, folder, session: id }));
    return here === undefined && nodes.length > 0 ? [...nodes, this.node({ kind: 'start', id: `${folder.root.key}/start`, folder })] : nodes;
  }

  private ofSession(folder: RecordedFolder, session: SessionEntries): readonly TimelineNode[] {
    return session.entries.map(entry => {
      switch (entry.kind) {
        case 'turn':
          return this.turn(folder, entry.view.turn.id);
        case 'operation':
          return this.node({ kind: 'operation', id: `${folder.root.key}/${entry.operation.id}`, folder, operation: entry.operation.id });
        case 'branch':
          return this.node({ kind: 'branch', id: `${folder.root.key}/${session.id}/${entry.operation.id}`, folder, session: session.id, operation: entry.operation.id });
      }
    });
  }

  private node(fresh: TimelineNode): TimelineNode {
    const known = this.known.get(fresh.id);
    if (known !== undefined && known.folder === fresh.folder) return known;
    this.known.set(fresh.id, fresh);
    return fresh;
  }
}
