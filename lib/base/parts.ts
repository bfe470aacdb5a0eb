/** Bytes in the parts in which they came: joining them is left to whoever copies them anyway. */
export type Parts = readonly Uint8Array<ArrayBuffer>[];

export const bytesIn = (parts: Parts): number => parts.reduce((sum, { length }) => sum + length, 0);

/** The only part itself, else a copy of all. */
export function joined(parts: Parts): Uint8Array<ArrayBuffer> {
  return parts.length === 1 ? parts[0]! : copyParts(parts, new Uint8Array(bytesIn(parts)));
}

/** Copies the parts to the beginning of some bytes; returns these. */
export function copyParts<B extends Uint8Array>(parts: Parts, to: B): B {
  let at = 0;
  for (const part of parts) {
    to.set(part, at);
    at += part.length;
  }
  return to;
}
