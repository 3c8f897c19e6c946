// One machine under test: its disk, who was told what, and the product as it is, or with a fault built in on purpose.
import type { Files } from '../../src/core/base/files.ts';
import { RootStore } from '../../src/core/timeline/store.ts';
import { faultyFiles, type FaultPlan, type FaultyFiles } from '../twins/faultyFiles.ts';
import { outage, type OutageKind } from '../twins/outage.ts';
import type { SeededRandom } from '../twins/random.ts';
import type { Actor, World } from '../twins/world.ts';
import { Ledger } from './ledger.ts';

/** What is put between a process and its disk, and how it opens its store, to see whether a mistake there is found. */
export interface Product {
  readonly through?: (files: Files) => Files;
  readonly openStore?: (...parts: ConstructorParameters<typeof RootStore>) => RootStore;
}

/** How a process ends: it alone, or with the power. */
export type Ending = 'killed' | OutageKind;

export class Machine {
  readonly world: World;
  readonly ledger: Ledger;
  private readonly product: Product;
  private readonly segmentLimit: number | undefined;

  constructor(world: World, product: Product, segmentLimit: number | undefined, ledger = new Ledger()) {
    this.world = world;
    this.product = product;
    this.segmentLimit = segmentLimit;
    this.ledger = ledger;
    const open = product.openStore ?? ((...parts) => new RootStore(...parts));
    world.openStore = (files, clock, directory, identity) => open(files, clock, directory, identity, segmentLimit);
  }

  copy(product = this.product): Machine {
    return new Machine(this.world.copy(), product, this.segmentLimit, this.ledger.copy());
  }

  /** The file system as a new process sees it. */
  files(plan?: FaultPlan): FaultyFiles {
    return faultyFiles(this.product.through?.(this.world.memory) ?? this.world.memory, plan);
  }

  /** A new process with the store open, which tells the ledger what it is told. */
  process(files: Files = this.files()): Actor {
    const actor = this.world.open(files);
    this.ledger.watch(actor.store);
    return actor;
  }

  /** The power fails, if it does, and every process of before is gone; some time later somebody comes back. */
  end(ending: Ending, random: SeededRandom): void {
    if (ending !== 'killed') this.world.memory.powerFailure(outage(ending, random));
    this.world.reboot();
    this.world.clock.set(this.world.clock.now() + 1000);
  }
}
