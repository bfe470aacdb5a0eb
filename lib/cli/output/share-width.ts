/**
 * Column widths that fit into `room` together. If the natural widths do not, the widest columns shrink to one common level, none
 * below its `least`. null: even the least widths do not fit.
 */
export function shareWidth(natural: readonly number[], least: readonly number[], room: number): number[] | null {
  const at = (level: number): number[] => natural.map((width, i) => Math.min(width, Math.max(level, least[i] ?? 0)));
  if (sum(natural) <= room) return [...natural];
  if (sum(at(0)) > room) return null;
  let level = 0;
  while (sum(at(level + 1)) <= room) level += 1;
  return spread(at(level), natural, level, room);
}

/** Gives the room left below the next level to the cut columns, one each, from the first on. */
function spread(widths: readonly number[], natural: readonly number[], level: number, room: number): number[] {
  let left = room - sum(widths);
  return widths.map((width, i) => {
    const takes = left > 0 && width === level && width < (natural[i] ?? 0);
    if (takes) left -= 1;
    return takes ? width + 1 : width;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
