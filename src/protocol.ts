import * as z from 'zod/mini';

// The page's content policy forbids compiled checks, and asking whether it does is already a violation.
z.config({ jitless: true });

/**
 * What the review panel and its page say to each other. Both sides check what comes in: the page because it
 * outlives an update of the extension, the extension because a page's messages are outside input.
 */
const hunkSchema = z.object({ id: z.string(), oldStart: z.int(), newStart: z.int(), lines: z.array(z.string()) });

const cardSchema = z.object({
  path: z.string(),
  name: z.string(),
  folder: z.string(),
  status: z.enum(['added', 'modified', 'deleted']),
  statusWord: z.string(),
  /** Undefined for a file that is simply as the turn left it. */
  stateWord: z.optional(z.string()),
  counts: z.string(),
  /** Why there are no hunks; undefined where there are. */
  note: z.optional(z.string()),
  canRollBack: z.boolean(),
  hunks: z.array(hunkSchema),
});

const reviewSchema = z.object({
  root: z.string(),
  turn: z.string(),
  title: z.string(),
  description: z.string(),
  notes: z.array(z.string()),
  cards: z.array(cardSchema),
});

const labelsSchema = z.object({ openChanges: z.string(), rollBack: z.string(), hunks: z.string() });

/** To the page. `review` is undefined while there is nothing to review; `empty` says so. */
export const toPageSchema = z.object({ type: z.literal('show'), review: z.optional(reviewSchema), empty: z.string(), labels: labelsSchema });

const cardAction = { root: z.string(), turn: z.string(), path: z.string() };

/** From the page. */
export const fromPageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('openChanges'), ...cardAction }),
  z.object({ type: z.literal('rollBackFile'), ...cardAction }),
]);

export type ReviewHunk = Readonly<z.infer<typeof hunkSchema>>;
export type ReviewCard = Readonly<z.infer<typeof cardSchema>>;
export type Review = Readonly<z.infer<typeof reviewSchema>>;
export type ToPage = Readonly<z.infer<typeof toPageSchema>>;
export type FromPage = Readonly<z.infer<typeof fromPageSchema>>;

/** Reads a message; undefined for anything else. */
export function parseToPage(value: unknown): ToPage | undefined {
  return z.safeParse(toPageSchema, value).data;
}

export function parseFromPage(value: unknown): FromPage | undefined {
  return z.safeParse(fromPageSchema, value).data;
}
