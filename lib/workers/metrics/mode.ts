/** The most frequent value, by text. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import type { Accumulator } from './accumulator.ts';
import { packUsed, type MetricPartial } from './metric-partial.ts';
import { mostFrequent } from './most-frequent.ts';
import { groupBySlot } from './numbers.ts';
import { forPairs } from './unique/pair-sets.ts';
import { countsBySlot } from './state-array.ts';
import { PairIds, type Pairs } from '../groups/pair-ids.ts';

export class ModeAccumulator implements Accumulator {
  readonly #ids: FieldIds;
  readonly #slots: Slots;
  readonly #context: RowContext;
  readonly #shared: (bucket: number) => boolean;
  /** Of slots and ids; includes those of id 0, which is missing. */
  #pairs: PairIds;
  /** By pair. */
  #counts;

  /** @param shared Whether another part may have rows in a bucket. */
  constructor(field: Field, slots: Slots, context: RowContext, shared: (bucket: number) => boolean) {
    this.#ids = new FieldIds(field, context);
    this.#slots = slots;
    this.#context = context;
    this.#shared = shared;
    this.#pairs = new PairIds(context);
    this.#counts = countsBySlot(context);
  }

  /** Plain form: `counts[slot(i), id(i)]++`. */
  add(scan: Scan): void {
    if (scan.selected().spans.length === 0) return;
    const ids = this.#ids.of(scan.rows, 0, scan.rows.rows);
    if (ids !== null) forPairs(scan, this.#slots, ids, (pairs) => this.#count(pairs));
  }

  #count(pairs: Pairs): void {
    this.#pairs.addAll(pairs, pairs.firsts);
    this.#counts.resize(this.#pairs.size);
    primitives.countCodes(pairs.firsts, 4, pairs.count, this.#counts.address, 0);
  }

  resize(): void {
    // Pairs are added as they appear.
  }

  remap(moved: Uint32Array): void {
    const [pairs, counts] = [this.#pairs, this.#counts];
    this.#pairs = new PairIds(this.#context);
    this.#counts = countsBySlot(this.#context);
    this.#counts.resize(pairs.size);
    for (let pair = 0; pair < pairs.size; pair++) {
      const slot = moved[pairs.first(pair)]!;
      if (slot !== NOWHERE) this.#counts.values[this.#pairs.id(slot, pairs.second(pair))] = counts.values[pair]!;
    }
    pairs.release();
    counts.release();
  }

  /** For groups that no other part has rows of, the winner is enough. */
  partial(slots: Uint32Array): MetricPartial {
    const groups = groupBySlot(slots);
    const pairs = this.#pairs;
    const countOf = (pair: number): number => (pairs.second(pair) === 0 ? 0 : this.#counts.values[pair]!);
    const groupOf = (slot: number): number => groups[slot]!;
    const counted = {
      size: pairs.size,
      first: (pair: number): number => pairs.first(pair),
      second: (pair: number): number => pairs.second(pair),
      count: countOf,
    };
    const compare = (a: number, b: number): number => this.#ids.compare(a, b);
    const best = mostFrequent({ pairs: counted, groups: slots.length, groupOf, compare });
    const open = this.#slots.buckets(slots).map((bucket) => (this.#shared(bucket) ? 1 : 0));
    const kept: number[] = [];
    for (let pair = 0; pair < pairs.size; pair++) {
      const group = groupOf(pairs.first(pair));
      if (best[group] === pair || (open[group] === 1 && countOf(pair) > 0)) kept.push(pair);
    }
    return {
      kind: 'mode',
      groups: Uint32Array.from(kept, (pair) => groupOf(pairs.first(pair))),
      counts: Float64Array.from(kept, countOf),
      ...packUsed(
        kept.map((pair) => pairs.second(pair)),
        (id) => this.#ids.text(id),
      ),
    };
  }
}
