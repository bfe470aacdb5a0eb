/** Units and their seconds, longest first. */
const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Seconds as people read them, in the two largest units: `2 min 33 s`, `3 d 4 h`, `12.3 s`, `450 ms`. */
export function durationText(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) return `${Number((seconds * 1_000).toPrecision(3))} ms`;
  if (size < 59.95) return `${Number(seconds.toFixed(1))} s`;
  const at = UNITS.findIndex(([, length]) => Math.round(size) >= length);
  const [unit, length] = UNITS[at]!;
  const [lesser, part] = UNITS[at + 1]!;
  // Rounds to the smaller unit first, or 119.7 s would read 1 min 60 s.
  const parts = Math.round(size / part);
  const rest = parts % (length / part);
  const sign = seconds < 0 ? '-' : '';
  return `${sign}${Math.floor((parts * part) / length)} ${unit}${rest === 0 ? '' : ` ${rest} ${lesser}`}`;
}
