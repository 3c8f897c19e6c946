import { recordEvent } from '../../../src/agents/recordEvent.ts';
import { takeEvent } from '../../../src/agents/takeEvent.ts';
import { history } from '../../../src/core/capture/history.ts';
import { Recorders } from '../../../src/core/capture/recorders.ts';
import { Roots } from '../../../src/core/timeline/roots.ts';
import { SeededRandom } from '../../twins/random.ts';
import { World, project, storage } from '../../twins/world.ts';
import { claudeVoice, codexVoice, geminiVoice, type HookEvent, type PlayedCall, type Voice } from './voices.ts';

/** What really happened to a path at one moment. */
export interface Step {
  /** Null where it is gone. */
  readonly text: string | null;
  /** Whose doing it was: a session's, the user's; undefined where nobody can know, because commands of several turns were running. */
  readonly by: string | undefined;
}

interface Running {
  readonly call: PlayedCall;
  readonly session: string;
  readonly turn: number;
  isDone: boolean;
}

interface AgentAtWork {
  readonly session: string;
  readonly voice: Voice;
  turn: number;
  isWorking: boolean;
}

/**
 * Several agents and a user in one folder at once, at random, and what each of them really did. Calls overlap; of two that are open at a time
 * never both say that they will change the same file, and the user touches nothing while a command runs: nobody could tell his work from the command's.
 */
export class DayOfWork {
  readonly world: World;
  readonly steps = new Map<string, Step[]>();
  readonly agents: readonly AgentAtWork[];
  /** What could not be recorded, in the hooks' own words. */
  readonly reasons: string[] = [];
  calls = 0;
  shells = 0;
  private readonly random: SeededRandom;
  private readonly shellCalls: ReadonlySet<number>;
  private running: Running[] = [];
  /** What commands have changed since the last look at all files: of a path that changes twice in between only the end can be seen. */
  private readonly sinceLook = new Set<string>();
  private texts = 0;

  private constructor(world: World, random: SeededRandom, shellCalls: ReadonlySet<number>, voices: readonly ((session: string, directory: string) => Voice)[]) {
    this.world = world;
    this.random = random;
    this.shellCalls = shellCalls;
    this.agents = voices.map((voice, index) => ({ session: `session-${index}`, voice: voice(`session-${index}`, project), turn: 0, isWorking: false }));
  }

  static async play(seed: number, { calls, shells, voices = [claudeVoice, codexVoice, geminiVoice] }: { readonly calls: number; readonly shells: number; readonly voices?: readonly ((session: string, directory: string) => Voice)[] }): Promise<DayOfWork> {
    const random = new SeededRandom(seed);
    const world = await World.make({});
    const chosen = new Set<number>();
    while (chosen.size < shells) chosen.add(random.below(calls));
    const day = new DayOfWork(world, random, chosen, voices);
    for (let index = 0; index < 25; index += 1) if (random.chance(0.7)) day.change(`dir${index % 3}/f${index}.txt`, 'user');
    while (day.calls < calls || day.running.length > 0 || day.agents.some(({ isWorking }) => isWorking)) await day.next(calls);
    return day;
  }

  private change(path: string, by: string | undefined, isDeleted = false): void {
    this.texts += 1;
    const text = isDeleted ? null : `${this.texts} by ${by ?? 'somebody'}\n`;
    this.world.write({ [path]: text });
    this.note(path, { text, by });
  }

  private note(path: string, step: Step): void {
    this.steps.set(path, [...(this.steps.get(path) ?? []), step]);
  }

  private isThere(path: string): boolean {
    return (this.steps.get(path)?.at(-1)?.text ?? null) !== null;
  }

  private anyPath(): string {
    const index = this.random.below(40);
    return `dir${index % 3}/f${index}.txt`;
  }

  private freePath(): string | undefined {
    const taken = new Set(this.running.flatMap(({ call }) => (call.kind === 'write' ? [call.path.slice(project.length + 1)] : [])));
    const path = this.anyPath();
    return taken.has(path) ? undefined : path;
  }

  private async next(calls: number): Promise<void> {
    const { random } = this;
    this.world.clock.advance(1 + random.below(500));
    const open = this.running.filter(({ isDone }) => !isDone);
    if (this.running.length > 0 && random.chance(this.calls < calls ? 0.55 : 1)) {
      const running = random.pick(this.running);
      if (!running.isDone) return this.work(running);
      return this.finish(running);
    }
    if (open.every(({ call }) => call.kind !== 'shell') && this.running.every(({ call }) => call.kind !== 'shell') && random.chance(0.15)) {
      const path = this.freePath();
      if (path !== undefined) this.change(path, 'user', this.isThere(path) && random.chance(0.15));
      return;
    }
    const agent = random.pick(this.agents);
    if (!agent.isWorking) {
      if (this.calls >= calls) return;
      agent.turn += 1;
      agent.isWorking = true;
      return this.tell(agent.voice.prompt(agent.turn, `prompt ${agent.turn} of ${agent.session}`));
    }
    const own = this.running.filter(({ session }) => session === agent.session);
    if (own.length === 0 && (this.calls >= calls || random.chance(0.15))) {
      agent.isWorking = false;
      return this.tell(agent.voice.stop(agent.turn));
    }
    if (this.calls < calls && own.length < 3) await this.start(agent);
  }

  private async start({ session, voice, turn }: AgentAtWork): Promise<void> {
    const isShell = this.shellCalls.has(this.calls);
    const path = isShell ? undefined : this.freePath();
    if (!isShell && path === undefined) return;
    const id = `call-${this.calls}`;
    this.texts += 1;
    const call: PlayedCall = path === undefined ? { id, kind: 'shell', command: `command ${id}` } : { id, kind: 'write', path: `${project}/${path}`, old: this.steps.get(path)?.at(-1)?.text ?? null, content: `${this.texts} by ${session}\n` };
    this.calls += 1;
    await this.tell(voice.before(turn, call));
    if (path === undefined) {
      this.shells += 1;
      this.sinceLook.clear();
    }
    this.running.push({ call, session, turn, isDone: false });
  }

  private work(running: Running): void {
    const { call, session } = running;
    running.isDone = true;
    if (call.kind === 'write') {
      const path = call.path.slice(project.length + 1);
      this.world.write({ [path]: call.content });
      this.note(path, { text: call.content, by: session });
      return;
    }
    const turns = new Set(this.running.filter(other => other.call.kind === 'shell').map(other => `${other.session} ${other.turn}`));
    for (let count = 1 + this.random.below(3); count > 0; count -= 1) {
      const path = this.freePath();
      if (path === undefined || this.sinceLook.has(path)) continue;
      this.sinceLook.add(path);
      this.change(path, turns.size === 1 ? session : undefined, this.isThere(path) && this.random.chance(0.25));
    }
  }

  private async finish(running: Running): Promise<void> {
    this.running = this.running.filter(other => other !== running);
    const voice = this.agents.find(({ session }) => session === running.session)?.voice;
    if (voice !== undefined) await this.tell(voice.after(running.turn, running.call));
    if (running.call.kind === 'shell') this.sinceLook.clear();
  }

  /** Each event is a process of its own, as hooks are. */
  private async tell({ agent, event, payload }: HookEvent): Promise<void> {
    const { memory, clock } = this.world;
    const taken = takeEvent(agent, event, JSON.stringify(payload), {}, () => false);
    if (taken.kind !== 'event') throw new Error(`${agent} ${event}: ${taken.kind}`);
    const recorders = new Recorders(memory, clock, new Roots(memory, clock, storage), async () => history);
    this.reasons.push(...(await recordEvent(taken.agent, taken.origin, taken.event, recorders)));
  }
}
