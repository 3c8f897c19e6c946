import { derivedId } from '../../../src/core/base/ids.ts';
import type { Random } from './random.ts';
import type { Batch } from './writtenJournal.ts';

type Fields = Readonly<Record<string, unknown>>;

const paths = ['a', 'b', '\u00e9 x', '\u{1F600}', '\uffee', 'd/e'];
const calls = Array.from({ length: 12 }, (_, index) => `c-${index}`);

/**
 * Records of every type in an order that no recorder would write: calls that open and close again and again, turns that nobody opened, restores
 * within restores. What they mean is defined all the same. Contents are of the given hashes.
 */
export class RandomRecords {
  private readonly random: Random;
  private readonly hashes: readonly string[];
  private readonly last = new Map<string, Fields>();
  private readonly opened = new Map<string, readonly Fields[]>();
  private readonly operations: string[] = [];
  private readonly unfinished: Fields[] = [];
  private seq = 1;

  constructor(random: Random, hashes: readonly string[]) {
    this.random = random;
    this.hashes = hashes;
  }

  batches(records: number): readonly Batch[] {
    const batches: Batch[] = [];
    let [at, tick] = [1_796_065_229_807, 0];
    const add = (some: readonly Fields[]): void => {
      [at, tick] = this.random.once(2) ? [at, tick + 1] : [at + 1 + this.random.below(90_000), 0];
      batches.push({ at, tick, records: some, segment: this.random.once(20) });
      this.seq += some.length;
    };
    while (this.seq < records) add(Array.from({ length: 1 + this.random.below(2) }, () => this.record()));
    // An appender would finish these before it goes on.
    while (this.unfinished.length > 0) add([this.done()]);
    return batches;
  }

  private state(path: string): Fields {
    const { random } = this;
    const last = this.last.get(path);
    const state = last !== undefined && random.once(3) ? last : this.anyState();
    this.last.set(path, state);
    return state;
  }

  private anyState(): Fields {
    const { random } = this;
    if (!random.once(4)) return { kind: 'content', hash: random.of(this.hashes), mode: random.of([0o644, 0o755]), size: 3 };
    return random.of<Fields>([
      { kind: 'absent' }, { kind: 'absent' }, { kind: 'absent' }, { kind: 'special' }, { kind: 'unreadable', reason: 'no' }, { kind: 'link', target: random.of(['x', 'y']) },
      { kind: 'directory', mode: 0o755 }, { kind: 'oversize', hash: random.of(this.hashes), mode: 0o644, size: 30_000_000 },
    ]);
  }

  private record(): Fields {
    const { random } = this;
    const session = random.of(['s-1', 's-1', 's-2']);
    const turn = random.of(['current', 'current', ...Array.from({ length: 8 }, (_, index) => `t-${index}`)]);
    const named = { session, turn };
    return random.of<() => Fields>([
      () => ({ type: 'session.open', session, agent: random.of(['one', 'two']), agentSession: 'x', ...(random.once(4) ? { title: random.of(this.hashes) } : {}) }),
      () => ({ type: 'turn.open', ...named, ...(random.once(4) ? {} : { prompt: random.of(this.hashes) }), ...(random.once(4) ? { elsewhere: true } : {}) }),
      () => ({ type: 'turn.open', ...named }),
      () => ({ type: 'turn.resume', session, turn: `t-${random.below(12)}`, resumes: turn }),
      () => ({ type: 'turn.close', ...named, outcome: random.of(['closed', 'interrupted']) }),
      ...Array.from({ length: 4 }, () => () => this.callOpen(named)),
      () => this.callReport(named),
      ...Array.from({ length: 5 }, () => () => this.callClose(named)),
      ...Array.from({ length: 3 }, () => () => this.effects(named)),
      () => ({ type: 'step', ...named, step: `p-${random.below(4)}` }),
      () => ({ type: 'checkpoint', checkpoint: `k-${random.below(4)}`, label: random.of(this.hashes) }),
      () => ({ type: 'drift', paths: random.some(paths, 2).map(path => ({ path, after: this.state(path) })) }),
      () => ({ type: 'gap', session, happenedAt: 1, reason: 'busy', ...(random.once(2) ? { turn } : {}), ...(random.once(2) ? { tool: 'Write' } : {}) }),
      () => ({ type: 'of.the.future', session, turn: 'never' }),
      () => this.intent(session),
      () => this.intent(session),
      () => (this.unfinished.length > 0 ? this.done() : this.intent(session)),
      () => (this.unfinished.length > 0 ? this.done() : this.intent(session)),
    ])();
  }

  private callOpen(named: Fields): Fields {
    const { random } = this;
    const call = random.of(calls);
    const declared = random.some(paths, 3).map(path => ({ path, before: this.state(path), missing: [], ...(random.once(2) ? { expects: random.of(this.hashes) } : {}) }));
    if (!this.opened.has(call)) this.opened.set(call, declared);
    const more = { ...(random.once(2) ? { agentCall: 'x' } : {}), ...(random.once(8) ? { undeclared: true } : {}), ...(random.once(8) ? { outside: [{ path: '/x', reason: 'it is outside' }] } : {}) };
    return { type: 'call.open', ...named, call, tool: random.of(['Write', 'Bash']), paths: declared, ...more };
  }

  private callReport(named: Fields): Fields {
    const { random } = this;
    const declared = random.some(paths, 3).map(path => ({ path, ...(random.once(2) ? { expects: random.of(this.hashes) } : {}) }));
    return { type: 'call.report', ...named, call: random.of(calls), paths: declared };
  }

  private callClose(named: Fields): Fields {
    const { random } = this;
    const call = random.of(calls);
    const ends = (this.opened.get(call) ?? []).map(({ path, before, expects }) => {
      const after = random.of<Fields>([before as Fields, this.state(path as string), { kind: 'content', hash: expects ?? this.hashes[0], mode: 0o644, size: 1 }]);
      this.last.set(path as string, after);
      return { path, after, made: [], ...(random.once(3) ? { found: random.of([before, this.anyState()]) } : {}) };
    });
    const other = random.of(paths);
    if (random.once(8) && ends.every(({ path }) => path !== other)) ends.push({ path: other, after: this.state(other), made: [] });
    return { type: 'call.close', ...named, call, outcome: random.of(['done', 'done', 'failed', 'interrupted', 'cancelled']), paths: ends };
  }

  private effects(named: Fields): Fields {
    const { random } = this;
    const seen = random.some(paths, 2).map(path => {
      const [before, after] = [this.state(path), this.anyState()];
      this.last.set(path, after as Fields);
      return { path, before, after, ...(random.once(2) ? { made: [] } : {}) };
    });
    const folders = (): readonly Fields[] => random.some(['a', 'd', 'd/f', 'e'], 2).map(path => ({ path, mode: random.of([0o700, 0o755]) }));
    return {
      type: 'effects', ...named, call: random.of(calls), isComplete: random.once(2), paths: seen, uncovered: random.once(5) ? [{ path: random.of(['', paths[0] as string]), reason: 'it could not be read' }] : [],
      ...(random.once(4) ? { candidates: random.some(calls, 3) } : {}), ...(random.once(2) ? { removed: folders() } : {}), ...(random.once(2) ? { made: folders() } : {}),
    };
  }

  private intent(session: string): Fields {
    const { random } = this;
    const operation = `o-${this.operations.length + 1}`;
    const kind = random.of(this.operations.length > 0 ? ['rewind', 'fork', 'switch', 'rollback', 'undo', 'redo', 'undo'] : ['rewind']);
    const target = kind === 'switch' ? derivedId('branch', random.of(['first', ...this.operations])) : random.of(['none', ...this.operations.slice(-3)]);
    const written = random.some(paths, 3);
    const reach = random.of([{ reach: 'session', session }, { reach: 'session', session }, { reach: 'workspace' }]);
    const intent = {
      type: 'restore.intent', operation, kind, ...reach, scope: random.of(['code', 'code', 'code', 'both', 'conversation']), target, fromSeq: 1 + random.below(this.seq),
      ...(kind === 'rollback' ? { calls: random.some(calls, 5) } : {}), owner: { host: 'h', boot: 'b', pid: 1, started: '1' },
      paths: written.map(path => ({ path, action: 'restore', before: this.state(path), after: this.anyState() })),
      left: paths.filter(path => !written.includes(path) && random.once(2)).map(path => ({ path, action: random.of(['unchanged', 'conflict', 'unavailable']) })),
      emptied: [], made: [],
    };
    this.operations.push(operation);
    this.unfinished.push(intent);
    return intent;
  }

  private done(): Fields {
    const { random } = this;
    const [intent] = this.unfinished.splice(random.below(this.unfinished.length), 1) as [Fields];
    const ends = (intent['paths'] as readonly Fields[]).map(({ path, after }) => ({ path, outcome: random.of(['done', 'done', 'failed', 'skipped']), after: random.of([after, after, this.anyState()]) }));
    return { type: 'restore.done', operation: intent['operation'], paths: ends, removed: [], made: [], ...(random.once(10) ? { cancelled: true } : {}) };
  }
}
