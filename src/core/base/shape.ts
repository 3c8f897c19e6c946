/**
 * Checks for the few small documents that every hook reads. A hook is a process per event and has no time to
 * build schemas: these four checks take microseconds where a schema's first use takes a millisecond. Whatever
 * is not read on that way is checked by zod.
 */
export type Shape = Readonly<Record<string, unknown>>;

export function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text under a key; undefined where there is none, or something else. */
export function textAt(shape: Shape, key: string): string | undefined {
  const value = shape[key];
  return typeof value === 'string' ? value : undefined;
}

/** The whole number, 0 or more, under a key. */
export function countAt(shape: Shape, key: string): number | undefined {
  const value = shape[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

export function listAt(shape: Shape, key: string): readonly unknown[] | undefined {
  const value = shape[key];
  return Array.isArray(value) ? value : undefined;
}
