/** Events as person and time, in the order in which rows came: what a person's course is put together from. */
import type { Budget } from '../budget.ts';
import type { Positions } from '../groups/positions.ts';
import { LoopInputs } from '../loops/generate.ts';
import type { RowContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { runLoop } from './person-loop.ts';

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

const FIRST = 1_024;

export class EventList {
  readonly #options: EventListOptions;
  readonly #context: RowContext;
  readonly #runs: EventRun[] = [];
  #persons: Uint32Array<ArrayBuffer>;
  #times: Float64Array<ArrayBuffer>;
  #arrivals: Float64Array<ArrayBuffer> | null;
  #labels: Uint32Array<ArrayBuffer> | null;
  #length = 0;

  constructor(options: EventListOptions, context: RowContext) {
    this.#options = options;
    this.#context = context;
    takeEvents(FIRST, options, context.budget);
    this.#persons = new Uint32Array(FIRST);
    this.#times = new Float64Array(FIRST);
    this.#arrivals = options.arrivals ? new Float64Array(FIRST) : null;
    this.#labels = options.labels ? new Uint32Array(FIRST) : null;
  }

  /**
   * Plain form: `const p = persons[i]; if (p !== 0) { person[n] = p; time[n] = times[i]; …; n++ }`.
   * @param labels By place, where events are labelled.
   */
  add(rows: EventRows, { rows: list, spans }: Positions, labels: Uint32Array | null): void {
    if (spans.length === 0) return;
    this.#reserve(spans.reduce((sum, { from, to }) => sum + to - from, 0) + 1); // the loop also writes where the next would stand
    const inputs = new LoopInputs();
    const copies: [to: Float64Array | Uint32Array, from: Float64Array | Uint32Array, at: 'i' | 'k'][] = [
      [this.#times, rows.times(), 'i'],
    ];
    if (this.#arrivals !== null) copies.push([this.#arrivals, rows.segment.arrivals(), 'i']);
    if (this.#labels !== null && labels !== null) copies.push([this.#labels, labels, 'k']);
    const persons = inputs.name(rows.persons());
    const own = inputs.name(this.#persons);
    const copying = copies.map(([to, from, at]) => `${inputs.name(to)}[at] = ${inputs.name(from)}[${at}];`).join(' ');
    const body = `const p = ${persons}[i], at = n + a; ${own}[at] = p; ${copying} n += p !== 0 ? 1 : 0;`;
    const start = this.#length;
    const numbers = (_: unknown, counted: number): { a: number; b: number } => ({ a: start + counted, b: 0 });
    this.#length += runLoop(spans, { body, inputs, out: this.#persons, list, numbers }, this.#context);
    this.#runs.push({ first: rows.segment.first, end: this.#length });
  }

  partial(): PersonEvents {
    const end = this.#length;
    return {
      persons: this.#persons.slice(0, end),
      times: this.#times.slice(0, end),
      arrivals: this.#arrivals?.slice(0, end) ?? null,
      labels: this.#labels?.slice(0, end) ?? null,
      runs: this.#runs,
    };
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#persons.length) return;
    const capacity = Math.max(needed, this.#persons.length * 2);
    takeEvents(capacity, this.#options, this.#context.budget);
    const old = this.#persons.length;
    this.#persons = moved(this.#persons, new Uint32Array(capacity));
    this.#times = moved(this.#times, new Float64Array(capacity));
    if (this.#arrivals !== null) this.#arrivals = moved(this.#arrivals, new Float64Array(capacity));
    if (this.#labels !== null) this.#labels = moved(this.#labels, new Uint32Array(capacity));
    this.#context.budget.release(old * bytesPerEvent(this.#options));
  }
}

export function bytesPerEvent({ arrivals, labels }: EventListOptions): number {
  return 12 + (arrivals ? 8 : 0) + (labels ? 4 : 0);
}

function takeEvents(count: number, options: EventListOptions, budget: Budget): void {
  budget.take(count * bytesPerEvent(options));
}

function moved<A extends Uint32Array | Float64Array>(from: A, to: A): A {
  to.set(from);
  return to;
}
