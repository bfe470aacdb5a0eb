/** The column of a property path in a segment, assembled from the columns and objects that may hold it. */
import { OVERFLOW, type Segment } from '../../shards/shard-reader.ts';
import {
  plainColumn,
  translate,
  translateInto,
  type Coded,
  type FieldColumn,
  type GrowingDictionary,
} from './field-column.ts';
import { isRecord } from '../../base/is-record.ts';
import { objectIn, valueAt } from './json-path.ts';

/**
 * A property of events (`p`) or as sent of users (`u`). Usually a stored column, unchanged. If the key overflowed or the path
 * leads into an object, builds a column whose values get codes of `made`.
 * @param made One dictionary per field and query, so that the codes of all segments mean the same.
 */
export function propertyColumn(
  segment: Segment,
  kind: 'p' | 'u',
  path: string,
  made: GrowingDictionary,
): FieldColumn | null {
  const own = ownColumn(segment, kind, path);
  const overflow = overflowOf(segment, kind);
  const dot = path.indexOf('.');
  const head = dot < 0 ? null : objectsOf(segment, kind, path.slice(0, dot));
  if (overflow === null && head === null) return own;
  const codes = new Uint32Array(segment.rows);
  // Lowest precedence first: each source overwrites what earlier ones found.
  if (head !== null) {
    const { dictionary } = head;
    translate(codes, head, (code) =>
      dictionary.type(code) === 'object'
        ? made.codeOf(valueAt(objectIn(dictionary.text(code)), path.slice(dot + 1)))
        : 0,
    );
  }
  if (overflow !== null) layOverflow(codes, overflow, { path, dot, made });
  translateInto(made, codes, own);
  const numbers = own?.numbers ?? null;
  if (numbers?.rows === null) codes.fill(0);
  numbers?.rows?.forEach((row) => (codes[row] = 0));
  return { codes, dictionary: made, numbers, times: false };
}

/** The objects of keys that have no column of their own; null: there are none. A row has a key here or in a column, never both. */
export function overflowOf(segment: Segment, kind: 'p' | 'u'): Coded | null {
  return objectsOf(segment, kind, OVERFLOW);
}

/**
 * The stored column of exactly this key, dots included. A key that is called as the column of overflow lies in that, as others do
 * that have no column of their own.
 */
export function ownColumn(segment: Segment, kind: 'p' | 'u', key: string): FieldColumn | null {
  return key === OVERFLOW ? null : plainColumn(segment.column(`${kind}:${key}`));
}

/** The column if some value in it is an object, else null. */
function objectsOf(segment: Segment, kind: 'p' | 'u', key: string): Coded | null {
  const { codes = null, dictionary = null } = plainColumn(segment.column(`${kind}:${key}`)) ?? {};
  if (codes === null || dictionary === null) return null;
  for (let code = 1; code <= dictionary.size; code++) {
    if (dictionary.type(code) === 'object') return { codes, dictionary };
  }
  return null;
}

/** The overflow holds whole keys: the path itself, which wins over the head's object, or the path's head. */
function layOverflow(
  codes: Uint32Array,
  overflow: Coded,
  at: { readonly path: string; readonly dot: number; readonly made: GrowingDictionary },
): void {
  const { path, dot, made } = at;
  const spelled = (dot < 0 ? [path] : [path, path.slice(0, dot)]).map((key) => JSON.stringify(key));
  translate(codes, overflow, (code) => {
    const text = overflow.dictionary.text(code);
    // Most have other keys, and to look takes a fraction of parsing. They were written as JSON.stringify spells them.
    if (!spelled.some((key) => text.includes(key))) return made.codeOf(undefined);
    const keys = objectIn(text);
    if (Object.hasOwn(keys, path)) return made.codeOf(keys[path]);
    const inner = dot < 0 ? undefined : ownValue(keys, path.slice(0, dot));
    return isRecord(inner) ? made.codeOf(valueAt(inner, path.slice(dot + 1))) : 0;
  });
}

function ownValue(object: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
