/**
 * Length in bytes of the well-formed UTF-8 sequence of two to four bytes that begins at `at`, or 0 if it is malformed: overlong,
 * a surrogate, above U+10FFFF or cut off (Unicode, table 3-7).
 */
export function utf8Length(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return isTail(bytes, at + 1) ? 2 : 0;
  const second = bytes[at + 1] ?? 0;
  if (second < secondFrom(first) || second > secondTo(first)) return 0;
  if (first < 0xf0) return isTail(bytes, at + 2) ? 3 : 0;
  return isTail(bytes, at + 2) && isTail(bytes, at + 3) ? 4 : 0;
}

/** Number of code points in well-formed UTF-8. */
export function charactersOf(bytes: Uint8Array, start: number, end: number): number {
  let characters = 0;
  for (let i = start; i < end; i++) characters += Number((bytes[i]! & 0xc0) !== 0x80);
  return characters;
}

function isTail(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && (bytes[at]! & 0xc0) === 0x80;
}

function secondFrom(first: number): number {
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

function secondTo(first: number): number {
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}
