import * as vscode from 'vscode';
import { HooksLedger } from '../agents/hooksLedger.ts';
import { nodeFiles } from '../core/base/files.ts';
import { Policy } from '../core/timeline/policy.ts';
import { folderTimeline } from './folderTimeline.ts';
import { wantedInstallations } from './agentPicker.ts';
import { hookHealth } from './hookHealth.ts';
import type { Places } from './places.ts';
import type { Recordings } from './recordings.ts';

/** Which welcome an empty timeline shows. */
export type WelcomeState = 'noFolder' | 'virtual' | 'unknown' | 'noHooks' | 'waiting' | 'damaged' | 'recording';

export interface RecordingState {
  readonly welcome: WelcomeState;
  /** Why nothing, or not all, is being recorded although the user agreed to it; empty when all is well. */
  readonly failures: readonly string[];
  /** The user took the hooks away: nothing is recorded, and nothing is wrong. */
  readonly stopped: boolean;
  /** Folders of the window in which the user has paused recording. */
  readonly paused: readonly string[];
  /** Files of the newest turn whose changes are in force. */
  readonly toReview: number;
}

function welcomeOf(recordings: Recordings, hooksReason: string | undefined): WelcomeState {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) return 'noFolder';
  if (recordings.localFolders.length === 0) return 'virtual';
  if (recordings.problems.length > 0 || recordings.folders.some(folder => folder.problem !== undefined)) return 'damaged';
  if (recordings.folders.length === 0) return 'unknown';
  if (recordings.folders.some(folder => folderTimeline(folder).sessions.length > 0)) return 'recording';
  return hooksReason === undefined ? 'waiting' : 'noHooks';
}

/** Looks at everything that decides whether the next prompt is recorded. Writes nothing. */
export function recordingState(places: Places, recordings: Recordings): RecordingState {
  const [first] = recordings.folders;
  const wanted = first === undefined ? [] : wantedInstallations(places);
  const healths = first === undefined ? [] : wanted.map(installation => hookHealth(places, installation, first.root.path));
  const reasons = healths.flatMap(health => (health.kind === 'installed' ? [] : [health.reason]));
  const hooksReason = reasons.length === 0 ? undefined : reasons.join(' ');
  const stopped = healths.some(({ kind }) => kind === 'missing') && new HooksLedger(nodeFiles, places.storage).list().length === 0;
  const damage = recordings.folders.map(folder => folder.problem).filter(problem => problem !== undefined);
  const policy = Policy.read(nodeFiles);
  const forbidden = [...recordings.folders.map(({ root }) => policy.whyNotIn(root.path)), ...wanted.map(({ agent }) => policy.whyNotAgent(agent))].filter(why => why !== undefined);
  const missed = recordings.folders.flatMap(folder => folder.missed);
  const failures = [...new Set([...recordings.problems, ...forbidden, ...damage, ...(hooksReason === undefined || stopped ? [] : [hooksReason]), ...missed])];
  const toReview = recordings.folders
    .map(folder => folderTimeline(folder).here)
    .reduce((sum, here) => sum + (here?.files.filter(({ state }) => state === 'active' || state === 'partly').length ?? 0), 0);
  const paused = recordings.folders.filter(({ root }) => recordings.pause.isIn(root)).map(({ name }) => name);
  return { welcome: welcomeOf(recordings, hooksReason), failures, stopped, paused, toReview };
}
