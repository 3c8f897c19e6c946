import * as z from 'zod/mini';
import { lazy } from '../core/base/lazy.ts';
import { TurnstoneApiError } from './apiError.ts';
import type { ConversationAdapter } from './turnstone.d.ts';

/** What other extensions pass, checked before anything else is looked at: most of them are no TypeScript any more by then. */
const inputs = lazy(() => {
  const text = z.string().check(z.minLength(1));
  const uri = z.object({ scheme: z.literal('file'), fsPath: text });
  const onConflict = z.optional(z.enum(['stop', 'skip', 'merge']));
  const conversation = z.custom<ConversationAdapter>(value => typeof value === 'object' && value !== null && typeof (value as { rewindTo?: unknown }).rewindTo === 'function');
  return {
    session: z.object({ agent: text, title: z.optional(text), conversation: z.optional(conversation) }),
    turn: z.object({ prompt: z.string() }),
    call: z.object({ tool: text, paths: z.optional(z.array(z.union([text, uri]))) }),
    label: text,
    id: text,
    rewind: z.object({ scope: z.optional(z.enum(['code', 'conversation', 'both'])), reach: z.optional(z.enum(['session', 'workspace'])), onConflict }),
    rollback: z.object({ onConflict }),
  };
});

type Schemas = ReturnType<typeof inputs>;
export type ApiInput<K extends keyof Schemas> = Readonly<z.infer<Schemas[K]>>;

/** The input, as far as it is known; throws `input` where it is not what it should be. */
export function checked<K extends keyof Schemas>(kind: K, value: unknown): ApiInput<K> {
  const parsed = z.safeParse(inputs()[kind] as z.ZodMiniType, value);
  if (parsed.success) return parsed.data as ApiInput<K>;
  const place = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new TurnstoneApiError('input', `${place === '' ? `What was given as ${kind}` : `${place} of ${kind}`} is missing or not what it should be. Nothing was done.`);
}
