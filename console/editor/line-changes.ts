/** What one text has changed of another, line by line. */

export interface LineChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Beyond so many pairs of differing lines, all of them are removed and added. */
const MOST_PAIRS = 4_000_000;

/** All lines of both, in order; removed ones come before those added in their place. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const between = differing(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return [...old.slice(0, start).map(same), ...between, ...old.slice(old.length - end).map(same)];
}

/** Only the changed lines, with so many around them; null: some lines are left out there. */
export function changedPlaces(changes: readonly LineChange[], around: number): readonly (LineChange | null)[] {
  const near = changes.map((_, index) =>
    changes.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'same'),
  );
  return changes.flatMap((change, index) => (near[index] ? [change] : index === 0 || near[index - 1] ? [null] : []));
}

const same = (text: string): LineChange => ({ kind: 'same', text });

/** By the longest lines that both have in the same order. */
function differing(old: readonly string[], now: readonly string[]): readonly LineChange[] {
  if (old.length * now.length > MOST_PAIRS) return [...removed(old), ...added(now)];
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width); // of the lines behind a pair
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      const isSame = old[row] === now[column];
      lengths[row * width + column] = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1)); // prettier-ignore
    }
  }
  const changes: LineChange[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    if (old[row] === now[column]) {
      changes.push(same(old[row]!));
      row++;
      column++;
    } else if (at(row + 1, column) >= at(row, column + 1)) changes.push(...removed([old[row++]!]));
    else changes.push(...added([now[column++]!]));
  }
  return [...changes, ...removed(old.slice(row)), ...added(now.slice(column))];
}

const removed = (lines: readonly string[]): LineChange[] => lines.map((text) => ({ kind: 'removed', text }));
const added = (lines: readonly string[]): LineChange[] => lines.map((text) => ({ kind: 'added', text }));
