/** Offsets as RFC 3339 writes them. */
import { MINUTE_MS } from '../../base/day.ts';

/**
 * The offset to write for a true one: RFC 3339 has whole minutes only, so historic local mean times (Amsterdam +00:19:32) take
 * the nearest minute. A time printed with it shows that offset's wall clock, so the moment stays exact.
 */
export function writableOffset(offset: number): number {
  return Math.sign(offset) * Math.round(Math.abs(offset) / MINUTE_MS) * MINUTE_MS;
}

/** `Z` for offset 0 (in any zone), else `+05:45`. @param offset Milliseconds, whole minutes. */
export function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / MINUTE_MS;
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(n: number): string {
  return n < 10 ? `0${n}` : `${n}`;
}
