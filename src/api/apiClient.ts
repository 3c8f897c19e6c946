import { join } from 'node:path';
import type { Disposable } from '../core/base/disposable.ts';
import { messageOf } from '../core/base/errors.ts';
import { Emitter } from '../core/base/event.ts';
import { carryOut, type RestoreRequest } from '../core/rewind/request.ts';
import type { OnConflict } from '../core/rewind/plan.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { place } from '../tools/target.ts';
import { notRestored, superseded, TurnstoneApiError } from './apiError.ts';
import type { ApiHost } from './apiHost.ts';
import { checked } from './apiInputs.ts';
import { ApiSession } from './apiSession.ts';
import type { ApiTurn } from './apiTurn.ts';
import { checkpointsOf } from './checkpoints.ts';
import { restoreResult } from './restoreResult.ts';
import { RewindNews } from './rewindNews.ts';
import type { AgentSession, Checkpoint, FileUri, RestoreResult, RewindEvent, RewindOptions, SessionOptions, TurnstoneApi } from './turnstone.d.ts';

/**
 * The API as one extension has it: its own sessions, and of restores what concerns them. Everything that it does goes through the core's own recorder
 * and its one machine for restores.
 */
export class ApiClient implements TurnstoneApi, Disposable {
  private readonly host: ApiHost;
  private readonly sessions: { readonly session: ApiSession; readonly news: RewindNews }[] = [];
  private readonly rewound = new Emitter<RewindEvent>();
  private readonly listening: Disposable;

  constructor(host: ApiHost) {
    this.host = host;
    this.listening = host.onDidChange(() => void this.look());
  }

  readonly onDidRewind: TurnstoneApi['onDidRewind'] = listener => this.rewound.event(listener);

  openSession(options: SessionOptions): AgentSession {
    const session = new ApiSession(this.host, checked('session', options));
    this.sessions.push({ session, news: new RewindNews(session) });
    return session;
  }

  isRecording(uri: FileUri): boolean {
    if (uri?.scheme !== 'file' || typeof uri.fsPath !== 'string') return false;
    try {
      const { folder, path } = place(this.host, uri.fsPath);
      return this.host.whyNotIn(folder.store.identity) === undefined && folder.store.damage === undefined && !folder.store.owns(join(folder.store.identity.path, path));
    } catch {
      return false;
    }
  }

  checkpoints(): readonly Checkpoint[] {
    return this.sessions.flatMap(({ session }) => checkpointsOf(session)).sort((a, b) => a.at - b.at);
  }

  async rewind(id: string, options: RewindOptions = {}): Promise<RestoreResult> {
    const { scope = 'code', reach, onConflict } = checked('rewind', options);
    const { session, turn } = this.find(id);
    if (scope !== 'code' && session.conversation === undefined) throw new TurnstoneApiError('unsupported', 'The session was opened without a conversation, so only its code can be rewound. Nothing was touched.');
    return this.restore(session, turn, { kind: 'rewind', target: id, scope, reach }, onConflict);
  }

  async rollback(id: string, options: Pick<RewindOptions, 'onConflict'> = {}): Promise<RestoreResult> {
    const { onConflict } = checked('rollback', options);
    const { session, turn } = this.find(id);
    if (turn.id !== id) throw new TurnstoneApiError('input', `${id} is a step. A turn can be rolled back. Nothing was touched.`);
    return this.restore(session, turn, { kind: 'rollback', target: id, path: undefined }, onConflict);
  }

  private find(named: string): { readonly session: ApiSession; readonly turn: ApiTurn } {
    const id = checked('id', named);
    for (const { session } of this.sessions) {
      const turn = session.turnOf(id);
      if (turn !== undefined) return { session, turn };
    }
    throw new TurnstoneApiError('notFound', `None of your sessions has a turn or a step ${id}. Nothing was touched.`);
  }

  private async restore(session: ApiSession, turn: ApiTurn, request: RestoreRequest, onConflict: OnConflict = 'stop'): Promise<RestoreResult> {
    await turn.opened;
    const [home] = turn.folders.flatMap(key => session.storeIn(key) ?? []);
    if (home === undefined) throw new TurnstoneApiError('notFound', 'That turn is not on record. Nothing was touched.');
    try {
      const { result, unreadable } = await carryOut(this.host.contextOf(home), request, this.host.neighboursOf(home), { decide: () => onConflict, dryRun: false });
      return restoreResult(result, unreadable, (store: RootStore, path: string) => this.sessions.some(own => own.session.hasChanged(store, path)));
    } catch (error) {
      throw notRestored(error);
    } finally {
      await this.look();
    }
  }

  /** Tells what is new, and stops what runs on in turns that another process has taken back. */
  private async look(): Promise<void> {
    const moves: (void | PromiseLike<void>)[] = [];
    for (const { session, news } of this.sessions) {
      for (const event of news.look()) {
        this.guarded(() => this.rewound.fire(event));
        if (event.scope !== 'code') this.guarded(() => moves.push(session.conversation?.rewindTo(event.heads.conversation)));
      }
      for (const turn of session.turns) turn.stopIfSuperseded(new TurnstoneApiError('superseded', superseded));
    }
    for (const result of await Promise.allSettled(moves)) if (result.status === 'rejected') this.warn(result.reason);
  }

  private guarded(tell: () => unknown): void {
    try {
      tell();
    } catch (error) {
      this.warn(error);
    }
  }

  private warn(error: unknown): void {
    this.host.warn(`An extension that uses the API failed at being told of a rewind: ${messageOf(error)}`);
  }

  /** The extension host ends: what is open was interrupted. */
  async end(): Promise<void> {
    this.dispose();
    await Promise.allSettled(this.sessions.map(({ session }) => session.interrupt()));
  }

  dispose(): void {
    this.listening.dispose();
    this.rewound.dispose();
  }
}
