/** Paths in a stretch of time where segments overlap: events come out of order, and nodes are inserted where they belong. */
import { idAt } from '../../groups/field-ids.ts';
import type { Piece } from '../../rows/time-batches.ts';
import { arraysOf, passing, type PathRun, type PathSource } from './path-rows.ts';
import { isBefore, type PathTable } from './path-table.ts';

/** Places from `first` on began in this stretch. */
interface Stretch {
  readonly table: PathTable;
  readonly run: PathRun;
  readonly first: number;
}

const CHECK_EVERY = 1 << 16;

/** Adds places for the persons of a piece; an event in a later piece may still precede theirs. */
export function beginAmong(piece: Piece<PathSource>, { table, run, first }: Stretch): void {
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
export function followAmong(piece: Piece<PathSource>, { table, run, first }: Stretch): void {
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
