import { Lru } from '../../../base/lru.ts';

/** The function, which remembers its last results; not for texts longer than `keyLength` UTF-16 units: that bounds the memory. */
export function remembered<V extends object>(
  { entries, keyLength }: { readonly entries: number; readonly keyLength: number },
  make: (text: string) => V,
): (text: string) => V {
  const results = new Lru<string, V>(entries);
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (text.length <= keyLength) results.set(text, made);
    return made;
  };
}
