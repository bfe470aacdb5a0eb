/** What a project's events of each day (UTC) add up to, in a shard and in ClickHouse: if it is the same, so are the events. */
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, type Segment, utcDay } from '../../../../lib/seam.ts';
import type { ClickHouse } from '../client.ts';

/** Sums are added modulo this, exactly in both. */
const WRAP = 2 ** 50;

/** `arrivals` and `times`: sums of arrival numbers, and of milliseconds since the day began. */
export interface DaySum {
  readonly count: number;
  readonly arrivals: number;
  readonly times: number;
}

/** By days since the epoch. */
export type DaySums = ReadonlyMap<number, DaySum>;

export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

export const dateOfDay = (day: number): string => utcDay(day * DAY_MS);

/** Of events up to an arrival number. */
export function shardSums(segments: Iterable<Pick<Segment, 'rows' | 'times' | 'arrivals'>>, upTo: number): DaySums {
  const sums = new Map<number, { count: number; arrivals: number; times: number }>();
  for (const segment of segments) {
    const [times, arrivals] = [segment.times(), segment.arrivals()];
    let [day, sum] = [NaN, { count: 0, arrivals: 0, times: 0 }];
    for (let row = 0; row < segment.rows; row++) {
      const [time, arrival] = [times[row]!, arrivals[row]!];
      if (arrival > upTo) continue;
      const own = dayOf(time);
      if (own !== day) {
        day = own;
        sum = sums.get(day) ?? { count: 0, arrivals: 0, times: 0 };
        sums.set(day, sum);
      }
      sum.count++;
      sum.arrivals = (sum.arrivals + arrival) % WRAP;
      sum.times = (sum.times + time - day * DAY_MS) % WRAP;
    }
  }
  return sums;
}

/** The same. */
export async function storedSums(clickHouse: ClickHouse, project: string, upTo: number): Promise<DaySums> {
  const sql = `SELECT toInt64(floor(time / ${DAY_MS})) AS day, count(), sum(arrival) % ${WRAP}, toUInt64(sum(time - day * ${DAY_MS})) % ${WRAP}
    FROM events WHERE project = {project:String} AND arrival <= {upTo:UInt64} GROUP BY day`;
  // Reads two columns of all events of a project.
  const { rows } = await clickHouse.query({ sql, params: { project, upTo } }, { time: 600_000 });
  return new Map(
    rows.map(([day, ...sums]) => {
      const [count = 0, arrivals = 0, times = 0] = sums.map(Number);
      return [Number(day), { count, arrivals, times }];
    }),
  );
}

/** Keys (days, or other parts of a whole) whose sums the two have differently. */
export function differing(a: ReadonlyMap<number, object>, b: ReadonlyMap<number, object>): readonly number[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => !isDeepStrictEqual(a.get(key), b.get(key)));
}
