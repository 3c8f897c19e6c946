import * as vscode from 'vscode';
import { nodeFiles } from '../core/base/files.ts';
import type { Decide, Plan, PlanContext } from '../core/rewind/plan.ts';
import { report } from '../core/rewind/report.ts';
import { restore, type RestoreResult } from '../core/rewind/restore.ts';
import type { RootStore } from '../core/timeline/store.ts';
import { reportUri } from './blobUris.ts';
import { reviewConflicts, type Decisions } from './conflictReview.ts';
import type { EditorWorkspace } from './editorWorkspace.ts';
import { viewIds } from './ids.ts';
import type { Log } from './log.ts';
import type { RecordedFolder } from './recordedFolder.ts';
import type { Recordings } from './recordings.ts';
import type { RestorePreview } from './restorePreview.ts';
import { backTarget, type RestoreTarget } from './restoreTarget.ts';
import { conflictItems, conflictWords, planDetail, resultSentence, writingItems } from './restoreWords.ts';

type Applied = Extract<RestoreResult, { readonly kind: 'applied' }>;

/** What a plan would do, to tell whether it is still what the user agreed to. */
function signature(plan: Plan): string {
  return JSON.stringify(plan.items.map(({ path, action, before, after }) => [path, action, before, after]));
}

/**
 * Takes a restore from the plan to its result.
 *
 * Invariants: nothing is written before the user agreed to exactly this plan (it is made anew after each
 * answer, and asked about again if it differs); a conflict that the user has not decided stops everything;
 * closing any dialog means no.
 */
export class RestoreFlow {
  private readonly recordings: Recordings;
  private readonly workspace: EditorWorkspace;
  private readonly preview: RestorePreview;
  private readonly log: Log;

  constructor(recordings: Recordings, workspace: EditorWorkspace, preview: RestorePreview, log: Log) {
    this.recordings = recordings;
    this.workspace = workspace;
    this.preview = preview;
    this.log = log;
  }

  context({ store }: { readonly store: RootStore }): PlanContext {
    const sister: NonNullable<PlanContext['sister']> = root => {
      const other = this.recordings.storeWithKey(root.key);
      return other?.identity.store === root.store ? this.context({ store: other }) : undefined;
    };
    return { files: nodeFiles, store, workspace: this.workspace, sister };
  }

  /** Asks, does it, and tells. With `ask: 'conflicts'` the click itself was the agreement. Errors are told, not thrown. */
  async run(target: RestoreTarget, ask: 'always' | 'conflicts' = 'always'): Promise<void> {
    try {
      const result = await this.ask(target, ask);
      target.folder.refresh();
      if (result !== undefined) this.announce(target, result);
    } catch (error) {
      this.log.tell(error);
    }
  }

  private async ask(target: RestoreTarget, ask: 'always' | 'conflicts'): Promise<RestoreResult | undefined> {
    const context = this.context(target.folder);
    let decisions: Decisions = new Map();
    let agreed: string | undefined;
    const decide: Decide = path => decisions.get(path) ?? 'stop';
    for (;;) {
      const { plan } = await restore(context, target.select, { decide, dryRun: true });
      if (plan.blocked) {
        const answer = await this.askAboutConflicts(context, target, plan);
        if (answer === undefined) return undefined;
        decisions = answer.decisions;
        if (answer.agreed) agreed = signature((await restore(context, target.select, { decide, dryRun: true })).plan);
        continue;
      }
      const writes = writingItems(plan).length > 0;
      if (ask === 'always' && writes && agreed !== signature(plan)) {
        if (!(await this.askAboutPlan(target, plan))) return undefined;
        agreed = signature(plan);
        continue;
      }
      const result = await this.carryOut(context, target, decide);
      if (result.kind !== 'blocked') return result;
    }
  }

  private async carryOut(context: PlanContext, target: RestoreTarget, decide: Decide): Promise<RestoreResult> {
    return vscode.window.withProgress({ location: { viewId: viewIds.timeline }, title: target.done }, () => restore(context, target.select, { decide, dryRun: false }));
  }

  private async askAboutPlan(target: RestoreTarget, plan: Plan): Promise<boolean> {
    const preview = vscode.l10n.t('Preview');
    const detail = planDetail(target, plan);
    const answer = await vscode.window.showWarningMessage(target.question, { modal: true, detail }, preview, target.verb);
    if (answer !== preview) return answer === target.verb;
    await this.preview.show(target.folder, target.question.replace(/\?$/, ''), writingItems(plan));
    // Not modal: the user is looking at the diffs.
    return (await vscode.window.showInformationMessage(`${target.question} ${detail}`, target.verb, vscode.l10n.t('Cancel'))) === target.verb;
  }

  private async askAboutConflicts(context: PlanContext, target: RestoreTarget, plan: Plan): Promise<{ readonly decisions: Decisions; readonly agreed: boolean } | undefined> {
    const review = conflictItems(plan).length === 1 ? vscode.l10n.t('Review Conflict') : vscode.l10n.t('Review Conflicts');
    const count = writingItems(plan).length;
    const others = count > 0 ? [target.verbOthers(count)] : [];
    const { message, detail } = conflictWords(target, plan);
    const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, review, ...others);
    if (answer === undefined) return undefined;
    if (answer !== review) return { decisions: new Map(conflictItems(plan).map(({ path }) => [path, 'skip'])), agreed: true };
    const decisions = await reviewConflicts(context, target, plan, this.preview);
    return decisions === undefined ? undefined : { decisions, agreed: false };
  }

  private announce(target: RestoreTarget, result: RestoreResult): void {
    if (result.kind !== 'applied') {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to do: the files are like that already.'));
      return;
    }
    void this.tellResult(target, result);
  }

  private async tellResult(target: RestoreTarget, result: Applied): Promise<void> {
    const summary = report(result);
    const sentence = resultSentence(target.done, summary);
    const [undo, show] = [vscode.l10n.t('Undo'), vscode.l10n.t('Show Report')];
    const failed = summary.counts.failed > 0;
    const isUndo = result.plan.selection.kind === 'undo';
    const buttons = isUndo ? [vscode.l10n.t('Redo'), show] : [undo, show];
    const answer = failed ? await vscode.window.showWarningMessage(sentence, ...buttons) : await vscode.window.showInformationMessage(sentence, ...buttons);
    if (answer === show) await this.showReport(target.folder, result.operation, target.done);
    else if (answer !== undefined) await this.run(backTarget(isUndo ? 'redo' : 'undo', target.folder, result.operation), 'conflicts');
  }

  /** Opens the list of every file of a restore. */
  async showReport(folder: RecordedFolder, operation: string, title: string): Promise<void> {
    await vscode.window.showTextDocument(reportUri(folder.root.key, operation, title), { preview: true });
  }
}
