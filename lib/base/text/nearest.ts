/** "Did you mean": finds the nearest known name by single-character edits. */

/** Longer names are compared by their first characters only, to bound the work. */
const MAX_LENGTH = 64;

/** Which of the candidates a misspelt name is likely to mean, or null. At most one edit for every three characters. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  return nearestWithin(name, candidates, Math.min(3, Math.max(1, Math.floor(name.length / 3))));
}

/** The candidate with the fewest edits, at most `bound`; the first of several. Differences in case do not count. */
export function nearestWithin(name: string, candidates: Iterable<string>, bound: number): string | null {
  const wanted = fold(name);
  let best: string | null = null;
  let fewest = bound + 1;
  for (const candidate of candidates) {
    if (candidate === name) continue;
    const edits = editDistance(wanted, fold(candidate), fewest - 1);
    if (edits < fewest) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

/**
 * Counts insertions, deletions, replacements and swaps of neighbours (the optimal string alignment distance); returns some
 * number above `bound` for anything beyond it.
 */
export function editDistance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) > bound) return bound + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1);
      row.push(edits);
    }
    if (Math.min(...row) > bound) return bound + 1;
    before = last;
    last = row;
  }
  return last[b.length]!;
}

function fold(name: string): string {
  return name.slice(0, MAX_LENGTH).toLowerCase();
}
