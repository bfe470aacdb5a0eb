import type { StoredValue } from '../../shards/event.ts';

/** A JSON value as events keep it. */
export function storedValue(value: unknown): StoredValue {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return { type: 'string', text: value };
  if (value === null) return { type: 'null', text: '' };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  return { type: Array.isArray(value) ? 'array' : 'object', text: JSON.stringify(value) };
}
