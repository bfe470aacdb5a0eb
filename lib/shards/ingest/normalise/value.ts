/** Property values as sent → as stored. Counts whatever is changed or left out. */
import { unreachable } from '../../../base/unreachable.ts';
import type { StoredValue } from '../../event.ts';
import { JsonText } from '../enrich/json-text.ts';
import { MAX_DEPTH, MAX_JSON_BYTES, MAX_KEY, MAX_PROFILE_PROPERTIES, MAX_PROPERTIES, MAX_TEXT } from './limits.ts';
import { cutText } from './text.ts';

/** Counts trimmed values, for the project's usage. One per event. */
export interface Trimmed {
  count: number;
}

/** The members of `value` as stored properties: at most 256, keys of at most 256 units; none if it is no object. */
export function storedProperties(value: unknown, trimmed: Trimmed): (readonly [string, StoredValue])[] {
  return properties(value, trimmed, { most: MAX_PROPERTIES, stored: storedValue });
}

/** Like `storedProperties`, but as many as a profile may have, with values as profiles keep them. */
export function profileProperties(value: unknown, trimmed: Trimmed): (readonly [string, unknown])[] {
  const stored = (member: unknown): unknown => {
    const kept = storedValue(member, trimmed);
    return kept === undefined ? undefined : profileValueOf(kept);
  };
  return properties(value, trimmed, { most: MAX_PROFILE_PROPERTIES, stored });
}

/**
 * The stored form of a JSON value; undefined if it is dropped: a number that overflowed to Infinity, or an object or array that
 * is too deep or too large. Texts are cut to 8,192 units and made well-formed.
 */
export function storedValue(value: unknown, trimmed: Trimmed): StoredValue | undefined {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return value + 0; // + 0: -0 becomes 0
      trimmed.count++;
      return undefined;
    case 'string':
      return { type: 'string', text: storedText(value, trimmed) };
    case 'boolean':
      return { type: 'boolean', text: String(value) };
    case 'object':
      return value === null ? { type: 'null', text: '' } : storedObject(value, trimmed);
    default:
      return undefined; // not a JSON value
  }
}

export function valueOf(stored: StoredValue): unknown {
  if (typeof stored === 'number') return stored;
  switch (stored.type) {
    case 'string':
      return stored.text;
    case 'null':
      return null;
    case 'boolean':
    case 'object':
    case 'array':
      return JSON.parse(stored.text);
    default:
      return unreachable(stored.type);
  }
}

/** A value as profiles keep it: a JSON value, or a `JsonText`. */
export function profileValueOf(stored: StoredValue): unknown {
  const isNested = typeof stored !== 'number' && (stored.type === 'object' || stored.type === 'array');
  return isNested ? new JsonText(stored.text) : valueOf(stored);
}

/** A property key in its stored form. */
export function storedKey(key: string, trimmed: Trimmed): string {
  if (key.length <= MAX_KEY) return wholeText(key, trimmed);
  trimmed.count++;
  return wholeText(cutText(key, MAX_KEY), trimmed);
}

/** The text with lone surrogates replaced, which counts as one trimmed value. */
export function wholeText(text: string, trimmed: Trimmed): string {
  if (text.isWellFormed()) return text;
  trimmed.count++;
  return text.toWellFormed();
}

function properties<T>(
  value: unknown,
  trimmed: Trimmed,
  { most, stored }: { readonly most: number; readonly stored: (value: unknown, trimmed: Trimmed) => T | undefined },
): (readonly [string, T])[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    trimmed.count++;
    return [];
  }
  const kept = new Map<string, T>(); // two keys may be equal once cut: the last wins, as in JSON
  const names = Object.keys(value); // `Object.entries` would be slow for very many members
  for (const [at, name] of names.entries()) {
    if (kept.size >= most) {
      trimmed.count += names.length - at;
      break;
    }
    const result = stored(Reflect.get(value, name), trimmed);
    if (result !== undefined) kept.set(storedKey(name, trimmed), result);
  }
  return [...kept];
}

function storedText(text: string, trimmed: Trimmed): string {
  if (text.length <= MAX_TEXT) return wholeText(text, trimmed);
  trimmed.count++;
  return wholeText(cutText(text, MAX_TEXT), trimmed);
}

function storedObject(value: object, trimmed: Trimmed): StoredValue | undefined {
  const clean = cleanNested(value, 1, trimmed);
  const text = clean === TOO_DEEP ? '' : JSON.stringify(clean);
  if (clean !== TOO_DEEP && Buffer.byteLength(text) <= MAX_JSON_BYTES) {
    return { type: Array.isArray(value) ? 'array' : 'object', text };
  }
  trimmed.count++;
  return undefined;
}

const TOO_DEEP = Symbol('too deep');

/** A nested value with lone surrogates replaced and overflowed numbers left out (in arrays, where positions matter, null). */
function cleanNested(value: unknown, level: number, trimmed: Trimmed): unknown {
  if (typeof value === 'string') return wholeText(value, trimmed);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    trimmed.count++;
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (level > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      const clean = cleanNested(item, level + 1, trimmed);
      if (clean === TOO_DEEP) return TOO_DEEP;
      items.push(clean ?? null);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const clean = cleanNested(member, level + 1, trimmed);
    if (clean === TOO_DEEP) return TOO_DEEP;
    if (clean !== undefined) members.push([wholeText(key, trimmed), clean]);
  }
  return Object.fromEntries(members); // unlike assignment, this makes `__proto__` an ordinary key
}
