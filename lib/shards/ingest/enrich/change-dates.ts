/**
 * When each property of a profile was last changed: a change that is older does not replace its value. As stored: '' if nothing has
 * a date, else JSON, an array with an entry for each property in the order of the profile's JSON, the first a time in milliseconds
 * and the others the differences to the date before, null where there is none, and then an object with the times of what was unset.
 */
import { parseStored } from '../../file/stored-bytes.ts';

/** Unset properties whose dates are kept, the latest: anyone may unset names without end. */
const MOST_UNSET = 256;

export class ChangeDates {
  readonly #dates = new Map<string, number>();
  readonly #unset = new Map<string, number>();
  readonly #undated: number;
  #unsetBytes = 0;

  /**
   * @param keys Of the profile, in the order of its JSON. @param stored As `text` made it.
   * @param undated The date of properties without one: when this began to be kept.
   */
  constructor(keys: readonly string[], stored: string, undated: number) {
    this.#undated = undated;
    if (stored === '') return;
    const entries = parseStored<readonly (number | null | Readonly<Record<string, number>>)[]>(stored);
    let last = 0;
    for (const [i, entry] of entries.entries()) {
      if (typeof entry === 'number') this.#dates.set(keys[i]!, (last += entry));
      else if (entry !== null) for (const [key, at] of Object.entries(entry)) this.#keepUnset(key, at);
    }
  }

  /** Bytes of the keys of what was unset. */
  get bytes(): number {
    return this.#unsetBytes;
  }

  /** Whether a change of a property may be made: not if it is older than the last. @param isSet Whether the property has a value. */
  allows(key: string, isSet: boolean, at: number | null): boolean {
    const last = isSet ? (this.#dates.get(key) ?? this.#undated) : (this.#unset.get(key) ?? -Infinity);
    return at === null || at >= last;
  }

  /** Dates a change that was made: by the latest, as some changes are made whatever their date. */
  set(key: string, wasSet: boolean, at: number | null): void {
    const last = (wasSet ? this.#dates.get(key) : this.#unset.get(key)) ?? -Infinity;
    this.#forgetUnset(key);
    if (at === null) this.#dates.delete(key);
    else this.#dates.set(key, Math.max(at, last));
  }

  unset(key: string, at: number | null): void {
    this.#dates.delete(key);
    this.#forgetUnset(key);
    if (at !== null) this.#keepUnset(key, at);
  }

  /** @param keys As in the constructor. */
  text(keys: readonly string[]): string {
    if (this.#dates.size === 0 && this.#unset.size === 0) return '';
    let last = 0;
    const entries = keys.map((key) => {
      const date = this.#dates.get(key);
      if (date === undefined) return null;
      const difference = date - last;
      last = date;
      return difference;
    });
    return JSON.stringify([...entries, Object.fromEntries(this.#unset)]);
  }

  /** Gives each of the keys that has no date one. */
  dateAll(keys: readonly string[], at: number): void {
    for (const key of keys) if (!this.#dates.has(key)) this.#dates.set(key, at);
  }

  #keepUnset(key: string, at: number): void {
    this.#unset.set(key, at);
    this.#unsetBytes += Buffer.byteLength(key);
    if (this.#unset.size <= MOST_UNSET) return;
    const [oldest] = [...this.#unset].reduce((least, entry) => (entry[1] < least[1] ? entry : least));
    this.#forgetUnset(oldest);
  }

  #forgetUnset(key: string): void {
    if (this.#unset.delete(key)) this.#unsetBytes -= Buffer.byteLength(key);
  }
}

/** The same dates for a place that has another date for what has none. `undated`: the date here, -Infinity if nothing is. */
export function allDated(
  keys: readonly string[],
  { dates, undated }: { readonly dates: string; readonly undated: number },
): string {
  if (undated === -Infinity) return dates;
  const all = new ChangeDates(keys, dates, undated);
  all.dateAll(keys, undated);
  return all.text(keys);
}
