/** Which variant of an experiment somebody gets: always the same, in a page as on a server, without a request. */

/** Equally frequent variants, or variants with their weights. */
export type Variants = readonly string[] | Readonly<Record<string, number>>;

/** `unit`: a device or a user. `seed`: another seed shuffles differently. Throws when there is no variant. */
export interface Choosing {
  readonly key: string;
  readonly variants: Variants;
  readonly unit: string;
  readonly seed?: string | undefined;
}

export function choose({ key, variants, unit, seed = '' }: Choosing): string {
  const weighted: readonly (readonly [string, number])[] = Array.isArray(variants)
    ? variants.map((name: string) => [name, 1])
    : Object.entries(variants);
  const sum = weighted.reduce((total, [, weight]) => total + weight, 0);
  let left = (hash(`${seed}:${key}:${unit}`) / 2 ** 32) * sum;
  for (const [name, weight] of weighted) if ((left -= weight) < 0) return name;
  throw new RangeError('a choice needs variants, and a weight above 0');
}

/** 32 bits of a text: FNV-1a, then mixed like the end of MurmurHash3, since texts here differ in their last letters. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
