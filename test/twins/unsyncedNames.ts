import { changeNames, type DirectoryNode, type NameChange, type NodeCopier } from './memoryNodes.ts';

/** The changes of names that the disk need not have yet, in their order, over all directories of one disk. */
export class UnsyncedNames {
  private changes: readonly NameChange[] = [];

  /** Somebody changes names: all see it at once, and the disk will have it some day. */
  make(steps: NameChange['steps']): void {
    changeNames('entries', { steps });
    this.changes = [...this.changes, { steps }];
    for (const { directory } of steps) directory.changes += 1;
  }

  /** Makes one name durable as it is now. */
  settle(directory: DirectoryNode, name: string): void {
    const isOther = (step: { readonly directory: DirectoryNode; readonly name: string }): boolean => step.directory !== directory || step.name !== name;
    this.changes = this.changes.map(({ steps }) => ({ steps: steps.filter(isOther) })).filter(({ steps }) => steps.length > 0);
    changeNames('durable', { steps: [{ directory, name, node: directory.entries.get(name) }] });
  }

  /** Makes a directory's names durable. */
  sync(directory: DirectoryNode): void {
    for (const change of this.take(directory)) changeNames('durable', change);
  }

  /**
   * Takes the changes of a directory's names out of those that wait, and of other directories as far as they can't
   * be told apart from these: a rename between two directories is one change of both.
   */
  take(directory: DirectoryNode): readonly NameChange[] {
    const directories = new Set([directory]);
    const found = this.changes.toReversed().filter(({ steps }) => {
      if (!steps.some(step => directories.has(step.directory))) return false;
      for (const step of steps) directories.add(step.directory);
      return true;
    });
    this.changes = this.changes.filter(change => !found.includes(change));
    return found.reverse();
  }

  takeAll(): readonly NameChange[] {
    const all = this.changes;
    this.changes = [];
    return all;
  }

  copy(copier: NodeCopier): UnsyncedNames {
    const copy = new UnsyncedNames();
    copy.changes = this.changes.map(change => copier.copyChange(change));
    return copy;
  }
}
