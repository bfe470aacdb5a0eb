/** "Did you mean": finds the nearest known name by single-character edits. */

/** Longer names are compared by their first characters only, to bound the work. */
const MAX_LENGTH = 64;

/** How much more may be compared, in cells of the tables of edits. When nothing is left, whatever is looked for is not found. */
export class Effort {
  #left: number;

  // Some milliseconds: a project has thousands of names, and a query may miss hundreds.
  constructor(cells = 1_000_000) {
    this.#left = cells;
  }

  /** Whether there was enough for a look at one more candidate. */
  visit(): boolean {
    return this.spend(30); // what looking at a candidate costs, as cells of a table
  }

  spend(cells: number): boolean {
    this.#left -= cells;
    return this.#left >= 0;
  }
}

/** Which of the candidates a misspelt name is likely to mean, or null. At most one edit for every three characters. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  return nearestWithin(name, candidates, Math.min(3, Math.max(1, Math.floor(name.length / 3))));
}

/**
 * The candidate with the fewest edits, at most `bound`. Differences in case do not count, but of several the one with fewer of them is
 * taken, then the first.
 */
export function nearestWithin(
  name: string,
  candidates: Iterable<string>,
  bound: number,
  effort = new Effort(),
): string | null {
  const wanted = fold(name);
  let best: string | null = null;
  let fewest = bound + 1;
  const caseEdits = (candidate: string): number =>
    editDistance(name.slice(0, MAX_LENGTH), candidate.slice(0, MAX_LENGTH), MAX_LENGTH, effort);
  for (const candidate of candidates) {
    if (candidate === name) continue;
    if (!effort.visit()) break;
    const edits = editDistance(wanted, fold(candidate), Math.min(bound, fewest), effort);
    if (edits > Math.min(bound, fewest)) continue;
    if (best !== null && edits === fewest && caseEdits(candidate) >= caseEdits(best)) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** Three rows of the table of edits: the one being made, the last, and the one before. */
const rows = [new Uint8Array(MAX_LENGTH + 1), new Uint8Array(MAX_LENGTH + 1), new Uint8Array(MAX_LENGTH + 1)] as const;

/**
 * Counts insertions, deletions, replacements and swaps of neighbours (the optimal string alignment distance) between folded names;
 * returns some number above `bound` for anything beyond it. Cells further than `bound` from the diagonal are beyond it.
 */
export function editDistance(a: string, b: string, bound: number, effort = new Effort()): number {
  const beyond = bound + 1;
  if (Math.abs(a.length - b.length) > bound) return beyond;
  let [row, last, before] = rows;
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, beyond);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - bound);
    const to = Math.min(b.length, i + bound);
    if (!effort.spend(to - from + 1)) return beyond;
    row[from - 1] = from === 1 ? Math.min(i, beyond) : beyond;
    if (to < b.length) row[to + 1] = beyond;
    let least = row[from - 1]!;
    for (let j = from; j <= to; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let edits = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1, beyond);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, before[j - 2]! + 1);
      row[j] = edits;
      least = Math.min(least, edits);
    }
    if (least > bound) return beyond;
    [row, last, before] = [before, row, last];
  }
  return last[b.length]!;
}

function fold(name: string): string {
  return name.slice(0, MAX_LENGTH).toLowerCase().slice(0, MAX_LENGTH);
}
