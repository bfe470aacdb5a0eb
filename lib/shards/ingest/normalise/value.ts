/** Property values as sent → as stored. Counts whatever is changed or left out. */
import { unreachable } from '../../../base/unreachable.ts';
import type { PropertyValue } from '../../event.ts';
import { cutText, MAX_DEPTH, MAX_JSON_BYTES, MAX_KEY, MAX_PROPERTIES, MAX_TEXT } from './limits.ts';
import type { Remarks } from './remarks.ts';
import { readJson } from '../../../base/text/read-json.ts';

/** The members of `value` as stored properties: at most `most`, with keys of at most 256 units; none if it is no object. */
export function storedProperties(
  value: unknown,
  remarks: Remarks,
  most: number = MAX_PROPERTIES,
): (readonly [string, PropertyValue])[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    remarks.dropped('must be an object', value);
    return [];
  }
  const { field } = remarks;
  const kept = new Map<string, PropertyValue>(); // two keys may be equal once cut: the last wins, as in JSON
  const names = Object.keys(value); // `Object.entries` would be slow for very many members
  for (const [at, name] of names.entries()) {
    if (kept.size >= most) {
      remarks.field = field;
      remarks.dropped(`has more than ${most} properties`, value, names.length - at);
      break;
    }
    remarks.field = `${field}.${name}`;
    const result = storedValue(Reflect.get(value, name), remarks);
    if (result !== undefined) kept.set(storedKey(name, remarks), result);
  }
  return [...kept];
}

/**
 * The stored form of a JSON value; undefined if it is dropped: a number that overflowed to Infinity, or an object or array that
 * is too deep or too large. Texts are cut to 8,192 units and made well-formed. A bigint becomes the text of its digits.
 */
export function storedValue(value: unknown, remarks: Remarks): PropertyValue | undefined {
  switch (typeof value) {
    case 'number':
      if (Number.isFinite(value)) return value + 0; // + 0: -0 becomes 0
      remarks.dropped('is too large a number', value);
      return undefined;
    case 'bigint':
      return { type: 'string', text: String(value) }; // its digits, which a double would not keep
    case 'string':
      return { type: 'string', text: storedText(value, remarks) };
    case 'boolean':
      return { type: 'boolean', text: String(value) };
    case 'object':
      return value === null ? { type: 'null', text: '' } : storedObject(value, remarks);
    default:
      return undefined; // not a JSON value
  }
}

export function valueOf(stored: PropertyValue): unknown {
  if (typeof stored === 'number') return stored;
  switch (stored.type) {
    case 'string':
      return stored.text;
    case 'null':
      return null;
    case 'boolean':
    case 'object':
    case 'array':
      return readJson(stored.text);
    default:
      return unreachable(stored.type);
  }
}

/** A property key in its stored form. */
export function storedKey(key: string, remarks: Remarks): string {
  if (key.length <= MAX_KEY) return wholeText(key, remarks);
  remarks.trimmed(`the key was cut to ${MAX_KEY} characters`, key);
  return wholeText(cutText(key, MAX_KEY), remarks);
}

/** The text with lone surrogates replaced, which counts as one trimmed value. */
export function wholeText(text: string, remarks: Remarks): string {
  if (text.isWellFormed()) return text;
  remarks.trimmed('halves of characters (lone surrogates) were replaced by U+FFFD', text);
  return text.toWellFormed();
}

function storedText(text: string, remarks: Remarks): string {
  if (text.length <= MAX_TEXT) return wholeText(text, remarks);
  remarks.trimmed(`the text was cut to ${MAX_TEXT.toLocaleString('en')} characters`, text);
  return wholeText(cutText(text, MAX_TEXT), remarks);
}

function storedObject(value: object, remarks: Remarks): PropertyValue | undefined {
  const clean = cleanNested(value, 1, remarks);
  const text = clean === TOO_DEEP ? '' : JSON.stringify(clean);
  if (clean !== TOO_DEEP && Buffer.byteLength(text) <= MAX_JSON_BYTES) {
    return { type: Array.isArray(value) ? 'array' : 'object', text };
  }
  const limit = `${MAX_JSON_BYTES >> 10} KiB of JSON`;
  remarks.dropped(clean === TOO_DEEP ? `is nested deeper than ${MAX_DEPTH} levels` : `is larger than ${limit}`, value);
  return undefined;
}

const TOO_DEEP = Symbol('too deep');

/** A nested value with lone surrogates replaced, bigints as texts, and overflowed numbers left out (in arrays, where positions matter, null). */
function cleanNested(value: unknown, level: number, remarks: Remarks): unknown {
  if (typeof value === 'string') return wholeText(value, remarks);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    remarks.dropped('has too large a number', value);
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (level > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      const clean = cleanNested(item, level + 1, remarks);
      if (clean === TOO_DEEP) return TOO_DEEP;
      items.push(clean ?? null);
    }
    return items;
  }
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    const clean = cleanNested(member, level + 1, remarks);
    if (clean === TOO_DEEP) return TOO_DEEP;
    if (clean !== undefined) members.push([wholeText(key, remarks), clean]);
  }
  return Object.fromEntries(members); // unlike assignment, this makes `__proto__` an ordinary key
}
