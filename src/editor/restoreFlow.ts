import * as vscode from 'vscode';
import { writingItems } from '../core/rewind/intent.ts';
import { reportAll } from '../core/rewind/report.ts';
import { carryOut } from '../core/rewind/request.ts';
import type { Part, RestoreOptions, WholeResult } from '../core/rewind/restore.ts';
import { reportUri } from './blobUris.ts';
import { decidedAlike, reviewConflicts, type Decisions } from './conflictReview.ts';
import { viewIds } from './ids.ts';
import type { KnownFolder } from './knownFolder.ts';
import type { Log } from './log.ts';
import type { PlanContexts } from './planContexts.ts';
import type { Recordings } from './recordings.ts';
import { conflictFiles, fileKey, folderPlans, signature, writingFiles, type RestorePlan } from './restorePlan.ts';
import type { RestorePreview } from './restorePreview.ts';
import { backTarget, type RestoreTarget } from './restoreTarget.ts';
import { conflictWords, planDetail, resultSentence, unreadableWords } from './restoreWords.ts';

/** How an attempt at a restore ended, in all folders that it concerns. */
type Outcome = Awaited<ReturnType<typeof carryOut>>;
type Applied = Extract<WholeResult, { readonly kind: 'applied' }>;

/** What is worth knowing of a restore besides itself, as that another one was finished before it. */
function warningsOf({ parts }: WholeResult): readonly string[] {
  return parts.flatMap(({ plan }) => plan.warnings);
}

/**
 * Takes a restore from the plan to its result.
 *
 * Invariants: nothing is written before the user agreed to exactly this plan (it is made anew after each
 * answer and at the moment of writing, and asked about again if it differs); a conflict that the user has not
 * decided stops everything, in all folders; closing any dialog means no.
 */
export class RestoreFlow {
  private readonly recordings: Recordings;
  private readonly contexts: PlanContexts;
  private readonly preview: RestorePreview;
  private readonly log: Log;

  constructor(recordings: Recordings, contexts: PlanContexts, preview: RestorePreview, log: Log) {
    this.recordings = recordings;
    this.contexts = contexts;
    this.preview = preview;
    this.log = log;
  }

  /** Asks, does it, and tells. With `ask: 'conflicts'` the click itself was the agreement. Errors are told, not thrown. */
  async run(target: RestoreTarget, ask: 'always' | 'conflicts' = 'always'): Promise<void> {
    try {
      const outcome = await this.ask(target, ask);
      for (const folder of this.recordings.folders) folder.refresh();
      if (outcome !== undefined) this.announce(target, outcome);
    } catch (error) {
      this.log.tell(error);
    }
  }

  private async ask(target: RestoreTarget, ask: 'always' | 'conflicts'): Promise<Outcome | undefined> {
    let decisions: Decisions = new Map();
    let agreed: string | undefined;
    const agrees = (parts: readonly Part[]): boolean => ask === 'conflicts' || signature(parts) === agreed || parts.every(({ plan }) => writingItems(plan).length === 0);
    const decide: RestoreOptions['decide'] = (path, root) => decisions.get(fileKey(path, root)) ?? 'stop';
    for (;;) {
      const { result, unreadable } = await this.attempt(target, { decide, dryRun: true });
      const plan = this.planOf(target, result.parts, unreadable);
      if (result.kind === 'blocked') {
        const answer = await this.askAboutConflicts(target, plan);
        if (answer === undefined) return undefined;
        decisions = new Map([...decisions, ...answer.decisions]);
        if (answer.agreed) agreed = signature(result.parts);
      } else if (agrees(result.parts)) {
        const outcome = await this.carryOut(target, { decide, agrees, dryRun: false });
        if (outcome.result.kind === 'applied' || outcome.result.kind === 'already') return outcome;
      } else {
        if (!(await this.askAboutPlan(target, plan))) return undefined;
        agreed = signature(result.parts);
      }
    }
  }

  private attempt(target: RestoreTarget, options: RestoreOptions): Promise<Outcome> {
    target.check?.();
    return carryOut(this.contexts.of(target.folder), target.request, this.contexts.neighboursOf(target.folder), options);
  }

  private async carryOut(target: RestoreTarget, options: RestoreOptions): Promise<Outcome> {
    return vscode.window.withProgress({ location: { viewId: viewIds.timeline }, title: target.done }, () => this.attempt(target, options));
  }

  private planOf(target: RestoreTarget, parts: readonly Part[], unreadable: readonly string[]): RestorePlan {
    const inFolders = parts.map(({ context, plan }) => ({ folder: this.recordings.folderOf(context.store.identity), plan }));
    return { parts: folderPlans(target.folder, inFolders), unreadable };
  }

  private async askAboutPlan(target: RestoreTarget, plan: RestorePlan): Promise<boolean> {
    const preview = vscode.l10n.t('Preview');
    const detail = planDetail(plan);
    const answer = await vscode.window.showWarningMessage(target.question, { modal: true, detail }, preview, target.verb);
    if (answer !== preview) return answer === target.verb;
    await this.preview.show(target.question.replace(/\?$/, ''), writingFiles(plan));
    // Not modal: the user is looking at the diffs.
    return (await vscode.window.showInformationMessage(`${target.question} ${detail}`, target.verb, vscode.l10n.t('Cancel'))) === target.verb;
  }

  private async askAboutConflicts(target: RestoreTarget, plan: RestorePlan): Promise<{ readonly decisions: Decisions; readonly agreed: boolean } | undefined> {
    const review = conflictFiles(plan).length === 1 ? vscode.l10n.t('Review Conflict') : vscode.l10n.t('Review Conflicts');
    const count = writingFiles(plan).length;
    const others = count > 0 ? [target.verbOthers(count)] : [];
    const { message, detail } = conflictWords(target, plan);
    const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, review, ...others);
    if (answer === undefined) return undefined;
    if (answer !== review) return { decisions: decidedAlike(plan, 'skip'), agreed: true };
    const decisions = await reviewConflicts(target, plan, await this.mergeable(target), this.preview);
    return decisions === undefined ? undefined : { decisions, agreed: false };
  }

  /** Which conflicts a merge would resolve cleanly. Looks only. */
  private async mergeable(target: RestoreTarget): Promise<ReadonlySet<string>> {
    const { result } = await this.attempt(target, { decide: () => 'merge', dryRun: true });
    const merged = result.parts.flatMap(({ context, plan }) => plan.items.filter(({ action }) => action === 'merge').map(({ path }) => fileKey(path, context.store.identity.key)));
    return new Set(merged);
  }

  private announce(target: RestoreTarget, { result, unreadable }: Outcome): void {
    if (result.kind === 'applied') void this.tellResult(target, result, unreadable);
    else void vscode.window.showInformationMessage([vscode.l10n.t('There is nothing to do: the files are like that already.'), ...warningsOf(result), ...unreadableWords(unreadable)].join(' '));
  }

  private async tellResult(target: RestoreTarget, result: Applied, unreadable: readonly string[]): Promise<void> {
    const { counts } = reportAll(result);
    const folders = result.parts.filter(({ done }) => done.some(({ outcome }) => outcome === 'done')).length;
    const sentence = [resultSentence(target.done, counts, folders), ...warningsOf(result), ...unreadableWords(unreadable)].join(' ');
    const isUndo = target.request.kind === 'undo';
    const [back, show] = [isUndo ? vscode.l10n.t('Redo') : vscode.l10n.t('Undo'), vscode.l10n.t('Show Report')];
    const tell = counts.failed > 0 || unreadable.length > 0 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const answer = await tell(sentence, back, show);
    if (answer === undefined) return;
    const folder = this.recordedIn(target, result);
    if (answer === show) await this.showReport(folder, result.operation, target.done);
    else await this.run(backTarget(isUndo ? 'redo' : 'undo', folder, result.operation), 'conflicts');
  }

  /** A folder that has a part in a restore: there may have been nothing to do in the one in which it was asked for. */
  private recordedIn(target: RestoreTarget, { parts, operation }: Applied): KnownFolder {
    const part = parts.find(({ context }) => context.store.timeline.operations.has(operation));
    return part === undefined ? target.folder : this.recordings.folderOf(part.context.store.identity);
  }

  /** Opens the list of every file of a restore. */
  async showReport(folder: KnownFolder, operation: string, title: string): Promise<void> {
    await vscode.window.showTextDocument(reportUri(folder.root.key, operation, title), { preview: true });
  }
}
