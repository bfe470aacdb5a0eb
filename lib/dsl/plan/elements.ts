/** The elements of arrays, which are stored as compact JSON. */
import { readJson } from '../../base/text/read-json.ts';

/** The distinct texts of an array's elements, as groups print them, null for those that are null; of none, that it is missing. */
export function elementsOf(json: string): readonly (string | null)[] {
  const texts = new Set(valuesIn(json).map(textOf));
  return texts.size === 0 ? [null] : [...texts];
}

/** The values of an array. */
export function valuesIn(json: string): readonly unknown[] {
  const values: unknown = readJson(json);
  return Array.isArray(values) ? values : [];
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
