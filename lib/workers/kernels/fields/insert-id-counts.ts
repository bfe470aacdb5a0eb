/**
 * How many rows have each insert id. Nearly every row has its own, and most are numbers: these are kept as 64-bit numbers and
 * sorted, which takes a twentieth of the time and memory of a table of texts.
 */
import { INSERT_HEX, INSERT_MADE, type InsertIdColumn } from '../../../shards/shard-reader.ts';
import { rowsIn, type Positions } from '../../groups/positions.ts';
import { blocksOf } from '../../groups/select.ts';
import type { QueryContext } from '../../query-context.ts';
import type { TopTexts } from './top-texts.ts';
import { ENTRY_BYTES } from '../../budget.ts';

const MADE_TEXT = /^evt_([0-9a-f]{8})([0-9a-f]{8})$/;

export class InsertIdCounts {
  readonly #context: QueryContext;
  readonly #made: NumberList;
  readonly #hex: NumberList;
  readonly #texts = new Map<string, number>();

  constructor(context: QueryContext) {
    this.#context = context;
    this.#made = new NumberList(context);
    this.#hex = new NumberList(context);
  }

  add(ids: InsertIdColumn, { rows, spans }: Positions): void {
    const { kinds, low, high } = ids;
    const total = rowsIn(spans);
    this.#made.makeRoom(total);
    this.#hex.makeRoom(total);
    for (const span of spans) {
      for (const { from, to } of blocksOf(span.from, span.to)) {
        this.#context.checkpoint();
        for (let k = from; k < to; k++) {
          const row = rows === null ? k : rows[k]!;
          const kind = kinds[row]!;
          if (kind === INSERT_MADE) this.#made.add(low[row]!, high[row]!);
          else if (kind === INSERT_HEX) this.#hex.add(low[row]!, high[row]!);
          else this.#addText(ids.text(row));
        }
      }
    }
  }

  /** Offers all ids; returns how many there are. */
  offer(texts: TopTexts): number {
    for (const [text, count] of this.#texts) texts.offer(count, () => text);
    return this.#texts.size + this.#made.offer(texts, 'evt_') + this.#hex.offer(texts, '');
  }

  /** A client may send an id that looks like one of ours. */
  #addText(text: string): void {
    const [, high, low] = MADE_TEXT.exec(text) ?? [];
    if (high !== undefined && low !== undefined) {
      this.#made.makeRoom(1);
      this.#made.add(parseInt(low, 16), parseInt(high, 16));
      return;
    }
    const count = this.#texts.get(text) ?? 0;
    if (count === 0) this.#context.budget.take(ENTRY_BYTES + text.length);
    this.#texts.set(text, count + 1);
  }
}

/** 64-bit numbers as pairs of words, the lower one first: the layout of BigUint64Array, whose sort is native. */
class NumberList {
  readonly #context: QueryContext;
  #words = new Uint32Array(0);
  #length = 0;

  constructor(context: QueryContext) {
    this.#context = context;
  }

  makeRoom(more: number): void {
    const needed = (this.#length + more) * 2;
    if (needed <= this.#words.length) return;
    const larger = Math.max(needed, this.#words.length * 2);
    this.#context.budget.take((larger - this.#words.length) * 4);
    const words = new Uint32Array(larger);
    words.set(this.#words);
    this.#words = words;
  }

  add(low: number, high: number): void {
    const at = this.#length++ * 2;
    this.#words[at] = low;
    this.#words[at + 1] = high;
  }

  /** Numbers are in the order of their texts, which all have the same length. */
  offer(texts: TopTexts, prefix: string): number {
    new BigUint64Array(this.#words.buffer, 0, this.#length).sort();
    const words = this.#words;
    const ascending = texts.ascending();
    let distinct = 0;
    for (let from = 0, to = 0; from < this.#length; from = to) {
      const low = words[from * 2]!;
      const high = words[from * 2 + 1]!;
      do to++;
      while (to < this.#length && words[to * 2] === low && words[to * 2 + 1] === high);
      ascending.offer(to - from, () => prefix + hex(high) + hex(low));
      distinct++;
    }
    return distinct;
  }
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
