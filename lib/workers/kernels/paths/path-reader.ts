/** Reads paths from stretches of time: the events that begin them, then all rows again for the nodes that follow. */
import type { PathsPlan } from '../../../dsl/plan/plan.ts';
import { addDuration, fixedLength } from '../../../dsl/time/duration.ts';
import { FieldIds, idAt } from '../../groups/field-ids.ts';
import { rowsFrom } from '../../groups/positions.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { Piece } from '../../rows/time-batches.ts';
import { filterOf } from '../../where/filter.ts';
import { arraysOf, passing, type PathRun, type PathSource } from './path-rows.ts';
import { isBefore, PathTable } from './path-table.ts';
import { PathWalk } from './path-walk.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export class PathReader {
  readonly table: PathTable;
  readonly labels: FieldIds;
  readonly #run: PathRun;
  readonly #walk: PathWalk;

  constructor(plan: PathsPlan, context: QueryContext) {
    // Ids added after the last binding are persons too.
    const persons = Math.max(context.identity().size, context.reader.ids().size + 1);
    this.table = new PathTable(persons, { depth: plan.depth, anchored: plan.people !== undefined }, context);
    this.labels = new FieldIds({ field: plan.label }, context, { keeps: true });
    this.#run = { plan, context, sign: plan.direction === 'from' ? 1 : -1 };
    this.#walk = new PathWalk(this.#run, this.table);
  }

  source(rows: EventRows, range: RowRange): PathSource {
    const { plan, context } = this.#run;
    return { rows, filter: filterOf(plan.where, rows, context), labels: this.labels.of(rows, rowsFrom(range)) };
  }

  /** Reads the pieces of a batch; batches come in the direction of the plan. */
  read(pieces: readonly Piece<PathSource>[]): void {
    const { table } = this;
    const first = table.size;
    const [only] = pieces;
    const alone = only !== undefined && pieces.length === 1 ? only : null;
    if (alone !== null) {
      this.#walk.begin(alone);
    } else {
      table.useKeys();
      for (const piece of pieces) beginAmong(piece, { table, run: this.#run, first });
    }
    this.#setEdges(first);
    if (table.depth === 1) return;
    if (alone !== null) {
      this.#walk.follow(alone, first);
    } else {
      for (let place = first; place < table.size; place++) table.open(place);
      for (const piece of pieces) followAmong(piece, { table, run: this.#run, first });
    }
  }

  /** Turns the times at which paths begin into the last keys inside their windows. */
  #setEdges(first: number): void {
    const { anchors, edges, size } = this.table;
    const { plan, context, sign } = this.#run;
    const length = fixedLength(plan.window);
    for (let place = first; place < size; place++) {
      if (place % CHECK_EVERY === 0) context.checkpoint();
      const time = edges[place]!;
      if (anchors !== null) anchors[place] = time;
      edges[place] =
        sign * (length === null ? addDuration(time, plan.window, context.zone, sign) : time + sign * length);
    }
  }
}

// Where segments overlap, events come out of order, and nodes are inserted where they belong.

/** Places from `first` on began in this stretch. */
interface Stretch {
  readonly table: PathTable;
  readonly run: PathRun;
  readonly first: number;
}

/** Adds places for the persons of a piece; an event in a later piece may still precede theirs. */
function beginAmong(piece: Piece<PathSource>, { table, run, first }: Stretch): void {
  const { list, from, to } = passing(piece, run.plan.event, run.context);
  if (from === to) return;
  const { labels, persons, times } = arraysOf(piece.source);
  const arrivals = piece.source.rows.segment.arrivals();
  table.reserve(to - from);
  for (let k = from; k < to; k++) {
    if (k % CHECK_EVERY === 0) run.context.checkpoint();
    const row = list === null ? k : list[k]!;
    const person = persons[row]!;
    if (person === 0) continue;
    const isNew = !table.hasBegun(person);
    const place = isNew ? table.add(person) : table.placeOf[person]!;
    if (place < first) continue;
    const [time, arrival] = [run.sign * times[row]!, run.sign * arrivals[row]!];
    const node = place * table.stride + 1;
    if (!isNew && !isBefore(time, arrival, table.times![node]!, table.arrivals![node]!)) continue;
    table.start(place, idAt(labels, row));
    table.edges[place] = times[row]!;
    table.times![node] = time;
    table.arrivals![node] = arrival;
  }
}

/** Adds the nodes of a piece. */
function followAmong(piece: Piece<PathSource>, { table, run, first }: Stretch): void {
  const { list, from, to } = passing(piece, null, run.context);
  if (from === to) return;
  const { labels, persons, times } = arraysOf(piece.source);
  const arrivals = piece.source.rows.segment.arrivals();
  for (let k = from; k < to; k++) {
    if (k % CHECK_EVERY === 0) run.context.checkpoint();
    const row = list === null ? k : list[k]!;
    const person = persons[row]!;
    if (!table.isOpen(person)) continue;
    const place = table.placeOf[person]!;
    const [time, arrival] = [run.sign * times[row]!, run.sign * arrivals[row]!];
    const start = place * table.stride + 1;
    if (time > table.edges[place]!) continue;
    if (place >= first && !isBefore(table.times![start]!, table.arrivals![start]!, time, arrival)) continue;
    table.insert(place, idAt(labels, row), time, arrival);
  }
}
