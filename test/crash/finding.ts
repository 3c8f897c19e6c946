/**
 * What is wrong after a crash. `lost`: something acknowledged, or a user's bytes, can't be had any more; `wrong bytes`:
 * something holds bytes that nobody wrote there; `unsound`: the store is not in order, or recovery does not end as it should.
 */
export type FindingKind = 'lost' | 'wrong bytes' | 'unsound';

/** What a check throws. Everything else that a sweep meets is `unsound` too. */
export class Finding extends Error {
  readonly kind: FindingKind;

  constructor(kind: FindingKind, message: string) {
    super(message);
    this.name = 'Finding';
    this.kind = kind;
  }
}

export function must(condition: boolean, kind: FindingKind, message: () => string): asserts condition {
  if (!condition) throw new Finding(kind, message());
}
