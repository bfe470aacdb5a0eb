/**
 * Paths in a piece whose rows are in the order of events: one walk over all rows from one start to the next, each of which opens
 * a path. Most rows are of persons who are on no path at the time, which one bit per person tells. Random lookups per row or
 * person miss the processor's cache, which costs more than all else: times are read only for starts, and within a few rows of
 * where a window ends.
 *
 * The loops are separate functions that use only arrays and numbers: that makes them twice as fast.
 */
import { Lease } from '../../../primitives/memory.ts';
import { idAt } from '../../groups/field-ids.ts';
import type { SourceRows } from '../../groups/source-rows.ts';
import type { Piece } from '../../rows/time-batches.ts';
import { arraysOf, passing, type PathRows, type PathRun, type PathSource } from './path-rows.ts';
import type { PathTable } from './path-table.ts';

/** Rows between two times that are read to find about where windows end. */
const SAMPLE = 64;
/** A window that reaches beyond the piece ends at none of its rows. */
const BEYOND = 0x7fffffff;

export class PathWalk {
  readonly #run: PathRun;
  readonly #table: PathTable;
  /** Windows of places before this one have ended. */
  #live = 0;

  constructor(run: PathRun, table: PathTable) {
    this.#run = run;
    this.#table = table;
  }

  /** Adds places for the persons of a piece that have none yet, in the order of their starts. */
  begin(piece: Piece<PathSource>): void {
    const { sign, plan, context } = this.#run;
    const rows = passing(piece, plan.event, context);
    if (rows.from === rows.to) return;
    const { labels, persons, times } = arraysOf(piece.source);
    const table = this.#table;
    const first = table.size;
    table.reserve(rows.to - rows.from);
    using lease = new Lease();
    mark(table, alongReading(persons, rows, sign, lease), rowsAlong(rows, sign));
    const { starts, edges, size } = table;
    for (let place = first; place < size; place++) edges[place] = times[starts[place]!]!;
    for (let place = first; place < size; place++) table.start(place, idAt(labels, starts[place]!));
  }

  /** Adds nodes after the starts of the piece (places from `first` on), and to paths that began before it. */
  follow(piece: Piece<PathSource>, first: number): void {
    const { sign, context } = this.#run;
    const rows = passing(piece, null, context);
    if (rows.from === rows.to) return;
    context.checkpoint();
    const { labels, persons, times } = arraysOf(piece.source);
    const limited = this.#setLimits(piece, times, first);
    const along = rowsAlong(rows, sign);
    using lease = new Lease();
    walk(this.#table, alongReading(persons, rows, sign, lease), stopsOf(this.#table, first, along, lease), {
      ...{ first, labels, persons, times, limited, along },
      offset: sign === 1 ? -piece.from : piece.to - 1,
    });
  }

  /**
   * Finds where in the piece the windows of places end: before `limits`, by less than SAMPLE rows. False if that would cost more
   * than it saves; then it is skipped.
   */
  #setLimits({ from, to }: Piece<PathSource>, times: Float64Array, first: number): boolean {
    const { edges, limits, persons, size } = this.#table;
    const { sign } = this.#run;
    const keyAt = (way: number): number => sign * times[sign === 1 ? from + way : to - 1 - way]!;
    const firstKey = keyAt(0);
    for (; this.#live < first && edges[this.#live]! < firstKey; this.#live++) this.#table.close(persons[this.#live]!);
    if (size - this.#live > to - from) return false;
    const samples = new Float64Array(Math.ceil((to - from) / SAMPLE));
    for (let n = 0; n < samples.length; n++) samples[n] = keyAt(n * SAMPLE);
    const lastKey = keyAt(to - from - 1);
    for (let place = this.#live, next = 0; place < size; place++) {
      const edge = edges[place]!;
      // Edges ascend, except those of persons who began where segments overlap.
      if (next > 0 && samples[next - 1]! > edge) next = 0;
      while (next < samples.length && samples[next]! <= edge) next++;
      limits[place] = edge >= lastKey ? BEYOND : next * SAMPLE;
    }
    return true;
  }
}

/** The nth row in reading order is `base + sign * n`, or the entry of the list at that index. */
interface Along {
  readonly list: Uint32Array | null;
  readonly base: number;
  readonly sign: 1 | -1;
}

function rowsAlong({ list, from, to }: SourceRows, sign: 1 | -1): Along {
  return { list, base: sign === 1 ? from : to - 1, sign };
}

/** The person of each row in reading order. A separate loop, whose reads wait for memory together. */
function alongReading(persons: Uint32Array, rows: SourceRows, sign: 1 | -1, lease: Lease): Uint32Array {
  const { from, to } = rows;
  if (rows.list === null && sign === 1) return persons.subarray(from, to);
  const { list, base } = rowsAlong(rows, sign);
  const who = lease.words(to - from);
  for (let n = 0; n < who.length; n++) who[n] = persons[list === null ? base + sign * n : list[base + sign * n]!]!;
  return who;
}

/** Plain form: `if (!begun[person]) { begun[person] = true; persons[size] = person; starts[size++] = row }`. */
function mark(table: PathTable, who: Uint32Array, { list, base, sign }: Along): void {
  const { begun, placeOf, persons, starts } = table;
  let { size } = table;
  for (let n = 0; n < who.length; n++) {
    const person = who[n]!;
    const word = begun[person >>> 5]!;
    const bit = 1 << (person & 31);
    // Always written, kept only if new: the place after the last is free.
    persons[size] = person;
    starts[size] = list === null ? base + sign * n : list[base + sign * n]!;
    if ((word & bit) !== 0) continue;
    begun[person >>> 5] = word | bit;
    placeOf[person] = size++;
  }
  table.size = size;
}

/** Where the starts of the piece are in reading order. */
function stopsOf({ starts, size }: PathTable, first: number, { list, base, sign }: Along, lease: Lease): Uint32Array {
  const stops = lease.words(size - first);
  for (let k = 0, n = 0; k < stops.length; k++) {
    const row = starts[first + k]!;
    if (list === null) n = sign * (row - base);
    else while (list[base + sign * n] !== row) n++;
    stops[k] = n;
  }
  return stops;
}

interface Nodes extends PathRows {
  readonly first: number;
  readonly along: Along;
  /** How far into the piece a row is: sign * row + offset. */
  readonly offset: number;
  /** Windows end at about `limits`; otherwise only `edges` tell. */
  readonly limited: boolean;
}

/** Plain form: `if (isStart(row)) open(person); else if (isOpen(person)) if (inWindow(row)) append(label); else close(person)`. */
function walk(table: PathTable, who: Uint32Array, stops: Uint32Array, nodes: Nodes): void {
  const { opened, placeOf, limits, edges } = table;
  const { labels, times, limited, offset } = nodes;
  const { list, base, sign } = nodes.along;
  let n = 0;
  for (let k = 0; k <= stops.length; k++) {
    const stop = k < stops.length ? stops[k]! : who.length;
    for (; n < stop; n++) {
      const person = who[n]!;
      // A branch, since it is hardly ever taken: persons do not stay on a path for long.
      if (((opened[person >>> 5]! >>> (person & 31)) & 1) === 0) continue;
      const place = placeOf[person]!;
      const row = list === null ? base + sign * n : list[base + sign * n]!;
      const way = sign * row + offset - limits[place]!;
      const isNear = !limited || (way > -SAMPLE && way < 0);
      if (isNear ? sign * times[row]! > edges[place]! : way >= 0) table.close(person);
      else table.append(place, person, idAt(labels, row));
    }
    if (k === stops.length) return;
    table.open(nodes.first + k);
    n++; // the event itself is already on the path
  }
}
