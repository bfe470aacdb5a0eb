/**
 * Takes segments one by one and returns stretches of time: batches that follow each other in time, so that what depends on the
 * order of events reads each once. If segments do not overlap, a batch is one piece, already in the order of events.
 */
import type { TimeRange } from '../../dsl/time/units.ts';
import type { EventRows } from './event-rows.ts';
import type { RowRange } from './row-set.ts';

/** Rows of one segment, never empty. */
export interface Piece<S> extends RowRange {
  readonly source: S;
}

/**
 * `oldest`: segments come by first time ascending and batches go forward in time. `newest`: by last time descending, and batches
 * go backward. No two batches share a millisecond; pieces of one batch may overlap, each with its rows in order.
 * @typeParam S What is kept of a segment while its rows wait.
 */
export class TimeBatches<S extends { readonly rows: EventRows }> {
  readonly #order: 'oldest' | 'newest';
  readonly #range: TimeRange;
  readonly #use: (pieces: readonly Piece<S>[]) => void;
  #pending: readonly Piece<S>[] = [];

  constructor(order: 'oldest' | 'newest', range: TimeRange, use: (pieces: readonly Piece<S>[]) => void) {
    this.#order = order;
    this.#range = range;
    this.#use = use;
  }

  /** Adds the rows `from` to `to - 1` of a segment. Passes on what no later segment can reach into. */
  add(source: S, { from, to }: RowRange): void {
    if (from >= to) return;
    const piece = { source, from, to };
    this.#flush(this.#order === 'oldest' ? this.#firstOf(piece) : this.#lastOf(piece));
    this.#pending = [...this.#pending, piece];
  }

  /** No more segments come. */
  end(): void {
    this.#flush(this.#order === 'oldest' ? Infinity : -Infinity);
  }

  /** Passes on the rows before (`newest`: after) `until`, cut wherever a segment ends, so that few pieces overlap. */
  #flush(until: number): void {
    for (let cut = this.#nextCut(until); ; cut = this.#nextCut(until)) {
      const split = this.#pending.map((piece) => this.#split(piece, cut));
      const pieces = split.flatMap(({ now }) => (now.from < now.to ? [now] : []));
      this.#pending = split.flatMap(({ later }) => (later.from < later.to ? [later] : []));
      if (pieces.length > 0) this.#use(pieces);
      if (cut === until || this.#pending.length === 0) return;
    }
  }

  /** Rows before this cut (`newest`: after it) are passed on now. */
  #nextCut(until: number): number {
    const ends = this.#pending.map((piece) =>
      this.#order === 'oldest' ? this.#lastOf(piece) + 1 : this.#firstOf(piece) - 1,
    );
    return this.#order === 'oldest' ? Math.min(until, ...ends) : Math.max(until, ...ends);
  }

  #split({ source, from, to }: Piece<S>, cut: number): { readonly now: Piece<S>; readonly later: Piece<S> } {
    if (this.#order === 'oldest') {
      const at = Math.min(Math.max(source.rows.rowAt(cut), from), to);
      return { now: { source, from, to: at }, later: { source, from: at, to } };
    }
    const at = Math.min(Math.max(source.rows.rowAt(cut + 1), from), to);
    return { now: { source, from: at, to }, later: { source, from, to: at } };
  }

  /** A time at or before the first row's, found without reading times. */
  #firstOf({ source, from }: Piece<S>): number {
    return from === 0 ? source.rows.segment.first : Math.max(source.rows.segment.first, this.#range.from);
  }

  #lastOf({ source, to }: Piece<S>): number {
    const { last } = source.rows.segment;
    return to === source.rows.rows ? last : Math.min(last, this.#range.to - 1);
  }
}
