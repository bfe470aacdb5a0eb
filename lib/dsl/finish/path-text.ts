/** A path as text. */
import type { Cell } from '../plan/table.ts';
import { compareCodePoints } from '../plan/value.ts';

const ARROW = ' -> ';

/** `a -> b -> c`, a missing label as `(none)`; null if it is not a path. */
export function pathText(cell: Cell): string | null {
  return Array.isArray(cell) ? cell.map(labelText).join(ARROW) : null;
}

export function labelText(label: string | null): string {
  return label ?? '(none)';
}

/**
 * Compares paths by the code points of their texts, without making these: a path may have a thousand labels of thousands of
 * characters.
 * @param textOf The text of a label; equal labels have equal texts.
 */
export function comparePathTexts<L>(a: ArrayLike<L>, b: ArrayLike<L>, textOf: (label: L) => string): number {
  const pieceOf = (path: ArrayLike<L>, at: number): string => (at === 0 ? '' : ARROW) + textOf(path[at]!);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  let [left, right] = [same, same];
  let [own, other] = ['', ''];
  for (;;) {
    while (own === '' && left < a.length) own = pieceOf(a, left++);
    while (other === '' && right < b.length) other = pieceOf(b, right++);
    if (own === '' || other === '') return own.length - other.length;
    const length = Math.min(own.length, other.length);
    const order = compareCodePoints(own.slice(0, length), other.slice(0, length));
    if (order !== 0) return order;
    [own, other] = [own.slice(length), other.slice(length)];
  }
}
