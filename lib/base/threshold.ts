/**
 * Where the program changes its algorithm with the size of what it works on. Answers must not depend on it, and most tests
 * are too small to get past a limit: so every one is registered here, and tests set all of them to their least and their most.
 */

export interface Threshold {
  readonly name: string;
  /** Read it where it is used, not at the start of the program. */
  readonly value: number;
}

export type End = 'usual' | 'least' | 'most';

interface Registered extends Record<End, number> {
  readonly name: string;
  value: number;
}

const registered = new Map<string, Registered>();

/**
 * @param name What is compared: `percentile.values`.
 * @param usual The limit in the product.
 * @param ends What it may be at the ends without a wrong answer: 0 and Infinity unless a format or memory sets a bound.
 */
export function threshold(
  name: string,
  usual: number,
  { least = 0, most = Infinity }: { readonly least?: number; readonly most?: number } = {},
): Threshold {
  if (registered.has(name)) throw new Error(`two thresholds are called ${name}`);
  const made: Registered = { name, value: usual, usual, least, most };
  registered.set(name, made);
  return made;
}

/** For tests: sets all of them, or those named, in this thread. */
export function setThresholds(end: End, names: readonly string[] = [...registered.keys()]): void {
  for (const name of names) {
    const found = registered.get(name);
    if (found === undefined) throw new Error(`no threshold is called ${name}`);
    found.value = found[end];
  }
}
