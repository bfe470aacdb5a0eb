/** Values and their texts: how values of any type compare with literals and with each other. */
import { instantText } from './zone.ts';

/** A value that is a moment, such as `time`. Its text depends on the zone of the query. */
export class Instant {
  readonly ms: number;
  readonly zone: string;

  constructor(ms: number, zone: string) {
    this.ms = ms;
    this.zone = zone;
  }
}

/** A JSON value, an instant, or undefined if the field is missing. */
export type Value = unknown;

/** null and absent both count as missing. */
export function isMissing(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

/** Present, not null, not "". */
export function exists(value: Value): boolean {
  return !isMissing(value) && value !== '';
}

/** The text of a value that is not missing. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (value instanceof Instant) return instantText(value.ms, value.zone);
  return JSON.stringify(value);
}

/** The text, or null if missing: the cell of a group. */
export function groupText(value: Value): string | null {
  return isMissing(value) ? null : textOf(value);
}

const NUMBER = /^[+-]?(\d+(\.\d+)?|\.\d+|\d+\.)([eE][+-]?\d+)?$/;

/** The number that a value is or spells; null if it is none. An instant counts in milliseconds. */
export function numberOf(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (value instanceof Instant) return value.ms;
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : null; // no float is so large: it spells none
}

/** Compares by code point. */
export function compareText(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The value at a path: tries the rest of the path as one key first, then splits it at its first dot. */
export function atPath(object: { readonly [key: string]: unknown }, path: string): Value {
  if (Object.hasOwn(object, path)) return object[path];
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const head = path.slice(0, dot);
  const inner = Object.hasOwn(object, head) ? object[head] : undefined;
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return undefined;
  return atPath({ ...inner }, path.slice(dot + 1));
}
