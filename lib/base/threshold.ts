/**
 * Input sizes at which the program changes its algorithm. Answers must not depend on them, and most tests are too small to reach
 * one: so all are registered here, and tests set them all to their least and their most.
 */

export interface Threshold {
  readonly name: string;
  /** Read it where it is used, not when the program starts. */
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
 * @param ends The extremes that still give right answers: 0 and Infinity unless a format or memory sets a bound.
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
