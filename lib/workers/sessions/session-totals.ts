/**
 * What `sessions` answers by default, by time buckets: straight from what segments say about their sessions. Sessions in several
 * segments are counted in each, then subtracted and counted once.
 * Times are whole milliseconds, so no sum is rounded.
 */
import { SECOND_MS } from '../../base/day.ts';
import type { Group } from '../../dsl/plan/plan.ts';
import type { Cell } from '../../dsl/plan/table.ts';
import { roundComputed } from '../../dsl/plan/value.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { bucketIndex } from '../../dsl/time/buckets.ts';
import { axisOf, type Axis } from '../groups/axis.ts';
import type { QueryContext } from '../query-context.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { FormedSessions } from './segment-sessions.ts';
import type { SessionSet } from './session-set.ts';

/**
 * Of the sessions that begin in the plan's range: labels, sessions, avg_duration, avg_events, bounce_rate, a row a bucket with
 * sessions. @param groups Of time only.
 */
export function sessionTotals(set: SessionSet, groups: readonly Group[], context: QueryContext): Cell[][] {
  const { range } = context.plan;
  const totals = new Totals(axisOf(groups, range, context.zone), range);
  for (const formed of set.pieces) {
    context.checkpoint();
    totals.add(formed);
  }
  totals.join(set);
  return totals.rows(groups.length);
}

class Totals {
  readonly #axis: Axis;
  readonly #range: TimeRange;
  readonly #sessions: Float64Array;
  readonly #milliseconds: Float64Array;
  readonly #events: Float64Array;
  readonly #bounced: Float64Array;

  constructor(axis: Axis, range: TimeRange) {
    this.#axis = axis;
    this.#range = range;
    this.#sessions = new Float64Array(axis.count);
    this.#milliseconds = new Float64Array(axis.count);
    this.#events = new Float64Array(axis.count);
    this.#bounced = new Float64Array(axis.count);
  }

  /** Adds the sessions of a segment, in order of time. */
  add(formed: FormedSessions): void {
    const { firstTimes } = formed;
    const { starts } = this.#axis;
    const end = lowerBound(firstTimes, this.#range.to);
    for (let from = lowerBound(firstTimes, this.#range.from); from < end;) {
      const cut = this.#cutOf(firstTimes[from]!);
      const bucket = this.#bucketOf(cut);
      const next = starts?.[cut + 1];
      const to = next === undefined ? end : lowerBound(firstTimes, next, from, end);
      this.#sessions[bucket]! += to - from;
      this.#addSpan(bucket, formed, from, to);
      from = to;
    }
  }

  /** Subtracts the pieces of sessions that are in several segments, and adds these sessions once. */
  join(set: SessionSet): void {
    const { shared, firsts, lasts } = set.joins;
    const counts = new Float64Array(shared.count);
    for (let at = 0; at < shared.places.length; at++) {
      const formed = set.pieces[shared.pieces[at]!]!;
      const place = shared.places[at]!;
      const events = formed.counts[place]!;
      this.#addOne(formed.firstTimes[place]!, formed.lastTimes[place]!, events, -1);
      counts[shared.groups[at]!]! += events;
    }
    for (let group = 0; group < shared.count; group++) {
      const [first, last] = [firsts[group]!, lasts[group]!];
      const begin = set.pieces[shared.pieces[first]!]!.firstTimes[shared.places[first]!]!;
      const end = set.pieces[shared.pieces[last]!]!.lastTimes[shared.places[last]!]!;
      this.#addOne(begin, end, counts[group]!, 1);
    }
  }

  rows(groups: number): Cell[][] {
    const rows: Cell[][] = [];
    for (let bucket = 0; bucket < this.#axis.count; bucket++) {
      const sessions = this.#sessions[bucket]!;
      if (sessions === 0) continue;
      const labels = Array.from({ length: groups }, (_, nth) => this.#axis.label(nth, bucket));
      const duration = this.#milliseconds[bucket]! / (SECOND_MS * sessions);
      rows.push([
        ...labels,
        sessions,
        duration,
        roundComputed(this.#events[bucket]! / sessions),
        this.#bounced[bucket]! / sessions,
      ]);
    }
    return rows;
  }

  #cutOf(time: number): number {
    const { starts } = this.#axis;
    return starts === null ? 0 : bucketIndex(starts, time);
  }

  #bucketOf(cut: number): number {
    return this.#axis.bucketOf?.[cut] ?? cut;
  }

  #addSpan(bucket: number, { firstTimes, lastTimes, counts }: FormedSessions, from: number, to: number): void {
    let milliseconds = 0;
    let events = 0;
    let bounced = 0;
    for (let at = from; at < to; at++) {
      const count = counts[at]!;
      events += count;
      bounced += count === 1 ? 1 : 0;
      milliseconds += lastTimes[at]! - firstTimes[at]!;
    }
    this.#milliseconds[bucket]! += milliseconds;
    this.#events[bucket]! += events;
    this.#bounced[bucket]! += bounced;
  }

  #addOne(first: number, last: number, events: number, sign: 1 | -1): void {
    if (first < this.#range.from || first >= this.#range.to) return;
    const bucket = this.#bucketOf(this.#cutOf(first));
    this.#sessions[bucket]! += sign;
    this.#milliseconds[bucket]! += sign * (last - first);
    this.#events[bucket]! += sign * events;
    this.#bounced[bucket]! += sign * (events === 1 ? 1 : 0);
  }
}
