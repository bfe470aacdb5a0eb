/** Parses JSON written by the shard itself: the caller names the type, and nothing is checked. */
export function parseStored<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package, under a checksum or in a transaction
  return JSON.parse(text) as T;
}
