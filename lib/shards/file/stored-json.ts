/** JSON that the shard itself wrote: it is what it was, so reading it says which type and checks nothing. */
export function parseStored<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this package, under a checksum or in a transaction
  return JSON.parse(text) as T;
}
