import type { Entry } from '../../../src/core/timeline/model.ts';
import type { RecordOf } from '../../../src/core/timeline/records.ts';
import type { State } from '../../../src/core/snapshot/state.ts';

/** What a path holds: null for nothing, else its permissions and its text. */
export type Content = { readonly mode: string; readonly text: string } | null;

/** Who changed a path: the user (and whatever is not recorded), a call, or a restore. */
export type Author = { readonly kind: 'user' } | { readonly kind: 'call'; readonly call: Call } | { readonly kind: 'restore'; readonly operation: Operation };

/** A change of a path, in the order in which they were noticed. */
export interface Link {
  readonly seq: number;
  readonly before: Content;
  readonly after: Content;
  readonly by: Author;
}

export interface Turn {
  readonly id: string;
  readonly session: string;
  readonly seq: number;
  readonly codeHead: string | undefined;
  readonly conversationHead: string | undefined;
}

interface Declared {
  readonly before: Content;
  readonly after: Content;
  /** The text that the call's input says it will leave. */
  readonly expects: string | undefined;
}

export interface Call {
  readonly id: string;
  readonly turn: string;
  readonly session: string;
  readonly seq: number;
  readonly paths: Map<string, Declared>;
  open: boolean;
  /** Whether its agent has said how it ended; else it was given up, if it is not open. */
  reported: boolean;
  wasGivenUp: boolean;
}

export interface Point {
  readonly id: string;
  readonly kind: 'step' | 'checkpoint';
  readonly session: string | undefined;
  readonly seq: number;
}

type Intent = RecordOf<'restore.intent'>;

export interface Operation {
  readonly id: string;
  readonly seq: number;
  readonly intent: Intent;
  /** Whose history it goes over; undefined for everybody's. */
  readonly session: string | undefined;
  done: RecordOf<'restore.done'> | undefined;
}

export function textOf(content: Content): string | null {
  return content === null ? null : content.text;
}

export function isSame(one: Content, other: Content): boolean {
  return textOf(one) === textOf(other);
}

function isIdentical(one: Content, other: Content): boolean {
  return isSame(one, other) && one?.mode === other?.mode;
}

/**
 * The records of a journal, taken at their word and kept in plain lists and maps: who did what, and what every
 * recorded path held at every moment. It is deliberately naive; what is in force is for `inForce.ts` to say.
 */
export class History {
  seq = 0;
  readonly turns: Turn[] = [];
  readonly calls: Call[] = [];
  readonly points: Point[] = [];
  readonly operations: Operation[] = [];
  readonly links = new Map<string, Link[]>();
  /** When permissions were found changed at the end of a call that they are no work of: one that was refused, say. */
  readonly strayModes: number[] = [];
  /** What every path was last seen to hold. */
  readonly recorded = new Map<string, Content>();
  /** The same after every record; a path that was not looked at by then is missing. */
  readonly moments: { readonly seq: number; readonly recorded: ReadonlyMap<string, Content> }[] = [];
  private readonly textOfHash: (hash: string) => string;

  constructor(textOfHash: (hash: string) => string) {
    this.textOfHash = textOfHash;
  }

  contentOf(state: State): Content {
    if (state.kind === 'absent') return null;
    if (state.kind !== 'content') throw new Error(`a ${state.kind} was recorded`);
    return { mode: state.mode.toString(8), text: this.textOfHash(state.hash) };
  }

  fold({ seq, record }: Entry): void {
    this.seq = seq;
    switch (record.type) {
      case 'turn.open':
        if (!this.turns.some(({ id }) => id === record.turn)) this.turns.push({ id: record.turn, session: record.session, seq, codeHead: record.codeHead, conversationHead: record.conversationHead });
        break;
      case 'call.open':
        this.openCall(seq, record);
        break;
      case 'call.close':
        this.closeCall(seq, record);
        break;
      case 'drift':
        for (const { path, after } of record.paths) this.see(seq, path, this.contentOf(after));
        break;
      case 'step':
        this.points.push({ id: record.step, kind: 'step', session: record.session, seq });
        break;
      case 'checkpoint':
        this.points.push({ id: record.checkpoint, kind: 'checkpoint', session: undefined, seq });
        break;
      case 'restore.intent':
        this.operations.push({ id: record.operation, seq, intent: record, session: record.reach === 'workspace' ? undefined : record.session, done: undefined });
        break;
      case 'restore.done':
        this.endRestore(seq, record);
        break;
      default:
        break;
    }
    this.moments.push({ seq, recorded: new Map(this.recorded) });
  }

  private openCall(seq: number, record: RecordOf<'call.open'>): void {
    const paths = new Map<string, Declared>();
    for (const { path, before, expects } of record.paths) {
      const content = this.contentOf(before);
      this.see(seq, path, content);
      paths.set(path, { before: content, after: content, expects: expects === undefined ? undefined : this.textOfHash(expects) });
    }
    this.calls.push({ id: record.call, turn: record.turn, session: record.session, seq, paths, open: true, reported: false, wasGivenUp: false });
  }

  /**
   * A call's first own word that it is done (or failed, in our own wrapper) makes what is found its work, if nothing of it was found
   * before. Anything else is its work only if it is what the call was to leave.
   */
  private closeCall(seq: number, record: RecordOf<'call.close'>): void {
    const call = this.calls.find(({ id }) => id === record.call);
    const isFirst = call !== undefined && !call.reported && record.outcome !== 'interrupted';
    const wasOpen = call?.open === true;
    if (call !== undefined) {
      call.open = false;
      call.reported ||= isFirst;
      call.wasGivenUp ||= record.outcome === 'interrupted';
    }
    for (const { path, after: state } of record.paths) {
      const after = this.contentOf(state);
      const declared = call?.paths.get(path);
      const isUntouched = wasOpen || (declared !== undefined && isSame(declared.before, declared.after));
      const isBelieved = isFirst && isUntouched && record.outcome !== 'cancelled';
      if (call === undefined || declared === undefined || !(isBelieved || (after !== null && declared.expects === after.text))) {
        if (isSame(this.recorded.get(path) ?? null, after) && after?.mode !== this.recorded.get(path)?.mode) this.strayModes.push(seq);
        this.see(seq, path, after);
        continue;
      }
      this.link(path, { seq, before: (this.recorded.has(path) ? this.recorded.get(path) : declared.before) as Content, after, by: { kind: 'call', call } });
      call.paths.set(path, { ...declared, after });
    }
  }

  private endRestore(seq: number, record: RecordOf<'restore.done'>): void {
    const operation = this.operations.find(({ id }) => id === record.operation);
    if (operation === undefined) throw new Error('a restore ended that never began');
    operation.done = record;
    for (const { path, outcome, after } of record.paths) {
      const planned = operation.intent.paths.find(candidate => candidate.path === path);
      if (outcome !== 'done' || planned === undefined) {
        this.see(seq, path, this.contentOf(after));
        continue;
      }
      const before = this.contentOf(planned.before);
      this.see(seq, path, before);
      this.link(path, { seq, before, after: this.contentOf(after), by: { kind: 'restore', operation } });
    }
  }

  private see(seq: number, path: string, content: Content): void {
    const last = this.recorded.get(path);
    if (last !== undefined && !isSame(last, content)) this.linksOf(path).push({ seq, before: last, after: content, by: this.finderOf(path, content) });
    this.recorded.set(path, content);
  }

  /** Whose a change is that was found by looking: an open call's, if it is what that one was to leave; else the user's. */
  private finderOf(path: string, content: Content): Author {
    const call = this.calls.find(candidate => candidate.open && content !== null && candidate.paths.get(path)?.expects === content.text);
    return call === undefined ? { kind: 'user' } : { kind: 'call', call };
  }

  private link(path: string, link: Link): void {
    if (!isIdentical(link.before, link.after)) this.linksOf(path).push(link);
    this.recorded.set(path, link.after);
  }

  linksOf(path: string): Link[] {
    const links = this.links.get(path) ?? [];
    this.links.set(path, links);
    return links;
  }

  /** What a path held just before a record; before it was first looked at it held what was found then. */
  before(path: string, seq: number): Content | undefined {
    const moment = this.moments.findLast(candidate => candidate.seq < seq)?.recorded.get(path);
    return moment !== undefined ? moment : this.moments.find(({ recorded }) => recorded.has(path))?.recorded.get(path);
  }

  openCallsAt(path: string): readonly Call[] {
    return this.calls.filter(call => call.open && call.paths.has(path));
  }
}
