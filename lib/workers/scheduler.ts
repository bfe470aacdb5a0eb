/** Plan and segments → parts: which segments are read on which thread. */
import type { Plan } from '../dsl/plan/plan.ts';
import type { SegmentSummary, Snapshot } from '../shards/shard-reader.ts';
import { countsTypes, runsInOnePart, runsInSlices, readRange } from './plan-parts.ts';
import { WHOLE, type Slice } from './query-context.ts';
import { threshold } from '../base/threshold.ts';
import { testsOf } from '../dsl/plan/conditions.ts';
import { looksIntoText } from '../dsl/plan/value.ts';
import { traitsOf } from '../dsl/plan/plan-traits.ts';
import type { RowRange } from './rows/row-set.ts';

export interface Part {
  readonly thread: number;
  readonly segments: readonly SegmentSummary[];
  readonly slice: Slice;
}

/** Work from which a second thread gains more than handing over and merging parts costs: nanoseconds of one thread. */
const WORK = threshold('work of several parts', 10_000_000, { least: 1 });

/** A query that reads fewer rows need not wait for larger ones; if rows are cheap it may read four times as many. */
const SMALL_QUESTION = threshold('rows of a small question', 50_000);

/**
 * Where the segments of projects are read: always on the same thread, which has their decoded columns in memory. New segments go,
 * in order of time, to the thread that has the fewest rows of the project, so that any range of time is shared about evenly.
 */
export class Scheduler {
  readonly #threads: number;
  readonly #projects = new Map<string, Map<number, number>>();

  constructor(threads: number) {
    this.#threads = threads;
  }

  /**
   * The parts of a query, none empty unless there is nothing to read. Together they read each segment once, or, in slices, all of
   * them each. `split` false: one part, however much there is to read.
   */
  schedule(plan: Plan, snapshot: Snapshot, split = true): readonly Part[] {
    const segments = segmentsOf(plan, snapshot);
    const home = this.home(snapshot.project);
    const rows = segments.reduce((sum, segment) => sum + rowsIn(segment, readRange(plan)), 0);
    const small = rows * rowCost(plan) < WORK.value;
    if (!split || this.#threads === 1 || small || readsNoRows(plan) || runsInOnePart(plan)) {
      return [{ thread: home, segments, slice: WHOLE }];
    }
    if (runsInSlices(plan)) {
      return Array.from({ length: this.#threads }, (_, at) => {
        return { thread: (home + at) % this.#threads, segments, slice: { index: at, of: this.#threads } };
      });
    }
    const threads = this.#threadsOf(snapshot, home);
    const parts = new Map<number, SegmentSummary[]>();
    for (const segment of segments) {
      const thread = threads.get(segment.id) ?? home;
      parts.set(thread, [...(parts.get(thread) ?? []), segment]);
    }
    return [...parts].map(([thread, own]) => ({ thread, segments: own, slice: WHOLE }));
  }

  /** The thread that runs a project's queries of one part, and gets the first of several. */
  home(project: string): number {
    let hash = 0;
    for (let i = 0; i < project.length; i++) hash = (Math.imul(hash, 31) + project.charCodeAt(i)) >>> 0;
    return hash % this.#threads;
  }

  forget(project: string): void {
    this.#projects.delete(project);
  }

  #threadsOf(snapshot: Snapshot, home: number): ReadonlyMap<number, number> {
    const known = this.#projects.get(snapshot.project) ?? new Map<number, number>();
    if (snapshot.segments.every(({ id }) => known.has(id)) && known.size === snapshot.segments.length) return known;
    const threads = new Map<number, number>();
    const load = new Array<number>(this.#threads).fill(0);
    load[home] = -1; // the first one goes home
    const give = ({ id, rows }: SegmentSummary, thread: number): void => {
      threads.set(id, thread);
      load[thread]! += rows;
    };
    const fresh: SegmentSummary[] = [];
    for (const segment of snapshot.segments) {
      const thread = known.get(segment.id);
      if (thread === undefined) fresh.push(segment);
      else give(segment, thread);
    }
    fresh.sort((a, b) => a.first - b.first || a.id - b.id);
    for (const segment of fresh) give(segment, load.indexOf(Math.min(...load)));
    this.#projects.set(snapshot.project, threads);
    return threads;
  }
}

/**
 * Whether segments answer from what they know without reading rows: counts of an event by time are differences of positions,
 * counts of all events by type are stored. A second thread would only add messages.
 */
function readsNoRows(plan: Plan): boolean {
  if (plan.kind !== 'aggregate' || plan.where !== null || plan.person !== null) return false;
  const byTime = plan.groups.every((group) => group.kind !== 'field');
  return (
    plan.metrics.every(({ kind, where }) => kind === 'count' && where === undefined) && (byTime || countsTypes(plan))
  );
}

/** Whether the statistics of its segments show that a query is small: it reads few rows, or none. */
export function isSmall(plan: Plan, parts: readonly { readonly segments: Part['segments'] }[]): boolean {
  const [part] = parts;
  if (part === undefined || parts.length > 1) return false;
  const rows = readsNoRows(plan) ? 0 : part.segments.reduce((sum, segment) => sum + segment.rows, 0);
  // A row counts as one from 24 ns on, 4 of which decode it; a test of its text, which may be an expression, counts as two more.
  const cost = Math.min(1, (rowCost(plan) + 4) / 24) + 2 * textTests(plan);
  return rows * cost < SMALL_QUESTION.value;
}

/** What a thread takes to start, about: nanoseconds. */
const START = threshold('work that waits for a thread of its own', 60_000_000);
/** What decoding takes for each row, about: nanoseconds. */
const DECODING = 10;

/** Whether a part that reads its columns from files takes longer than a thread to start: then it waits for one that keeps them. */
export function isLong(plan: Plan, { segments }: Pick<Part, 'segments'>): boolean {
  const rows = readsNoRows(plan) ? 0 : segments.reduce((sum, segment) => sum + segment.rows, 0);
  return rows * (rowCost(plan) + DECODING) >= START.value;
}

/** Tests that look into texts, each of which may take long. */
const textTests = ({ where }: Plan): number =>
  testsOf(where).filter(({ test }) => looksIntoText(test) || test.op === 'has').length;

/** Segments that may have rows in the range that the plan reads. */
export function segmentsOf(plan: Plan, { segments }: Snapshot): readonly SegmentSummary[] {
  if (plan.kind === 'users' || plan.kind === 'identities') return [];
  const { from, to } = readRange(plan);
  return segments.filter(({ first, last }) => first < to && last >= from);
}

/** How many rows of a segment lie in a range if they are spread evenly over its time; at least one. */
function rowsIn({ rows, first, last }: SegmentSummary, { from, to }: RowRange): number {
  const within = Math.min(last + 1, to) - Math.max(first, from);
  return Math.max(1, (rows * within) / (last + 1 - first));
}

/** About how much time a plan takes per row that it may read, once columns are decoded: nanoseconds of one thread. */
function rowCost(plan: Plan): number {
  const share = 'event' in plan && plan.event !== null ? 1 / 4 : 1; // a fraction of all events, and only its rows are read
  return share * (0.5 * testsOf(plan.where).length + traitsOf(plan).work);
}
