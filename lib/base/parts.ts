/** Bytes in the parts in which they came: joining them is left to whoever copies them anyway. */
export type Parts = readonly Uint8Array<ArrayBuffer>[];

export function bytesIn(parts: Parts): number {
  let sum = 0;
  for (let i = 0; i < parts.length; i++) sum += parts[i]!.length;
  return sum;
}

/** The only part itself, else a copy of all. */
export function joinedParts(parts: Parts): Uint8Array<ArrayBuffer> {
  return parts.length === 1 ? parts[0]! : copyParts(parts, new Uint8Array(bytesIn(parts)), 0);
}

/** Copies the parts to a place among some bytes; returns these. */
export function copyParts<B extends Uint8Array>(parts: Parts, to: B, at: number): B {
  for (let i = 0, next = at; i < parts.length; i++) {
    to.set(parts[i]!, next);
    next += parts[i]!.length;
  }
  return to;
}
