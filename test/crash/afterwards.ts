// What happens once a machine has come up again: the next process finishes what was begun, everything is looked at,
// and work goes on.
import { TurnstoneError } from '../../src/core/base/errors.ts';
import { recoverAll } from '../../src/core/rewind/recover.ts';
import type { Timeline } from '../../src/core/timeline/model.ts';
import { viewTurns } from '../../src/core/timeline/view.ts';
import type { Files } from '../../src/core/base/files.ts';
import type { FaultPlan } from '../twins/faultyFiles.ts';
import type { Actor } from '../twins/world.ts';
import { checkDurable, checkFold, checkHistory, checkLeftovers, checkSafetyCopies, checkSetAside, checkTree, mustBe, recover, sameTree, type Tree } from './checks.ts';
import { must } from './finding.ts';
import type { Ground } from './ground.ts';
import { readJournalBytes } from './journalBytes.ts';
import type { Machine } from './machine.ts';
import type { Scenario } from './scenarios.ts';

/** Files with two names are written in place: a crash may leave a mixture of old and new until they are finished. */
const inPlace: ReadonlySet<string> = new Set(['twin.txt', 'other-name.txt']);

export interface Circumstances {
  /** How many processes were cut short. */
  readonly lives: number;
  /** The system has refused something: a file that was told as restored may be as before after a power failure, as a whole. */
  readonly refused: boolean;
}

/** Everything that has to be true once a machine has come up again; throws what is not. */
export async function afterwards(ground: Ground, machine: Machine, where: string, { lives, refused }: Circumstances = { lives: 1, refused: false }): Promise<void> {
  const { scenario, before, after, bytes } = ground;
  const { world } = machine;
  const restores = scenario.takeBack !== undefined;
  const found = world.tree();
  if (restores) checkTree(found, before, after, where, inPlace);
  checkHistory(machine, where);
  const { tail } = readJournalBytes(world.memory, where);
  const actor = await recover(machine, where);
  checkFold(readJournalBytes(world.memory, where).records, actor, `${where}, recovered`);
  if (restores) checkTree(world.tree(), before, after, where);
  else mustBe(world.tree(), found, `${where}: recovery changes files`);
  if (restores) checkSafetyCopies(machine, actor, bytes, where);
  const left = checkDurable(machine, `${where}, recovered`);
  if (!refused) mustBe(left, world.tree(), `${where}, recovered, then the power failed`);
  else if (restores) checkTree(left, before, after, `${where}, recovered, then the power failed`);
  // A restore that was refused something while it was being finished leaves a mixture, and that is for the user to decide.
  const isAsTold = !refused || !restores || (lives === 1 && !hasUnsynced(actor.store.timeline));
  if (restores && isAsTold) await tryAgain(ground, machine, where, lives);
  const last = machine.process();
  await last.turn('t-last', [{ 'edit.txt': 'later\n' }, { 'last/made.txt': 'made\n' }]);
  checkSetAside(machine, tail, where);
  checkFold(readJournalBytes(world.memory, where).records, last, `${where}, a turn later`);
  const durable = checkDurable(machine, `${where}, a turn later`);
  // Whatever a dead process has left beside its locks is gone after the next restore.
  await last.store.restoring(async () => undefined);
  if (!isAsTold) return;
  mustBe(durable, world.tree(), `${where}, a turn later, then the power failed`);
  checkLeftovers(machine, where);
}

/**
 * Whether a restore wrote a file and said that it could not sync it: then it may be as before by now, as if somebody had
 * put it back.
 */
function hasUnsynced(timeline: Timeline): boolean {
  const paths = [...timeline.operations.values()].flatMap(({ done }) => done?.paths ?? []);
  return paths.some(({ outcome, reason }) => outcome === 'done' && reason !== undefined);
}

function activeTurns(machine: Machine): readonly string[] {
  const { store } = machine.process();
  store.refresh();
  return viewTurns(store.timeline, false).map(({ turn }) => turn.id);
}

/** The user tries again and gets all of it; then takes it back and gets all of that. */
async function tryAgain({ scenario, before, after }: Ground, machine: Machine, where: string, lives: number): Promise<void> {
  const { world } = machine;
  if (!sameTree(world.tree(), after)) for (const step of scenario.steps) await step(world, machine.process());
  mustBe(world.tree(), after, `${where}: done when tried again`);
  const back = activeTurns(machine).filter(turn => scenario.discards?.includes(turn));
  must(back.length === 0, 'unsound', () => `${where}: ${back.join(', ')} was discarded and is back`);
  await takeBack(scenario, before, machine, () => machine.process(), lives);
  mustBe(world.tree(), before, `${where}: taken back`);
}

/** What was left at first and done when tried again was done by two restores, and by one more for each crash. */
async function takeBack({ takeBack: kind }: Scenario, before: Tree, machine: Machine, open: () => Actor, lives: number): Promise<void> {
  for (let steps = 0; kind !== undefined && steps <= lives && !sameTree(machine.world.tree(), before); steps += 1) await open()[kind]();
}

function opened(machine: Machine, files: Files): Actor | undefined {
  try {
    return machine.process(files);
  } catch {
    // Where not even the store could be opened, nothing was begun.
    return undefined;
  }
}

/** The work of a process that comes up after a crash: it finishes what was begun, and if nothing is refused goes on; it can be cut short, too. */
export async function anotherLife({ scenario, before, after }: Ground, machine: Machine, plan: FaultPlan, life: number, refused: boolean): Promise<void> {
  const files = machine.files(plan);
  const actor = opened(machine, files);
  if (actor === undefined) return;
  try {
    await actor.store.restoring(() => recoverAll(actor.context));
    if (scenario.takeBack !== undefined) {
      if (refused) return;
      if (!sameTree(machine.world.tree(), after)) for (const step of scenario.steps) await step(machine.world, actor);
      await takeBack(scenario, before, machine, () => actor, life);
    } else await actor.turn(`t-life-${life}`, [{ 'edit.txt': `life ${life}\n` }, { [`new/${life}.txt`]: 'made\n' }]);
  } catch (error) {
    // Whatever a process threw on its way out is its own matter; to one that lives on only what a user can be told is thrown.
    if (!files.crashed && !TurnstoneError.is(error)) throw error;
  }
}
