/**
 * A property by its path. At each level the whole rest of the path is tried as a key first, then split at its first dot. This is
 * the only place that knows how properties are stored.
 */
import type { PropertyMap } from '../schema.ts';
import { name, sql, type Sql, text, texts } from './statement.ts';
import { asJavaScript, isOneNumber, isOneOf, jsonValue, type Value } from './values.ts';
import { compareCodePoints, readJson } from '../../../../lib/seam.ts';

/** Of an event, or what it sent of its user. */
export type PropertySet = 'event' | 'user';

interface Maps {
  /** The text of each value; NULL of one that is null. */
  readonly texts: Sql;
  /** The number that a value is or spells. */
  readonly numbers: Sql;
  /** The types of values that are no strings. */
  readonly types: Sql;
}

export const MAPS: Readonly<Record<PropertySet, Maps>> = {
  event: mapsOf('event_text', 'event_number', 'event_types'),
  user: mapsOf('user_text', 'user_number', 'user_types'),
};

/** Takes what is read of the maps, and gives the column that will have it. */
type PickColumn = (expression: Sql) => Sql;

export function propertyValue(set: PropertySet, path: string, pick: PickColumn = (expression) => expression): Value {
  const value = keyValue(set, path, pick);
  const dot = path.indexOf('.');
  if (dot < 0) return value;
  const inner = jsonValue(pick(jsonAt(objectAt(set, path.slice(0, dot)), path.slice(dot + 1))));
  const own = pick(sql`mapContains(${MAPS[set].texts}, ${text(path)})`);
  const choose = (ours: Sql, theirs: Sql): Sql => sql`if(${own}, ${ours}, ${theirs})`;
  const written = choose(value.text, inner.text);
  return {
    text: written,
    number: choose(value.number, inner.number),
    present: choose(value.present, inner.present),
    exists: choose(value.exists, inner.exists),
    json: choose(value.json, inner.json),
    isText: (wanted) => choose(value.isText(wanted), inner.isText(wanted)),
    isNumber: (wanted) => choose(value.isNumber(wanted), inner.isNumber(wanted)),
    group: { key: written, kind: 'text' },
  };
}

/** The JSON text of what lies at a path of an object; '' where nothing does. @param object As JSON text. */
export function jsonAt(object: Sql, path: string): Sql {
  if (!path.includes('.')) return sql`JSONExtractRaw(${readable(object)}, ${text(path)})`;
  const levels = levelsOf(path);
  const [rests, heads] = [texts(levels.map(({ rest }) => rest)), texts(levels.map(({ head }) => head))];
  const step = sql`multiIf(at.1 = '', at, JSONHas(at.1, rest), ('', JSONExtractRaw(at.1, rest)), (JSONExtractRaw(at.1, head), ''))`;
  return sql`tupleElement(arrayFold((at, rest, head) -> ${step}, ${rests}, ${heads}, (${readable(object)}, '')), 2)`;
}

/**
 * ClickHouse reads nothing of an object with a whole number of more than 64 bits, unless it has a fraction. The digits of such a
 * number are looked for first, since that is quicker.
 */
export function readable(object: Sql): Sql {
  const tokens = sql`extractAll(${object}, '"(?:[^"\\\\\\\\]|\\\\\\\\.)*"|-?[0-9][0-9.eE+-]*|[^"0-9-]+')`;
  const widened = sql`arrayMap(token -> if(match(token, '^-?[0-9]{19,21}$'), concat(token, '.0'), token), ${tokens})`;
  const isFar = sql`match(${object}, '[:,[]-?[0-9]{19}') AND NOT isValidJSON(${object})`;
  return sql`if(${isFar}, arrayStringConcat(${widened}), ${object})`;
}

/** At each level of a path what is tried as one key, and what comes before its first dot. */
function levelsOf(path: string): { readonly rest: string; readonly head: string }[] {
  const levels = [];
  // Objects have 32 levels at most, so what a longer path names is not there.
  for (let rest = path, dot = 0; dot >= 0 && levels.length < 33; rest = rest.slice(dot + 1)) {
    dot = rest.indexOf('.');
    levels.push({ rest, head: dot < 0 ? rest : rest.slice(0, dot) });
  }
  return levels;
}

/** The JSON text of a property that is an object; '' of others. */
function objectAt(set: PropertySet, key: string): Sql {
  const { texts, types } = MAPS[set];
  return sql`if(${types}[${text(key)}] = 'object', assumeNotNull(${texts}[${text(key)}]), '')`;
}

/** ClickHouse reads one key of a map without the others, but not the empty one, for which it finds nothing then. */
function elementAt(map: Sql, key: string): Sql {
  return key === '' ? sql`mapValues(${map})[indexOf(mapKeys(${map}), '')]` : sql`${map}[${text(key)}]`;
}

function keyValue(set: PropertySet, key: string, pick: PickColumn): Value {
  const { texts, numbers, types } = MAPS[set];
  const [written, number] = [pick(elementAt(texts, key)), pick(elementAt(numbers, key))];
  const plain = sql`ifNull(${written}, '')`;
  return {
    text: written,
    number,
    present: sql`${written} IS NOT NULL`,
    exists: sql`${plain} != ''`,
    json: sql`if(${pick(elementAt(types, key))} = 'string', toJSONString(${written}), ${written})`,
    isText: (wanted) => (wanted.includes('') ? sql`ifNull(${isOneOf(written, wanted)}, 0)` : isOneOf(plain, wanted)),
    isNumber: (wanted) => isOneNumber(number, wanted),
    group: { key: written, kind: 'text' },
  };
}

function mapsOf(texts: PropertyMap, numbers: PropertyMap, types: PropertyMap): Maps {
  return { texts: name(texts), numbers: name(numbers), types: name(types) };
}

/** All properties of an event as one JSON text, as JavaScript writes the cell of an answer: what a list is sorted by. */
export function propertiesText(set: PropertySet): Sql {
  const { texts, types } = MAPS[set];
  const value = sql`if(${types}[k] = 'string' AND ${texts}[k] IS NOT NULL, ${jsonString(sql`assumeNotNull(${texts}[k])`)}, ifNull(${texts}[k], 'null'))`;
  const pairs = sql`arrayMap(k -> concat(${jsonString(sql`k`)}, ':', ${value}), arraySort(k -> (${place}, k), mapKeys(${texts})))`;
  return sql`concat('{', arrayStringConcat(${pairs}, ','), '}')`;
}

/** JavaScript puts keys that are indexes of arrays first, by size; the others follow in the order of their code points. */
const place = sql`if(match(k, '^(0|[1-9][0-9]{0,9})$') AND toUInt64(k) < 4294967295, toUInt64(k), 4294967295)`;

/** A text in quotes. */
const jsonString = (plain: Sql): Sql => asJavaScript(sql`toJSONString(${plain})`);

/** The properties of an event, each with the type that it was sent with, of the maps of their texts and types, by key. */
export function storedProperties(texts: unknown, types: unknown): { readonly [key: string]: unknown } {
  const typed = new Set(entriesOf(types).map(([key]) => key));
  const values = entriesOf(texts).map(([key, text]): [string, unknown] => {
    return [key, typed.has(key) ? (readJson(String(text)) as unknown) : text];
  });
  return Object.fromEntries(values.sort(([a], [b]) => compareCodePoints(a, b)));
}

const entriesOf = (map: unknown): [string, unknown][] =>
  typeof map === 'object' && map !== null ? Object.entries(map) : [];
