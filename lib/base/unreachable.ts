/** Ends a `switch` over a tag: the compiler points here when a new tag is not handled. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
