import * as z from 'zod/mini';

/** What `--json` promises (design.md §9), to the letter: a key more or less is a broken promise. */
const hunk = z.strictObject({
  id: z.string(),
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
  lines: z.array(z.string()),
  state: z.enum(['active', 'partly', 'rolledBack', 'kept']),
});

const file = {
  root: z.string(),
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'moved']),
  added: z.int(),
  removed: z.int(),
  state: z.enum(['active', 'partly', 'rolledBack', 'kept']),
};

const coverage = z.strictObject({ state: z.enum(['full', 'partly']), reasons: z.array(z.string()) });

const turn = {
  id: z.string().check(z.regex(/^t-/)),
  seq: z.int(),
  session: z.string().check(z.regex(/^s-/)),
  agent: z.string(),
  prompt: z.string(),
  openedAt: z.iso.datetime(),
  state: z.enum(['open', 'closed', 'interrupted']),
  branch: z.nullable(z.string()),
  coverage,
};

export const logShape = z.strictObject({ turns: z.array(z.strictObject({ ...turn, files: z.array(z.strictObject(file)) })) });
export const showTurnShape = z.strictObject({ ...turn, files: z.array(z.strictObject({ ...file, hunks: z.array(hunk) })) });
export const diffShape = z.strictObject({ files: z.array(z.strictObject({ ...file, hunks: z.array(hunk) })) });
const error = z.strictObject({ code: z.string(), message: z.string() });
export const errorShape = z.strictObject({ error });

/** What can be read of a damaged history, and that it is damaged; only then is there an `error` beside anything. */
export function incompleteShape<Shape extends z.core.$ZodShape>(whole: z.ZodMiniObject<Shape, z.core.$strict>) {
  return z.extend(whole, { error: z.extend(error, { code: z.literal('damaged') }) });
}

const counts = z.strictObject({
  restored: z.int(),
  created: z.int(),
  deleted: z.int(),
  merged: z.int(),
  unchanged: z.int(),
  conflict: z.int(),
  skipped: z.int(),
  failed: z.int(),
});

const planItem = z.strictObject({
  root: z.string(),
  path: z.string(),
  action: z.enum(['restore', 'create', 'delete', 'merge', 'unchanged', 'conflict', 'unavailable']),
  reason: z.optional(z.string()),
  outcome: z.optional(z.enum(['done', 'failed', 'skipped'])),
});

const restore = {
  id: z.nullable(z.string().check(z.regex(/^o-/))),
  dryRun: z.boolean(),
  plan: z.array(planItem),
  counts,
  warnings: z.array(z.string()),
};

export const restoreShape = z.strictObject({ ...restore, operation: z.enum(['rewind', 'rollback', 'undo', 'redo', 'switch']) });
export const forkShape = z.strictObject({ ...restore, operation: z.literal('fork'), session: z.string().check(z.regex(/^s-/)), prompt: z.string() });

const branch = z.strictObject({
  id: z.string().check(z.regex(/^b-/)),
  name: z.string(),
  current: z.boolean(),
  from: z.nullable(z.string().check(z.regex(/^t-/))),
  turns: z.array(z.string().check(z.regex(/^t-/))),
});

export const showBranchShape = branch;
export const branchesShape = z.strictObject({ branches: z.array(branch) });
export const checkpointShape = z.strictObject({ id: z.string().check(z.regex(/^k-/)), seq: z.int(), label: z.nullable(z.string()), files: z.int() });

export const showPointShape = z.strictObject({
  id: z.string().check(z.regex(/^[kp]-/)),
  kind: z.enum(['step', 'checkpoint']),
  seq: z.int(),
  session: z.nullable(z.string().check(z.regex(/^s-/))),
  turn: z.nullable(z.string().check(z.regex(/^t-/))),
  madeAt: z.iso.datetime(),
  label: z.nullable(z.string()),
});

export const showOperationShape = z.strictObject({
  id: z.string().check(z.regex(/^o-/)),
  operation: z.enum(['rewind', 'rollback', 'undo', 'redo', 'switch', 'fork']),
  target: z.string(),
  files: z.array(z.strictObject({ root: z.string(), path: z.string(), action: z.enum(['restore', 'create', 'delete', 'merge']) })),
});
