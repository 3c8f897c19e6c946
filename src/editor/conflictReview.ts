import * as vscode from 'vscode';
import type { OnConflict, PlanItem } from '../core/rewind/plan.ts';
import { conflictFiles, fileKey, fileName, type RestoreFile, type RestorePlan } from './restorePlan.ts';
import type { RestorePreview } from './restorePreview.ts';
import type { RestoreTarget } from './restoreTarget.ts';
import { conflictSentence } from './restoreWords.ts';

/** What the user decided, by `fileKey`. */
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

/** A file's key, for what is decided about it. */
export function keyOf({ part, item }: RestoreFile): string {
  return fileKey(item.path, part.folder.root.key);
}

/** The same decision for all conflicts of a plan. */
export function decidedAlike(plan: RestorePlan, decision: OnConflict): Decisions {
  return new Map(conflictFiles(plan).map(file => [keyOf(file), decision]));
}

/** Asks for each conflicting file. Undefined when the user gives up at any of them: then nothing is decided. `mergeable` are those that a merge resolves. */
export async function reviewConflicts(target: RestoreTarget, plan: RestorePlan, mergeable: ReadonlySet<string>, preview: RestorePreview): Promise<Decisions | undefined> {
  const conflicts = conflictFiles(plan);
  const decisions = new Map<string, OnConflict>();
  for (const [index, file] of conflicts.entries()) {
    const decision = await decide(file, conflicts.length === 1 ? '' : ` (${index + 1}/${conflicts.length})`);
    if (decision === undefined) return undefined;
    decisions.set(keyOf(file), decision);
  }
  return decisions;

  async function decide(file: RestoreFile, position: string): Promise<OnConflict | undefined> {
    for (;;) {
      const choice = await vscode.window.showQuickPick(choices(file.item, mergeable.has(keyOf(file))), {
        title: `${fileName(file)}${position}`,
        placeHolder: conflictSentence(target, file),
        // The user looks at the comparison while it is open.
        ignoreFocusOut: true,
      });
      if (choice?.decision !== 'compare') return choice?.decision;
      await preview.compare(file);
    }
  }
}
