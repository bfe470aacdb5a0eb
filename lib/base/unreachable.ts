/** Ends a `switch` over a tag: the compiler reports an error here if a tag is not handled. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
