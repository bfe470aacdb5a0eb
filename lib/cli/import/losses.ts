/** What of the records has no place, by field. */
import { counted } from '../text.ts';
import type { Loss } from './format.ts';

/** Fields and reasons that are told apart. */
const MOST = 500;

export class Losses {
  readonly #counts = new Map<string, Loss & { records: number }>();
  #others = 0;

  add(lost: readonly Loss[]): void {
    for (const { field, why } of lost) {
      const key = `${field}\n${why}`;
      const known = this.#counts.get(key);
      if (known !== undefined) known.records++;
      else if (this.#counts.size < MOST) this.#counts.set(key, { field, why, records: 1 });
      else this.#others++;
    }
  }

  /** Most frequent first. */
  get rows(): readonly (Loss & { readonly records: number })[] {
    return [...this.#counts.values()].sort((a, b) => b.records - a.records);
  }

  *told(): Generator<string> {
    for (const { field, why, records } of this.rows)
      yield `not stored: ${field} of ${counted(records, 'record')}: ${why}`;
    if (this.#others > 0) yield `not stored: ${counted(this.#others, 'value')} of further fields`;
  }
}
