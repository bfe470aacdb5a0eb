/** UUID version 7 (RFC 9562): ids that sort by creation time. Needs no secure context, unlike randomUUID. */

/** Ids per millisecond, counted in the 8 bits after it; further ids use the next millisecond. */
const IN_A_MS = 256;

let last = 0;

/** A new id. Ids of one page or process sort in creation order. */
export function uuidv7(): string {
  last = Math.max(Date.now() * IN_A_MS, last + 1);
  const digits = hex(last, 14) + hex(0x80000000 + (random() >>> 2), 9) + hex(random(), 8);
  return digits.replace(/(.{8})(.{4})(...)(.{4})/, '$1-$2-7$3-$4-');
}

/** When an id was made, milliseconds since the epoch. */
export function timeOfUuid(id: string): number {
  return parseInt(id.replace('-', '').slice(0, 12), 16);
}

/** 32 bits. Node 18 has no global crypto; ids need not be secret. */
function random(): number {
  return globalThis.crypto?.getRandomValues(new Uint32Array(1))[0] ?? (Math.random() * 2 ** 32) >>> 0;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
