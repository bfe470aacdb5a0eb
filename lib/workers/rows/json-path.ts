/** Paths into JSON values: `a.b` is the key "a.b", else the key "b" of the object at "a". */
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';

/**
 * The value at a path, undefined if there is none. Each level first tries the whole rest of the path as a key, then splits it at
 * its first dot; a key with the value null exists. Does not reach into arrays.
 */
export function valueAt(object: { readonly [key: string]: unknown }, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  const dot = path.indexOf('.');
  if (dot < 0) return undefined;
  const head = path.slice(0, dot);
  const inner = Object.hasOwn(object, head) ? object[head] : undefined;
  return isRecord(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** The object that a JSON text spells; empty for anything else. */
export function objectIn(text: string): { readonly [key: string]: unknown } {
  const value: unknown = readJson(text);
  return isRecord(value) ? value : {};
}
