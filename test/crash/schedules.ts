// Random schedules: each is made from nothing but its seed, so that it can be had again alone
// (npm run test:crash -- random --seed SEED --schedules 1).
import type { Fault, FaultPlan } from '../twins/faultyFiles.ts';
import { SeededRandom } from '../twins/random.ts';
import { afterwards, anotherLife } from './afterwards.ts';
import type { Ground } from './ground.ts';
import type { Machine } from './machine.ts';
import { endings, foundBy, type Findings, type Found } from './sweep.ts';

/** How many operations a process does at most after a crash; one that is to die later than that dies when it is done. */
const longestLife = 500;
const mostLives = 4;

/** A scenario, a moment, an ending, and perhaps processes that come after and are cut short, or refused something, in their turn. */
export async function runSchedule(grounds: readonly Ground[], seed: number): Promise<Found | undefined> {
  const random = new SeededRandom(seed);
  const ground = random.pick(grounds);
  const { machine: then, operation } = random.pick(ground.moments);
  const machine = then.copy();
  const ending = random.pick(endings);
  let where = `seed ${seed}: ${ground.scenario.name}, ${ending} at ${operation}`;
  try {
    machine.end(ending, random);
    let lives = 1;
    let refused = false;
    for (; lives < mostLives && !refused && random.chance(0.5); lives += 1) {
      const fault = pickFault(random);
      refused ||= fault.kind === 'error';
      where += await shortLife(ground, machine, lives, fault, random);
    }
    await afterwards(ground, machine, where, { lives, refused });
    return undefined;
  } catch (error) {
    return foundBy(error, where);
  }
}

/** Most processes die; some are refused one operation, and live on: after that one everything is looked at. */
function pickFault(random: SeededRandom): Fault {
  const written = random.chance(0.5) ? { written: random.below(200) } : {};
  if (random.chance(0.7)) return { kind: 'crash', ...written };
  const forgets = random.pick([undefined, 'shown', 'dropped'] as const);
  return { kind: 'error', code: random.pick(['EIO', 'EACCES', 'ENOSPC']), ...written, ...(forgets === undefined ? {} : { forgets }) };
}

/** A process comes up, meets a fault, and ends sooner or later; returns how. */
async function shortLife(ground: Ground, machine: Machine, life: number, fault: Fault, random: SeededRandom): Promise<string> {
  const meets = random.below(longestLife);
  const ending = random.pick(endings);
  let what = 'did all';
  const plan: FaultPlan = ({ index, method, path }) => {
    // A process that can't tell who it is, and is still there when the power has failed, is no machine that exists.
    if (index !== meets || path.startsWith('/proc/')) return undefined;
    what = `met ${JSON.stringify(fault)} at operation ${index} (${method} ${path})`;
    return fault;
  };
  await anotherLife(ground, machine, plan, life, fault.kind === 'error');
  machine.end(ending, random);
  return `, the next process ${what}, then ${ending}`;
}

export async function runSchedules(grounds: readonly Ground[], firstSeed: number, count: number): Promise<Findings> {
  const found: Found[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const wrong = await runSchedule(grounds, seed);
    if (wrong !== undefined) found.push(wrong);
  }
  return { operations: 0, schedules: count, found };
}
