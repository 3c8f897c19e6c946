/**
 * Makes something when it is first asked for. A hook is a process per event: what an event does not need
 * (a schema takes tenths of a millisecond to build) must not be made for it.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
