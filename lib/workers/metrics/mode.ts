/** The most frequent value, by text. */
import type { Field } from '../../dsl/plan.ts';
import { wordsAt } from '../../primitives/memory.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import type { Accumulator } from './accumulator.ts';
import { packTexts, type MetricPartial } from './metric-partial.ts';
import { mostFrequent } from './most-frequent.ts';
import { groupBySlot } from './numbers.ts';
import { PairCounts } from './pair-counts.ts';
import { forPairs } from './pair-sets.ts';
import type { Pairs } from '../vectors/pair-ids.ts';

export class ModeAccumulator implements Accumulator {
  readonly #ids: FieldIds;
  readonly #slots: Slots;
  readonly #context: RowContext;
  readonly #shared: (bucket: number) => boolean;
  #counts: PairCounts;

  /** @param shared Whether another part may have rows of a bucket. */
  constructor(field: Field, slots: Slots, context: RowContext, shared: (bucket: number) => boolean) {
    this.#ids = new FieldIds(field, context);
    this.#slots = slots;
    this.#context = context;
    this.#shared = shared;
    this.#counts = new PairCounts(context.budget);
  }

  /** Plain form: `counts[slot(i), id(i)]++`, but for id 0, which is missing. */
  add(scan: Scan): void {
    if (scan.selected().spans.length === 0) return;
    const ids = this.#ids.of(scan.rows, 0, scan.rows.rows);
    if (ids !== null) forPairs(scan, this.#slots, ids, (pairs) => this.#count(pairs));
  }

  #count({ firsts, seconds, count }: Pairs): void {
    const [slots, ids] = [wordsAt(firsts, count), wordsAt(seconds, count)];
    for (let k = 0; k < count; k++) if (ids[k] !== 0) this.#counts.add(slots[k]!, ids[k]!, 1);
  }

  resize(): void {
    // Pairs are made as they appear.
  }

  remap(moved: Uint32Array): void {
    const old = this.#counts;
    this.#counts = new PairCounts(this.#context.budget);
    for (let pair = 0; pair < old.size; pair++) {
      const slot = moved[old.first(pair)]!;
      if (slot !== NOWHERE) this.#counts.add(slot, old.second(pair), old.count(pair));
    }
    old.release();
  }

  /** Of groups that no other part has rows of, the winner is all there is to say. */
  partial(slots: Uint32Array): MetricPartial {
    const groups = groupBySlot(slots);
    const counts = this.#counts;
    const groupOf = (slot: number): number => groups[slot]!;
    const best = mostFrequent({
      pairs: counts,
      groups: slots.length,
      groupOf,
      compare: (a, b) => this.#ids.compare(a, b),
    });
    const open = slots.map((slot) => (this.#shared(this.#slots.decode(slot).bucket) ? 1 : 0));
    const kept: number[] = [];
    for (let pair = 0; pair < counts.size; pair++) {
      const group = groupOf(counts.first(pair));
      if (open[group] === 1 || best[group] === pair) kept.push(pair);
    }
    return {
      kind: 'mode',
      groups: Uint32Array.from(kept, (pair) => groupOf(counts.first(pair))),
      counts: Float64Array.from(kept, (pair) => counts.count(pair)),
      ...this.#texts(kept),
    };
  }

  /** The texts of these pairs, each once, and which one each pair has. */
  #texts(pairs: readonly number[]): Pick<MetricPartial & { kind: 'mode' }, 'ids' | 'texts'> {
    const places = new Map<number, number>();
    const texts: string[] = [];
    const ids = Uint32Array.from(pairs, (pair) => {
      const id = this.#counts.second(pair);
      const known = places.get(id);
      if (known !== undefined) return known;
      places.set(id, texts.length);
      return texts.push(this.#ids.text(id) ?? '') - 1;
    });
    return { ids, texts: packTexts(texts) };
  }
}
