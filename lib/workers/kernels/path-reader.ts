/**
 * Reads paths out of the rows of a stretch of time: first the event that begins each person's path, then the nodes after it.
 * Most persons of a range are on no path, so that rows are sifted in blocks by one byte a person, without branches, and only
 * those of persons who are just then on one are looked at closely.
 */
import type { PathsPlan } from '../../dsl/plan.ts';
import { addDuration, fixedLength } from '../../dsl/time/duration.ts';
import { FieldIds, type RowIds } from '../groups/field-ids.ts';
import { positionsOf } from '../groups/positions.ts';
import { select } from '../groups/scan.ts';
import { filterExpression } from '../loops/expressions.ts';
import { packedLoop } from '../loops/packed.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { sourceRows } from '../rows/source-rows.ts';
import type { Piece } from '../rows/time-batches.ts';
import { filterOf, type Filter } from '../where/filter.ts';
import { isBefore, PathTable } from './path-table.ts';

/** What is read of a segment. */
export interface PathSource {
  readonly rows: EventRows;
  readonly filter: Filter;
  readonly labels: RowIds | null;
}

/** Rows between two looks at whose window has ended: a few hours of a busy project. */
const BLOCK = 8_192;
const CHECK_EVERY = 1 << 16;

export class PathReader {
  readonly table: PathTable;
  readonly labels: FieldIds;
  readonly #plan: PathsPlan;
  readonly #context: QueryContext;
  /** 1: time runs forward. -1: backward. */
  readonly #sign: 1 | -1;
  readonly #block = new Uint32Array(BLOCK + 1);
  /** Milliseconds of the window; null: it depends on the calendar. */
  readonly #window: number | null;
  /** The places before this one have been opened, and those before `#closed` closed. */
  #opened = 0;
  #closed = 0;

  constructor(plan: PathsPlan, context: QueryContext) {
    this.#plan = plan;
    this.#context = context;
    this.#sign = plan.direction === 'from' ? 1 : -1;
    this.#window = fixedLength(plan.window);
    // Ids that came after the last binding are persons too.
    const persons = Math.max(context.identity().size, context.reader.ids().size + 1);
    this.table = new PathTable(persons, plan.depth, context.budget);
    this.labels = new FieldIds(plan.label, context);
  }

  source(rows: EventRows, { from, to }: { readonly from: number; readonly to: number }): PathSource {
    const filter = filterOf(this.#plan.where, rows, this.#context);
    return { rows, filter, labels: this.labels.of(rows, from, to) };
  }

  /** The pieces of a batch; batches come in the direction of the plan. */
  read(pieces: readonly Piece<PathSource>[]): void {
    const first = this.table.size;
    const [only] = pieces;
    if (only !== undefined && pieces.length === 1) {
      this.#begin(only);
      if (this.#plan.depth > 1) this.#follow(only, first);
      return;
    }
    this.table.useKeys();
    for (const piece of pieces) this.#beginAmong(piece, first);
    this.#setEdges(first);
    if (this.#plan.depth === 1) return;
    this.#openUntil(this.table.size);
    for (const piece of pieces) this.#followAmong(piece, first);
  }

  /** The rows that may begin a path. */
  #starts({ source: { rows, filter }, from, to }: Piece<PathSource>): Uint32Array {
    const own = sourceRows(rows, { from, to }, { event: this.#plan.event, person: null }, this.#context);
    const { rows: list, spans } = select(positionsOf(rows, own.list, own, null), filter, this.#context);
    const [span] = spans;
    if (span === undefined) return new Uint32Array(0);
    if (list !== null) return list.subarray(span.from, span.to);
    const all = new Uint32Array(span.to - span.from);
    for (let i = 0; i < all.length; i++) all[i] = span.from + i;
    return all;
  }

  /** Places for the persons of a piece that have none yet. */
  #begin(piece: Piece<PathSource>): void {
    const { table } = this;
    const { rows } = piece.source;
    const starts = this.#starts(piece);
    if (starts.length === 0) return;
    const [persons, times] = [rows.persons(), rows.times()];
    const { placeOf } = table;
    const first = table.size;
    for (let k = 0; k < starts.length; k++) {
      if (k % CHECK_EVERY === 0) this.#context.checkpoint();
      const row = starts[this.#sign === 1 ? k : starts.length - 1 - k]!;
      const person = persons[row]!;
      if (person === 0 || placeOf[person] !== 0) continue;
      const place = table.add(person, row, labelOf(piece.source.labels, row));
      table.edges[place] = times[row]!;
    }
    this.#setEdges(first);
  }

  /** As `#begin`, where an event of another piece may come before. */
  #beginAmong(piece: Piece<PathSource>, first: number): void {
    const { table } = this;
    const { rows, labels } = piece.source;
    const [persons, times, arrivals] = [rows.persons(), rows.times(), rows.segment.arrivals()];
    const starts = this.#starts(piece);
    for (let k = 0; k < starts.length; k++) {
      if (k % CHECK_EVERY === 0) this.#context.checkpoint();
      const row = starts[k]!;
      const person = persons[row]!;
      if (person === 0) continue;
      let place = table.placeOf[person]! - 1;
      if (place >= 0 && place < first) continue;
      const [time, arrival] = [this.#sign * times[row]!, this.#sign * arrivals[row]!];
      if (place < 0) place = table.add(person, row, labelOf(labels, row));
      else if (!isBefore(time, arrival, table.times![place * table.stride]!, table.arrivals![place * table.stride]!)) continue; // prettier-ignore
      table.nodes[place * table.stride] = labelOf(labels, row);
      table.times![place * table.stride] = time;
      table.arrivals![place * table.stride] = arrival;
      table.edges[place] = times[row]!;
    }
  }

  /** From the times at which paths begin to the last keys inside their windows. */
  #setEdges(first: number): void {
    const { edges, size } = this.table;
    const { window, zone } = { window: this.#plan.window, zone: this.#context.zone };
    for (let place = first; place < size; place++) {
      if (place % CHECK_EVERY === 0) this.#context.checkpoint();
      const time = edges[place]!;
      edges[place] =
        this.#window === null
          ? this.#sign * addDuration(time, window, zone, this.#sign)
          : this.#sign * time + this.#window;
    }
  }

  /** Nodes of a piece whose rows stand in the order of events. */
  #follow({ source, from, to }: Piece<PathSource>, first: number): void {
    const persons = source.rows.persons();
    const times = source.rows.times();
    const sift = this.#sieve(source, persons);
    const forward = this.#sign === 1;
    for (let done = 0; done < to - from; done += BLOCK) {
      this.#context.checkpoint();
      const size = Math.min(BLOCK, to - from - done);
      const begin = forward ? from + done : to - done - size;
      this.#openBlock(first, forward ? begin + size : begin);
      this.#close(this.#sign * times[forward ? begin : begin + size - 1]!);
      if (this.#opened === this.#closed) continue;
      const found = sift(begin, begin + size);
      if (found > 0) this.#take({ source, persons, times }, found, first);
    }
    this.#openUntil(this.table.size);
  }

  /** Takes those of the sifted rows that are nodes. */
  #take(
    { source, persons, times }: { source: PathSource; persons: Uint32Array; times: Float64Array },
    found: number,
    first: number,
  ): void {
    const { table } = this;
    const { placeOf, edges, starts, lengths, open } = table;
    const [sign, block] = [this.#sign, this.#block];
    for (let k = 0; k < found; k++) {
      const row = block[sign === 1 ? k : found - 1 - k]!;
      const person = persons[row]!;
      const place = placeOf[person]! - 1;
      if (place >= first && sign * (row - starts[place]!) <= 0) continue;
      if (sign * times[row]! > edges[place]! || lengths[place]! >= table.depth) open[person] = 0;
      else table.append(place, labelOf(source.labels, row));
    }
  }

  /** Nodes of one of several pieces that overlap. */
  #followAmong({ source, from, to }: Piece<PathSource>, first: number): void {
    const { table } = this;
    const [persons, times, arrivals] = [source.rows.persons(), source.rows.times(), source.rows.segment.arrivals()];
    const sift = this.#sieve(source, persons);
    for (let begin = from; begin < to; begin += BLOCK) {
      this.#context.checkpoint();
      const found = sift(begin, Math.min(begin + BLOCK, to));
      for (let k = 0; k < found; k++) {
        const row = this.#block[k]!;
        const place = table.placeOf[persons[row]!]! - 1;
        const [time, arrival] = [this.#sign * times[row]!, this.#sign * arrivals[row]!];
        const base = place * table.stride;
        if (time > table.edges[place]!) continue;
        if (place >= first && !isBefore(table.times![base]!, table.arrivals![base]!, time, arrival)) continue;
        table.insert(place, labelOf(source.labels, row), time, arrival);
      }
    }
  }

  /**
   * Writes the rows of a block whose person is open into `#block`, and says how many there are.
   * Plain form: `if (open[persons[i]] && filter(i)) block[n++] = i`.
   */
  #sieve({ filter }: PathSource, persons: Uint32Array): (from: number, to: number) => number {
    const onPath: Filter = { kind: 'table', codes: persons, passes: this.table.open };
    const both: Filter = filter.kind === 'constant' ? onPath : { kind: 'and', terms: [onPath, filter] };
    if (filter.kind === 'constant' && filter.value === 0) return () => 0;
    const loop = packedLoop((inputs) => `out[n] = i; n += ${filterExpression(both, inputs)};`, null);
    return (from, to) => loop(this.#block, { from, to, a: 0, b: 0 });
  }

  /** Opens the places of this piece that begin before (`to`: at or after) the row. */
  #openBlock(first: number, row: number): void {
    const { starts, size } = this.table;
    let next = this.#opened;
    while (next < size && (next < first || (this.#sign === 1 ? starts[next]! < row : starts[next]! >= row))) next++;
    this.#openUntil(next);
  }

  #openUntil(end: number): void {
    const { persons, open } = this.table;
    for (; this.#opened < end; this.#opened++) open[persons[this.#opened]!] = 1;
  }

  /** Closes places whose window ends before the time, one after the other: one that ends late holds up those behind it. */
  #close(time: number): void {
    const { persons, open, edges } = this.table;
    for (; this.#closed < this.#opened && edges[this.#closed]! < time; this.#closed++) open[persons[this.#closed]!] = 0;
  }
}

function labelOf(labels: RowIds | null, row: number): number {
  if (labels === null) return 0;
  const code = labels.codes[row]!;
  return labels.table === null ? code : labels.table[code]!;
}
