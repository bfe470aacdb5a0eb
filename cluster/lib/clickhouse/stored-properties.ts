import { compareCodePoints, readJson } from '../../../lib/seam.ts';

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
