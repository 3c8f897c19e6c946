export type Json = Readonly<Record<string, unknown>>;

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

let serial = 0;

/** Agents tell calls apart by these ids, so they must differ over all servers of one test run. */
export function newId(prefix: string): string {
  serial += 1;
  return `${prefix}_${String(serial).padStart(4, '0')}`;
}
