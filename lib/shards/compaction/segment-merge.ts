/**
 * The rows of several segments in order of (time, arrival), some at a time. Each segment is in order, so what is taken of it at a time
 * is a range of its rows. Its times are decoded when their turn comes, and dropped when it is over: those of segments that follow
 * each other in time, as most do, are not in memory together.
 */
import type { StoredSegment } from '../segment/stored-segment.ts';

/** What the merge reads of a segment. */
export type InOrder = Pick<StoredSegment, 'rows' | 'first' | 'times' | 'arrivals'>;

/** A segment of which rows are left. */
interface Run {
  readonly segment: InOrder;
  /** Its place in the list of segments. */
  readonly at: number;
  /** null: not decoded yet; then `time` is at most that of its first row. */
  times: Float64Array | null;
  arrivals: Float64Array | null;
  /** The next row, and its time and arrival. */
  row: number;
  time: number;
  arrival: number;
}

/** Rows of segments, and their order: `order[i]` is the number of the i-th among all rows of `picked`, one after the other. */
export interface TakenRows<Segment> {
  readonly picked: readonly { readonly segment: Segment; readonly rows: Uint32Array }[];
  readonly order: Uint32Array;
}

export class SegmentMerge<Segment extends InOrder> {
  /** Of all segments. */
  readonly rows: number;
  readonly #segments: readonly Segment[];
  readonly #forget: () => void;
  /** A heap: the run with the next row comes first. */
  readonly #runs: Run[];
  /** By segment: the first row that is not taken. */
  readonly #taken: Uint32Array;

  /** @param forget Drops what was decoded: the merge has its own references. */
  constructor(segments: readonly Segment[], forget: () => void) {
    this.rows = segments.reduce((sum, { rows }) => sum + rows, 0);
    this.#segments = segments;
    this.#forget = forget;
    this.#taken = new Uint32Array(segments.length);
    const waiting = { times: null, arrivals: null, row: 0, arrival: -Infinity };
    this.#runs = segments
      .map((segment, at): Run => ({ segment, at, ...waiting, time: segment.first }))
      .sort((a, b) => a.time - b.time); // a sorted list is a heap
  }

  /** The next `count` rows, which must be left. */
  take(count: number): TakenRows<Segment> {
    const sources = new Uint32Array(count); // by row: which segment it is of
    for (let taken = 0; taken < count;) taken = this.#takeRun(sources, taken);
    return this.#inOrder(sources);
  }

  /** Takes rows of the first run as long as it stays the first, or decodes it. Returns how many are taken then. */
  #takeRun(sources: Uint32Array, taken: number): number {
    const runs = this.#runs;
    const run = runs[0]!;
    const { at, times, arrivals } = run;
    if (times === null || arrivals === null) {
      this.#decode(run);
      this.#sink();
      return taken;
    }
    const next = this.#second();
    const { time: limit, arrival } = next ?? END;
    let { row } = run;
    let to = taken;
    do {
      sources[to++] = at;
      row++;
    } while (
      to < sources.length &&
      row < times.length &&
      (times[row]! < limit || (times[row] === limit && arrivals[row]! < arrival))
    );
    run.row = row;
    if (row < times.length) {
      run.time = times[row]!;
      run.arrival = arrivals[row]!;
    } else {
      const last = runs.pop()!;
      if (runs.length > 0) runs[0] = last;
    }
    this.#sink();
    return to;
  }

  #decode(run: Run): void {
    run.times = run.segment.times();
    run.arrivals = run.segment.arrivals();
    this.#forget();
    run.time = run.times[0]!;
    run.arrival = run.arrivals[0]!;
  }

  /** The run that would come first without the first. */
  #second(): Run | undefined {
    const [, left, right] = this.#runs;
    return left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
  }

  /** Puts the first run where it belongs now. */
  #sink(): void {
    const runs = this.#runs;
    for (let at = 0; ;) {
      let child = 2 * at + 1;
      if (child >= runs.length) return;
      if (child + 1 < runs.length && isBefore(runs[child + 1]!, runs[child]!)) child++;
      if (!isBefore(runs[child]!, runs[at]!)) return;
      [runs[at], runs[child]] = [runs[child]!, runs[at]!];
      at = child;
    }
  }

  #inOrder(sources: Uint32Array): TakenRows<Segment> {
    const counts = new Uint32Array(this.#segments.length);
    for (const at of sources) counts[at]!++;
    const places = new Uint32Array(counts.length); // by segment: the number of its next row
    const picked: { segment: Segment; rows: Uint32Array }[] = [];
    let place = 0;
    counts.forEach((count, at) => {
      if (count === 0) return;
      const first = this.#taken[at]!;
      picked.push({ segment: this.#segments[at]!, rows: Uint32Array.from({ length: count }, (_, i) => first + i) });
      this.#taken[at] = first + count;
      places[at] = place;
      place += count;
    });
    return { picked, order: sources.map((at) => places[at]!++) };
  }
}

const END = { time: Infinity, arrival: Infinity };

function isBefore(a: Run, b: Run): boolean {
  return a.time < b.time || (a.time === b.time && a.arrival < b.arrival);
}
