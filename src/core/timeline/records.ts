import * as z from 'zod/mini';
import { stateSchema } from '../snapshot/state.ts';
import { unsoundPath } from '../snapshot/paths.ts';

/**
 * The records of the journal. They hold no contents: prompts are blobs, named by hash.
 *
 * A path that leaves its root makes its whole record invalid, so that nobody who tampers with a store
 * can make us look, let alone write, outside.
 */
const pathSchema = z.string().check(z.refine(path => unsoundPath(path) === undefined));
const hashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const directorySchema = z.object({ path: pathSchema, mode: z.int() });

/** One conversation with one agent. `agentSession` is the agent's own id for it. */
const sessionOpen = z.object({
  type: z.literal('session.open'),
  session: z.string(),
  agent: z.string(),
  agentSession: z.string(),
  transcript: z.optional(z.string()),
});

/** A user prompt. `codeHead` is the turn on whose code it stands: the newest active one of its session. */
const turnOpen = z.object({
  type: z.literal('turn.open'),
  session: z.string(),
  turn: z.string(),
  prompt: z.optional(hashSchema),
  codeHead: z.optional(z.string()),
  conversationHead: z.optional(z.string()),
});

/**
 * A tool is about to run. `paths` are the files that it declares, with what is there before;
 * `missing` are the folders above one that don't exist. `undeclared`: it may change anything.
 * `outside`: declared paths that can't be recorded, with the reason.
 */
const callOpen = z.object({
  type: z.literal('call.open'),
  session: z.string(),
  turn: z.string(),
  call: z.string(),
  tool: z.string(),
  delegate: z.optional(z.string()),
  undeclared: z.optional(z.boolean()),
  paths: z.array(z.object({ path: pathSchema, before: stateSchema, missing: z.array(pathSchema) })),
  outside: z.optional(z.array(z.object({ path: z.string(), reason: z.string() }))),
});

export const callOutcomes = ['done', 'failed', 'interrupted', 'cancelled'] as const;

/** The tool has run (or never will). `made` are the folders above a path that it brought. */
const callClose = z.object({
  type: z.literal('call.close'),
  session: z.string(),
  turn: z.string(),
  call: z.string(),
  outcome: z.enum(callOutcomes),
  paths: z.array(z.object({ path: pathSchema, after: stateSchema, made: z.array(directorySchema) })),
});

/** Changes on the disk that no recorded call made, seen at a moment when somebody looked. */
const drift = z.object({
  type: z.literal('drift'),
  paths: z.array(z.object({ path: pathSchema, after: stateSchema })),
});

const turnClose = z.object({
  type: z.literal('turn.close'),
  session: z.string(),
  turn: z.string(),
  outcome: z.enum(['closed', 'interrupted']),
});

/** What could not be recorded when it happened, and why; told as soon as the store could be written again. */
const gap = z.object({
  type: z.literal('gap'),
  session: z.string(),
  turn: z.optional(z.string()),
  tool: z.optional(z.string()),
  happenedAt: z.int(),
  reason: z.string(),
});

const ownerSchema = z.object({ host: z.string(), boot: z.string(), pid: z.int(), started: z.string() });

export const restoreKinds = ['rewind', 'rollback', 'undo', 'redo'] as const;
export const applyActions = ['restore', 'create', 'delete', 'merge'] as const;

/**
 * A restore is about to write. `fromSeq` is the first record that a rewind undoes; `target` is the turn,
 * call, snapshot or operation that was named. Every path carries what it held, and what it is to hold;
 * the bytes of both are in the store. `inPlace`: the file has other names and is written without a rename.
 */
const restoreIntent = z.object({
  type: z.literal('restore.intent'),
  operation: z.string(),
  kind: z.enum(restoreKinds),
  scope: z.enum(['code', 'conversation', 'both']),
  reach: z.enum(['session', 'workspace']),
  session: z.optional(z.string()),
  target: z.string(),
  fromSeq: z.int(),
  calls: z.optional(z.array(z.string())),
  label: z.optional(hashSchema),
  owner: ownerSchema,
  paths: z.array(
    z.object({
      path: pathSchema,
      action: z.enum(applyActions),
      before: stateSchema,
      after: stateSchema,
      inPlace: z.optional(z.boolean()),
    }),
  ),
  /** Folders to remove afterwards where they are empty, and folders to bring first, outermost first. */
  emptied: z.array(directorySchema),
  made: z.array(directorySchema),
  /** Paths that the restore covers without writing them, and why. */
  left: z.array(z.object({ path: pathSchema, action: z.enum(['unchanged', 'conflict', 'unavailable']), reason: z.optional(z.string()) })),
});

export const pathOutcomes = ['done', 'failed', 'skipped'] as const;

/** The restore has ended: per path how, and what is there now. */
const restoreDone = z.object({
  type: z.literal('restore.done'),
  operation: z.string(),
  recovered: z.optional(z.boolean()),
  paths: z.array(
    z.object({ path: pathSchema, outcome: z.enum(pathOutcomes), after: stateSchema, reason: z.optional(z.string()) }),
  ),
  removed: z.array(directorySchema),
  made: z.array(directorySchema),
});

const schemas = [sessionOpen, turnOpen, callOpen, callClose, drift, turnClose, gap, restoreIntent, restoreDone] as const;
const known: ReadonlySet<string> = new Set(schemas.map(schema => schema.shape.type.def.values[0] as string));

export const recordSchema = z.discriminatedUnion('type', [...schemas]);

export type JournalRecord = Readonly<z.infer<typeof recordSchema>>;
export type RecordOf<T extends JournalRecord['type']> = Extract<JournalRecord, { readonly type: T }>;

export type ParsedRecord =
  | { readonly kind: 'record'; readonly record: JournalRecord }
  /** Of a later version: passed over. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Reads one stored record; nothing in it is believed before this. */
export function parseRecord(value: unknown): ParsedRecord {
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type === 'string' && !known.has(type)) return { kind: 'unknown' };
  const parsed = z.safeParse(recordSchema, value);
  if (parsed.success) return { kind: 'record', record: parsed.data };
  const issue = parsed.error.issues[0];
  return { kind: 'invalid', reason: `${String(type)}: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`.trim() };
}
