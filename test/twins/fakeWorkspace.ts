import type { UnsavedDocument, Workspace } from '../../src/core/base/workspace.ts';
import type { MemoryFiles } from './memoryFiles.ts';

/** An editor with unsaved documents of its own, and others that belong to another window. */
export class FakeWorkspace implements Workspace {
  private readonly files: MemoryFiles;
  private readonly texts = new Map<string, string>();
  private readonly elsewhere = new Set<string>();
  /** Runs when the restore machine lets others run, between two files. */
  onYield: () => void = () => undefined;

  constructor(files: MemoryFiles) {
    this.files = files;
  }

  type(path: string, text: string): void {
    this.texts.set(path, text);
  }

  typeElsewhere(path: string): void {
    this.elsewhere.add(path);
  }

  /** The user saves the document. */
  save(path: string): void {
    const text = this.texts.get(path);
    if (text === undefined) throw new Error(`${path} has nothing unsaved`);
    this.files.put(path, text);
    this.texts.delete(path);
  }

  unsaved(): ReadonlyMap<string, UnsavedDocument> {
    const here = [...this.texts.keys()].map(path => [path, { owner: 'here' }] as const);
    const there = [...this.elsewhere].map(path => [path, { owner: 'elsewhere' }] as const);
    return new Map<string, UnsavedDocument>([...here, ...there]);
  }

  async unsavedBytes(path: string): Promise<Uint8Array | undefined> {
    const text = this.texts.get(path);
    return text === undefined ? undefined : Buffer.from(text);
  }

  async replaceUnsaved(path: string, bytes: Uint8Array): Promise<boolean> {
    if (!this.texts.delete(path)) return false;
    this.files.put(path, bytes);
    return true;
  }

  async yield(): Promise<void> {
    this.onYield();
    await Promise.resolve();
  }
}
