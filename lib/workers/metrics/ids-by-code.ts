/** Numbers for codes as they are met. */
import type { Lease } from '../../primitives/memory.ts';
import { threshold } from '../../base/threshold.ts';

/** Array elements per id in it, at most. */
const SPARSE = threshold('array places of an id', 16, { least: -1_024 });

/**
 * Ids by code, 0 where there is none: in an array unless it would be far larger than its content.
 * @param lists All codes. @param total How many there are. @param lease Of the array.
 */
export function idsByCode(
  lists: readonly Uint32Array[],
  total: number,
  lease: Lease,
): { get(code: number): number; set(code: number, id: number): void } {
  let most = 0;
  for (const codes of lists) for (let at = 0; at < codes.length; at++) if (codes[at]! > most) most = codes[at]!;
  if (most <= SPARSE.value * (total + 64)) {
    const ids = lease.noWords(most + 1);
    return { get: (code) => ids[code]!, set: (code, id) => (ids[code] = id) };
  }
  const ids = new Map<number, number>();
  return { get: (code) => ids.get(code) ?? 0, set: (code, id) => ids.set(code, id) };
}
