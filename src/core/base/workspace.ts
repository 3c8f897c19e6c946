/** A document whose text in an editor differs from the file. */
export interface UnsavedDocument {
  /** Who has it: this process can ask the document itself, another editor only says so. */
  readonly owner: 'here' | 'elsewhere';
}

/**
 * The editors as a port: what is unsaved counts as content, and only an editor can replace it.
 * Paths are absolute and native.
 */
export interface Workspace {
  /** Every unsaved document in every live editor that is known of. */
  unsaved(): ReadonlyMap<string, UnsavedDocument>;
  /** The bytes that saving an unsaved document of this editor would write. */
  unsavedBytes(path: string): Promise<Uint8Array | undefined>;
  /** Replaces an unsaved document's text and saves it, so that the editor's own undo brings the text back. */
  replaceUnsaved(path: string, bytes: Uint8Array): Promise<boolean>;
  /** Lets other work run between two files. */
  yield(): Promise<void>;
}

/** A workspace in which no editor has anything unsaved. */
export const quietWorkspace: Workspace = {
  unsaved: () => new Map(),
  unsavedBytes: async () => undefined,
  replaceUnsaved: async () => false,
  yield: () => new Promise(resolve => setImmediate(resolve)),
};
