import * as vscode from 'vscode';
import { ApiClient } from '../api/apiClient.ts';
import { TurnstoneApiError } from '../api/apiError.ts';
import type { ApiHost } from '../api/apiHost.ts';
import type { RunningCalls } from '../api/runningCalls.ts';
import type { TurnstoneApi, TurnstoneExports } from '../api/turnstone.d.ts';
import { systemClock } from '../core/base/clock.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { nodeFiles } from '../core/base/files.ts';
import { whyNotRecording } from '../core/capture/whyNot.ts';
import type { ToolHost } from '../tools/toolHost.ts';
import type { Log } from './log.ts';
import type { LookThread } from './lookThread.ts';
import type { PlanContexts } from './planContexts.ts';
import type { Recordings } from './recordings.ts';

const currentVersion = 1;

/** What other extensions get from `exports`: an API of their own for each that asks. */
export class ExportedApi implements Disposable {
  private readonly host: ApiHost;
  private readonly clients: ApiClient[] = [];
  private readonly owned = new DisposableStore();

  constructor(recordings: Recordings, contexts: PlanContexts, looks: LookThread, tools: ToolHost, running: RunningCalls, log: Log) {
    this.host = {
      files: nodeFiles,
      clock: systemClock,
      running,
      folders: () => tools.folders(),
      whyNotIn: root => whyNotRecording(nodeFiles, recordings.roots.storage, root, 'extensions'),
      get whyNone(): string {
        return tools.whyNone;
      },
      onDidChange: recordings.onDidChange,
      looksAt: ({ identity }) => looks.at(identity.key),
      contextOf: store => contexts.of({ store }),
      neighboursOf: ({ identity }) => contexts.neighboursOf({ root: identity }),
      warn: sentence => log.warn(sentence),
    };
  }

  /** Frozen, because every extension gets the same object. */
  get exports(): TurnstoneExports {
    return Object.freeze({ getApi: (version: number) => this.getApi(version) });
  }

  private getApi(version: number): TurnstoneApi {
    if (version !== currentVersion) throw new TurnstoneApiError('unsupported', vscode.l10n.t('This Turnstone has version {0} of its API, and no version {1}.', currentVersion, String(version)));
    const client = this.owned.add(new ApiClient(this.host));
    this.clients.push(client);
    const { openSession, isRecording, checkpoints, rewind, rollback, onDidRewind } = client;
    // No more than what is published: whoever gets it is somebody else.
    return Object.freeze({
      openSession: openSession.bind(client),
      isRecording: isRecording.bind(client),
      checkpoints: checkpoints.bind(client),
      rewind: rewind.bind(client),
      rollback: rollback.bind(client),
      onDidRewind,
    });
  }

  /** The extension host ends: what is open was interrupted. */
  async end(): Promise<void> {
    await Promise.allSettled(this.clients.map(client => client.end()));
  }

  dispose(): void {
    this.owned.dispose();
  }
}
