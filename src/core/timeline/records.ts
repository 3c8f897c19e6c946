import * as z from 'zod/mini';
import { lazy } from '../base/lazy.ts';
import { stateSchema } from '../snapshot/stateSchema.ts';
import { unsoundPath } from '../snapshot/paths.ts';

/**
 * The records of the journal. They hold no contents: prompts are blobs, named by hash.
 *
 * A path that leaves its root makes its whole record invalid, so that nobody who tampers with a store
 * can make us look, let alone write, outside.
 */
const callOutcomes = ['done', 'failed', 'interrupted', 'cancelled'] as const;
const restoreKinds = ['rewind', 'rollback', 'undo', 'redo', 'switch', 'fork'] as const;
const applyActions = ['restore', 'create', 'delete', 'merge'] as const;
const pathOutcomes = ['done', 'failed', 'skipped'] as const;

/** Built when the first record is read: an event that only appends needs no schema. */
const schemas = lazy(() => {
  const text = z.string();
  const number = z.int();
  const optionalText = z.optional(text);
  const state = stateSchema();
  const pathSchema = z.string().check(z.refine(path => unsoundPath(path) === undefined));
  const hashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));
  /** The name of an operation is part of the names of its temporary files, so it may lead nowhere. */
  const operationSchema = z.string().check(z.regex(/^[\w-]+$/));
  const directorySchema = z.object({ path: pathSchema, mode: number });

  /** One conversation with one agent. `agentSession` is the agent's own id for it, `title` the hash of what it is called. */
  const sessionOpen = z.object({
    type: z.literal('session.open'),
    session: text,
    agent: text,
    agentSession: text,
    transcript: optionalText,
    title: z.optional(hashSchema),
  });

  /**
   * A user prompt. A call's `turn` may be `current`: the newest turn of its session. `codeHead` is the turn on whose code it stands: the newest active one of its session.
   * `elsewhere`: the agent was asked in another folder, or in none that is known, and its turn has come here now.
   */
  const turnOpen = z.object({
    type: z.literal('turn.open'),
    session: text,
    turn: text,
    prompt: z.optional(hashSchema),
    codeHead: optionalText,
    conversationHead: optionalText,
    elsewhere: z.optional(z.boolean()),
  });

  /** The agent goes on with a turn under another id: a background task of it has ended. */
  const turnResume = z.object({
    type: z.literal('turn.resume'),
    session: text,
    turn: text,
    resumes: text,
  });

  /**
   * A tool is about to run. `agentCall` is the agent's own id of it. `paths` are the files that it declares, with what is there before;
   * `missing` are the folders above one that don't exist; `expects` is the hash of what the call will leave, where its input tells. `undeclared`: it may change anything.
   * `outside`: declared paths that can't be recorded, with the reason.
   */
  const callOpen = z.object({
    type: z.literal('call.open'),
    session: text,
    turn: text,
    call: text,
    tool: text,
    agentCall: optionalText,
    delegate: optionalText,
    undeclared: z.optional(z.boolean()),
    paths: z.array(z.object({ path: pathSchema, before: state, missing: z.array(pathSchema), expects: z.optional(hashSchema) })),
    outside: z.optional(z.array(z.object({ path: text, reason: text }))),
  });

  /** Its agent says that the tool has run, and not all that it leaves is on the disk yet: that comes, and ends the call. `expects`: as far as is known by now. */
  const callReport = z.object({
    type: z.literal('call.report'),
    session: text,
    turn: text,
    call: text,
    paths: z.array(z.object({ path: pathSchema, expects: z.optional(hashSchema) })),
  });

  /** The tool has run (or never will). `made` are the folders above a path that it brought;
   * `found` is what the tool says it found, where that is not what was there when the call began. */
  const callClose = z.object({
    type: z.literal('call.close'),
    session: text,
    turn: text,
    call: text,
    outcome: z.enum(callOutcomes),
    paths: z.array(z.object({ path: pathSchema, found: z.optional(state), after: state, made: z.array(directorySchema) })),
  });

  /**
   * Somebody looked at all files while, or just after, a call ran that may change anything: this has changed since the last look, and is its doing. `candidates`: several
   * such calls were open, of more than one turn, or one in the background, and whose doing it is can't be told; `call` is one of them then. `made` are folders that are new, and
   * `removed` those that are gone; one that is in both has other permissions than before. `uncovered`: what the look could not see, with the reason. `isComplete`: nothing else of the call's can be missing so far.
   */
  const effects = z.object({
    type: z.literal('effects'),
    session: text,
    turn: text,
    call: text,
    candidates: z.optional(z.array(text)),
    /** The `made` of a path is of stores of before: the folders above it that are new. */
    paths: z.array(z.object({ path: pathSchema, before: state, after: state, made: z.optional(z.array(directorySchema)) })),
    removed: z.optional(z.array(directorySchema)),
    made: z.optional(z.array(directorySchema)),
    uncovered: z.array(z.object({ path: text, reason: text })),
    isComplete: z.boolean(),
  });

  /** Changes on the disk that no recorded call made, seen at a moment when somebody looked. */
  const drift = z.object({
    type: z.literal('drift'),
    paths: z.array(z.object({ path: pathSchema, after: state })),
  });

  const turnClose = z.object({
    type: z.literal('turn.close'),
    session: text,
    turn: text,
    outcome: z.enum(['closed', 'interrupted']),
  });

  /** A named point inside a turn: the agent has reached something. `label` is the hash of its name. */
  const step = z.object({
    type: z.literal('step'),
    session: text,
    turn: text,
    step: text,
    label: z.optional(hashSchema),
  });

  /** A named point made by hand; it belongs to no session. */
  const checkpoint = z.object({
    type: z.literal('checkpoint'),
    checkpoint: text,
    label: z.optional(hashSchema),
  });

  /** What could not be recorded when it happened, and why; told as soon as the store could be written again. */
  const gap = z.object({
    type: z.literal('gap'),
    session: text,
    turn: optionalText,
    tool: optionalText,
    happenedAt: number,
    reason: text,
  });

  const ownerSchema = z.object({ host: text, boot: text, pid: number, started: text });

  /**
   * A restore is about to write. `target` is what was named: a turn, call, step, checkpoint, branch or operation. A rewind, a switch and a fork
   * go back to where `fromSeq` was not there yet: they undo that record and all after it, for their scope and reach. `session` is missing where the reach is the workspace.
   * Every path carries what it held, and what it is to hold; the bytes of both are in the store. `inPlace`: the file has other names and is written
   * without a rename. `unsaved`: the text that an editor held unsaved and the user gave up. `roots`: the stores of all folders that the restore writes
   * in, this one included, where there are several; the same operation has an intent in each of them.
   */
  const restoreIntent = z.object({
    type: z.literal('restore.intent'),
    operation: operationSchema,
    kind: z.enum(restoreKinds),
    scope: z.enum(['code', 'conversation', 'both']),
    reach: z.enum(['session', 'workspace']),
    session: optionalText,
    target: text,
    fromSeq: number,
    calls: z.optional(z.array(text)),
    owner: ownerSchema,
    roots: z.optional(z.array(z.object({ key: text, store: text }))),
    paths: z.array(
      z.object({
        path: pathSchema,
        action: z.enum(applyActions),
        before: state,
        after: state,
        inPlace: z.optional(z.boolean()),
        unsaved: z.optional(hashSchema),
      }),
    ),
    /** Folders to remove afterwards where they are empty, and folders to bring first, outermost first. One that is in both stays, and gets other permissions. */
    emptied: z.array(directorySchema),
    made: z.array(directorySchema),
    /** Folders that are missing above files to bring, and that no record knows: whatever brings them, this restore has made them. */
    above: z.optional(z.array(pathSchema)),
    /** Paths that the restore covers without writing them, and why. */
    left: z.array(z.object({ path: pathSchema, action: z.enum(['unchanged', 'conflict', 'unavailable']), reason: optionalText })),
  });

  /** The restore has ended: per path how, and what is there now. `cancelled`: it never began, because its intent did not reach every folder. */
  const restoreDone = z.object({
    type: z.literal('restore.done'),
    operation: operationSchema,
    recovered: z.optional(z.boolean()),
    cancelled: z.optional(z.boolean()),
    paths: z.array(
      z.object({ path: pathSchema, outcome: z.enum(pathOutcomes), after: state, reason: optionalText }),
    ),
    removed: z.array(directorySchema),
    made: z.array(directorySchema),
  });

  const all = [sessionOpen, turnOpen, turnResume, callOpen, callReport, callClose, effects, drift, turnClose, step, checkpoint, gap, restoreIntent, restoreDone] as const;
  const known: ReadonlySet<string> = new Set(all.map(schema => schema.shape.type.def.values[0] as string));
  return { known, record: z.discriminatedUnion('type', [...all]) };
});

export type JournalRecord = Readonly<z.infer<ReturnType<typeof schemas>['record']>>;
export type RecordOf<T extends JournalRecord['type']> = Extract<JournalRecord, { readonly type: T }>;

export type ParsedRecord =
  | { readonly kind: 'record'; readonly record: JournalRecord }
  /** Of a later version: passed over. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Reads one stored record; nothing in it is believed before this. */
export function parseRecord(value: unknown): ParsedRecord {
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type === 'string' && !schemas().known.has(type)) return { kind: 'unknown' };
  const parsed = z.safeParse(schemas().record, value);
  if (parsed.success) return { kind: 'record', record: parsed.data };
  const issue = parsed.error.issues[0];
  return { kind: 'invalid', reason: `${String(type)}: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`.trim() };
}
