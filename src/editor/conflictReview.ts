import * as vscode from 'vscode';
import type { OnConflict, Plan, PlanItem } from '../core/rewind/plan.ts';
import { restore } from '../core/rewind/restore.ts';
import type { PlanContext } from '../core/rewind/plan.ts';
import type { RestorePreview } from './restorePreview.ts';
import type { RestoreTarget } from './restoreTarget.ts';
import { conflictItems, conflictSentence } from './restoreWords.ts';
import { nameOf } from './words.ts';

export type Decisions = ReadonlyMap<string, OnConflict>;

interface Choice extends vscode.QuickPickItem {
  readonly decision: OnConflict | 'compare';
}

function choices(item: PlanItem, mergeable: boolean): readonly Choice[] {
  const all: Choice[] = [{ label: vscode.l10n.t('$(check) Leave Mine'), description: vscode.l10n.t('Nothing is written to this file'), decision: 'skip' }];
  if (item.overridable) all.push({ label: vscode.l10n.t('$(history) Take the Checkpoint (Mine Is Saved First)'), description: vscode.l10n.t('Undo brings yours back'), decision: 'overwrite' });
  if (mergeable) all.push({ label: vscode.l10n.t('$(git-merge) Merge'), description: vscode.l10n.t('Both fit together; you see the result first'), decision: 'merge' });
  all.push({ label: vscode.l10n.t('$(diff) Compare'), description: vscode.l10n.t('Opens both, then asks again'), decision: 'compare' });
  return all;
}

/** Which conflicts a merge would resolve cleanly. Looks only. */
async function mergeablePaths(context: PlanContext, target: RestoreTarget): Promise<ReadonlySet<string>> {
  const { plan } = await restore(context, target.select, { decide: () => 'merge', dryRun: true });
  return new Set(plan.items.filter(({ action }) => action === 'merge').map(({ path }) => path));
}

/** Asks for each conflicting file. Undefined when the user gives up at any of them: then nothing is decided. */
export async function reviewConflicts(context: PlanContext, target: RestoreTarget, plan: Plan, preview: RestorePreview): Promise<Decisions | undefined> {
  const mergeable = await mergeablePaths(context, target);
  const conflicts = conflictItems(plan);
  const decisions = new Map<string, OnConflict>();
  for (const [index, item] of conflicts.entries()) {
    const decision = await decide(item, conflicts.length === 1 ? '' : ` (${index + 1}/${conflicts.length})`);
    if (decision === undefined) return undefined;
    decisions.set(item.path, decision);
  }
  return decisions;

  async function decide(item: PlanItem, position: string): Promise<OnConflict | undefined> {
    for (;;) {
      const choice = await vscode.window.showQuickPick(choices(item, mergeable.has(item.path)), {
        title: `${nameOf(item.path)}${position}`,
        placeHolder: conflictSentence(target, item),
        // The user looks at the comparison while it is open.
        ignoreFocusOut: true,
      });
      if (choice?.decision !== 'compare') return choice?.decision;
      const goal = plan.selection.goals.find(({ path }) => path === item.path)?.goal;
      await preview.compare(target.folder, item, goal ?? item.after);
    }
  }
}
