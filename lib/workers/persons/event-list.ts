/** Events as person and time, in the order in which rows come: what a person's course is put together from. */
import type { EventName } from '../../dsl/plan.ts';
import type { Positions } from '../groups/positions.ts';
import { LoopInputs } from '../loops/generate.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../rows/row-set.ts';
import { runLoop } from './person-loop.ts';
import { typeEvents } from './type-events.ts';

/** The events of one segment end where the next one's begin; `first` is the segment's first time. */
export interface EventRun {
  readonly first: number;
  readonly end: number;
}

/** Plain data that crosses threads. Events of nobody are left out. */
export interface PersonEvents {
  readonly persons: Uint32Array<ArrayBuffer>;
  readonly times: Float64Array<ArrayBuffer>;
  /** Where the order of events of one millisecond is asked. */
  readonly arrivals: Float64Array<ArrayBuffer> | null;
  readonly labels: Uint32Array<ArrayBuffer> | null;
  readonly runs: readonly EventRun[];
}

export interface EventListOptions {
  readonly arrivals: boolean;
  readonly labels: boolean;
}

/** What came of one segment: views, or arrays that may be longer. */
interface Piece {
  readonly first: number;
  readonly length: number;
  readonly persons: Uint32Array;
  readonly times: Float64Array;
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

export class EventList {
  readonly #options: EventListOptions;
  readonly #context: QueryContext;
  readonly #pieces: Piece[] = [];

  constructor(options: EventListOptions, context: QueryContext) {
    this.#options = options;
    this.#context = context;
  }

  /** Adds all events of a name between two times, where neither arrivals nor labels are asked: they are kept ready. */
  addType(rows: EventRows, event: EventName, from: number, to: number): boolean {
    const { arrivals, labels } = this.#options;
    const code = event === null ? 0 : this.#context.reader.eventTypes().find(event);
    if (arrivals || labels || code === 0) return false;
    const { persons, times } = typeEvents(rows.segment, code, this.#context.identity());
    const [start, end] = [lowerBound(times, from), lowerBound(times, to)];
    this.#push({
      first: rows.segment.first,
      length: end - start,
      persons: persons.subarray(start, end),
      times: times.subarray(start, end),
      arrivals: null,
      labels: null,
    });
    return true;
  }

  /**
   * Plain form: `const p = persons[i]; if (p !== 0) { person[n] = p; time[n] = times[i]; …; n++ }`.
   * @param labels By place, where events are labelled.
   */
  add(rows: EventRows, { rows: list, spans }: Positions, labels: Uint32Array | null): void {
    const room = spans.reduce((sum, { from, to }) => sum + to - from, 0) + 1; // the loop also writes where the next would stand
    if (room === 1) return;
    this.#context.budget.take(room * bytesPerEvent(this.#options));
    const piece = {
      first: rows.segment.first,
      persons: new Uint32Array(room),
      times: new Float64Array(room),
      arrivals: this.#options.arrivals ? new Float64Array(room) : null,
      labels: labels === null ? null : new Uint32Array(room),
    };
    const inputs = new LoopInputs();
    const copy = (to: Float64Array | Uint32Array, from: Float64Array | Uint32Array, at: 'i' | 'k'): string =>
      `${inputs.name(to)}[at] = ${inputs.name(from)}[${at}];`;
    const copies = [
      copy(piece.times, rows.times(), 'i'),
      piece.arrivals === null ? '' : copy(piece.arrivals, rows.segment.arrivals(), 'i'),
      piece.labels === null || labels === null ? '' : copy(piece.labels, labels, 'k'),
    ];
    const body = `const p = ${inputs.name(rows.persons())}[i], at = (n + a) | 0; out[at] = p; ${copies.join(' ')} n = (n + (p !== 0 ? 1 : 0)) | 0;`;
    const numbers = (_: unknown, counted: number): { a: number; b: number } => ({ a: counted, b: 0 });
    const length = runLoop(spans, { body, inputs, out: piece.persons, list, numbers }, this.#context);
    this.#push({ ...piece, length });
  }

  /** In arrays of its own. */
  partial(): PersonEvents {
    const total = this.#pieces.reduce((sum, { length }) => sum + length, 0);
    this.#context.budget.take(total * bytesPerEvent(this.#options));
    const persons = new Uint32Array(total);
    const times = new Float64Array(total);
    const arrivals = this.#options.arrivals ? new Float64Array(total) : null;
    const labels = this.#options.labels ? new Uint32Array(total) : null;
    const runs: EventRun[] = [];
    let end = 0;
    for (const { first, length, ...piece } of this.#pieces) {
      persons.set(piece.persons.subarray(0, length), end);
      times.set(piece.times.subarray(0, length), end);
      if (piece.arrivals !== null) arrivals?.set(piece.arrivals.subarray(0, length), end);
      if (piece.labels !== null) labels?.set(piece.labels.subarray(0, length), end);
      runs.push({ first, end: (end += length) });
    }
    return { persons, times, arrivals, labels, runs };
  }

  #push(piece: Piece): void {
    if (piece.length > 0) this.#pieces.push(piece);
  }
}

export function bytesPerEvent({ arrivals, labels }: EventListOptions): number {
  return 12 + (arrivals ? 8 : 0) + (labels ? 4 : 0);
}
