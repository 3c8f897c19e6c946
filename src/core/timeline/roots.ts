import { RootRegistry, type KnownRoot } from './rootRegistry.ts';
import { RootStore } from './store.ts';

/** The known roots with their whole stores, for programs that read history; hooks do with the registry alone. */
export class Roots extends RootRegistry {
  open(root: KnownRoot): RootStore {
    return new RootStore(this.files, this.clock, this.directoryOf(root), this.identityOf(root));
  }
}
