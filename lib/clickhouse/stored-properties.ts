import { compareCodePoints } from '../dsl/plan/value.ts';
import type { StoredValue } from '../shards/event.ts';

/** The properties of an event, each with the type that it was sent with, of the maps of their texts and types, by key. */
export function storedProperties(texts: unknown, types: unknown): { readonly [key: string]: unknown } {
  const typed = new Set(entriesOf(types).map(([key]) => key));
  const values = entriesOf(texts).map(([key, text]): [string, unknown] => {
    return [key, typed.has(key) ? (JSON.parse(String(text)) as unknown) : text];
  });
  return Object.fromEntries(values.sort(([a], [b]) => compareCodePoints(a, b)));
}

const entriesOf = (map: unknown): [string, unknown][] =>
  typeof map === 'object' && map !== null ? Object.entries(map) : [];

/** A JSON value as events keep it. */
export function storedValue(value: unknown): StoredValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return { type: 'string', text: value };
  if (value === null) return { type: 'null', text: '' };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return { type: Array.isArray(value) ? 'array' : 'object', text: JSON.stringify(value) };
}
