import type { TurnstoneError } from './core/base/errors.ts';
import type { Looking } from './core/capture/treeLooks.ts';

type Ask<Kind extends keyof Looking> = { readonly kind: Kind; readonly words: Parameters<Looking[Kind]> };

/** What the extension host asks the looking thread. Both are this extension's own code, so nothing is checked. */
export interface LookRequest {
  readonly id: number;
  readonly root: string;
  readonly ask: Ask<'begin'> | Ask<'end'> | Ask<'between'> | Ask<'ahead'>;
}

export interface LookAnswer {
  readonly id: number;
  readonly failure?: { readonly code: TurnstoneError['code'] | undefined; readonly message: string };
}
