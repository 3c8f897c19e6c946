import * as z from 'zod/mini';
import { lazy } from '../base/lazy.ts';

/** How states are stored; `state.ts` has the type and what can be asked of it. Apart, because a hook writes states and reads none. */
export const stateSchema = lazy(() => {
  const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
  const number = z.int();
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('content'), hash, mode: number, size: number }),
    z.object({ kind: z.literal('absent') }),
    z.object({ kind: z.literal('link'), target: z.string() }),
    z.object({ kind: z.literal('directory'), mode: number }),
    z.object({ kind: z.literal('special') }),
    /** Too large to keep: its bytes are not in the store. */
    z.object({ kind: z.literal('oversize'), hash, mode: number, size: number }),
    z.object({ kind: z.literal('unreadable'), reason: z.string() }),
  ]);
});
