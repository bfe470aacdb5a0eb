/** How many rows. */
import { primitives, Scratch, wordsAt, addressOfArray, give, take } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import { countSelected } from '../groups/select.ts';
import type { RowSpan } from '../groups/positions.ts';
import type { Slots } from '../groups/slots.ts';
import { Vectors } from '../groups/vectors.ts';
import type { Accumulator } from './metric-state.ts';
import type { MetricPartial } from './metric-partial.ts';
import { countsBySlot, usedPlaces, type SlotState, type StateOwner } from './state-array.ts';
import { threshold } from '../../base/threshold.ts';
import { largestOf, codeSize } from '../../primitives/columns.ts';
import type { CodeArray } from '../rows/field-column.ts';

/** Slots of a bucket up to which four rows are counted apart: adding to one place four times in a row stalls each time. */
const MAX_APART = 4_096;
/** Rows per slot from which this pays off. */
const ROWS_PER_SLOT = threshold('rows a slot counted apart', 16);

export class CountAccumulator implements Accumulator {
  readonly states;
  readonly #counts: SlotState<Uint32Array>;
  readonly #memory: StateOwner['memory'];

  constructor(owner: StateOwner) {
    this.#memory = owner.memory;
    this.#counts = countsBySlot(owner);
    this.states = [this.#counts];
  }

  /** The slots that have rows, ascending. */
  used(): Uint32Array {
    return usedPlaces(this.#counts.values, this.#memory);
  }

  /** Adds rows known to be in a slot. */
  addTo(slot: number, rows: number): void {
    this.#counts.values[slot]! += rows;
  }

  /** Filters and finds slots in one pass. Plain form: `if (filter(i)) counts[base + slot(i)]++`. */
  add(scan: Scan, slots: Slots): void {
    const { filter, positions } = scan;
    if (filter.kind === 'constant' && filter.value === 0) return;
    if (scan.slots.length === 0) {
      countSelected(positions, filter, scan.context, (bucket, rows) => this.addTo(slots.base(bucket), rows));
      return;
    }
    const vectors = new Vectors(positions.rows, scan.context);
    for (const span of positions.spans) this.#addSpan(vectors, span, scan, slots);
    vectors.end();
  }

  partial(slots: Uint32Array): MetricPartial {
    return { kind: 'count', counts: this.#counts.pick(slots) };
  }

  #addSpan(vectors: Vectors, { bucket, from, to }: RowSpan, scan: Scan, slots: Slots): void {
    const { perBucket } = slots;
    const base = this.#counts.address + slots.base(bucket) * 4;
    const apart = perBucket !== null && perBucket <= MAX_APART && to - from >= perBucket * ROWS_PER_SLOT.value;
    const out = apart ? zeroes(perBucket * 4) : base;
    const step = apart ? perBucket : 0;
    vectors.each(from, to, () => {
      const mask = scan.filter.kind === 'constant' ? null : vectors.mask(scan.filter);
      const { address, size } = vectors.slotCodes(scan.slots);
      if (mask === null) primitives.countCodes(address, size, vectors.count, out, step);
      else primitives.countMasked(address, size, mask, vectors.count, out, step);
    });
    if (apart) primitives.sumApart(out, perBucket, base);
  }
}

const rooms = { apart: new Scratch(), codes: new Scratch() };

/** The address of zeroed words, valid until the next call. */
function zeroes(words: number): number {
  const address = rooms.apart.of(words * 4);
  wordsAt(address, words).fill(0);
  return address;
}

/** Which slots have rows, when nobody asks how many: what a whole column contains is known after one look. */
export class PresenceAccumulator extends CountAccumulator {
  override add(scan: Scan, slots: Slots): void {
    const { filter, positions, rows } = scan;
    const [span] = positions.spans;
    const [part] = scan.slots;
    const isWhole = positions.rows === null && span?.from === 0 && span.to === rows.rows;
    if (!isWhole || part === undefined || scan.slots.length > 1 || filter.kind !== 'constant' || filter.value === 0) {
      super.add(scan, slots);
      return;
    }
    const base = slots.base(span.bucket);
    for (const code of codesIn(part.codes)) this.addTo(base + (part.table === null ? code : part.table[code]!), 1);
  }
}

const known = new WeakMap<CodeArray, Uint32Array>();

/** The codes that some row has. Columns do not change, so it is cached with the array. */
function codesIn(codes: CodeArray): Uint32Array {
  let found = known.get(codes);
  if (found === undefined) {
    const end = largestOf(codes) + 1;
    const counts = take(end * 4);
    const rows = wordsAt(counts, end).fill(0);
    primitives.countCodes(addressOfArray(codes, rooms.codes), codeSize(codes), codes.length, counts, 0);
    found = Uint32Array.from(rows.keys().filter((code) => rows[code]! > 0));
    give(counts);
    known.set(codes, found);
  }
  return found;
}
