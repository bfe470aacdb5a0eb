/** The column of a property path in a segment, assembled from the columns and objects that may hold it. */
import { OVERFLOW, type Segment } from '../../shards/shard-reader.ts';
import { plainColumn, type ValueDictionary, type FieldColumn, type GrowingDictionary } from './field-column.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseObject, valueAt } from './json-path.ts';

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
  const overflow = objectsOf(plainColumn(segment.column(`${kind}:${OVERFLOW}`)));
  const dot = path.indexOf('.');
  const head = dot < 0 ? null : objectsOf(plainColumn(segment.column(`${kind}:${path.slice(0, dot)}`)));
  if (overflow === null && head === null) return own;
  const codes = new Uint32Array(segment.rows);
  // Lowest precedence first: each source overwrites what earlier ones found.
  if (head !== null) {
    lay(codes, head, (dictionary, code) =>
      dictionary.type(code) === 'object'
        ? made.codeOf(valueAt(parseObject(dictionary.text(code)), path.slice(dot + 1)))
        : 0,
    );
  }
  if (overflow !== null) layOverflow(codes, overflow, { path, dot, made });
  const numbers = own?.numbers ?? null;
  if (own?.codes && own.dictionary)
    lay(codes, own, (dictionary, code) => made.code(dictionary.type(code), dictionary.text(code)));
  if (numbers?.rows === null) codes.fill(0);
  numbers?.rows?.forEach((row) => (codes[row] = 0));
  return { codes, dictionary: made, numbers, times: false };
}

/** As `propertyColumn`, but only for what was sent under exactly this key, dots included. */
export function keyColumn(segment: Segment, kind: 'p' | 'u', key: string, made: GrowingDictionary): FieldColumn | null {
  const own = ownColumn(segment, kind, key);
  const overflow = objectsOf(plainColumn(segment.column(`${kind}:${OVERFLOW}`)));
  if (overflow === null) return own;
  const codes = new Uint32Array(segment.rows);
  lay(codes, overflow, (dictionary, code) => made.codeOf(ownValue(parseObject(dictionary.text(code)), key)));
  if (own?.codes && own.dictionary)
    lay(codes, own, (dictionary, code) => made.code(dictionary.type(code), dictionary.text(code)));
  return { codes, dictionary: made, numbers: own?.numbers ?? null, times: false };
}

/** A key that is called as the column of overflow lies in that, as others do that have no column of their own. */
function ownColumn(segment: Segment, kind: 'p' | 'u', key: string): FieldColumn | null {
  return key === OVERFLOW ? null : plainColumn(segment.column(`${kind}:${key}`));
}

/** The column if some value in it is an object, else null. */
function objectsOf(column: FieldColumn | null): FieldColumn | null {
  const dictionary = column?.dictionary;
  if (!dictionary || !column.codes) return null;
  for (let code = 1; code <= dictionary.size; code++) if (dictionary.type(code) === 'object') return column;
  return null;
}

function lay(
  codes: Uint32Array,
  from: FieldColumn,
  translate: (dictionary: ValueDictionary, code: number) => number,
): void {
  const { dictionary, codes: source } = from;
  if (!dictionary || !source) return;
  const table = new Int32Array(dictionary.size + 1).fill(-1);
  table[0] = 0;
  for (let row = 0; row < codes.length; row++) {
    const code = source[row]!;
    if (table[code] === -1) table[code] = translate(dictionary, code);
    if (table[code] !== 0) codes[row] = table[code]!;
  }
}

/** The overflow holds whole keys: the path itself, which wins over the head's object, or the path's head. */
function layOverflow(
  codes: Uint32Array,
  overflow: FieldColumn,
  at: { readonly path: string; readonly dot: number; readonly made: GrowingDictionary },
): void {
  const { path, dot, made } = at;
  lay(codes, overflow, (dictionary, code) => {
    const keys = parseObject(dictionary.text(code));
    if (Object.hasOwn(keys, path)) return made.codeOf(keys[path]);
    const inner = dot < 0 ? undefined : ownValue(keys, path.slice(0, dot));
    return isRecord(inner) ? made.codeOf(valueAt(inner, path.slice(dot + 1))) : 0;
  });
}

function ownValue(object: { readonly [key: string]: unknown }, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
