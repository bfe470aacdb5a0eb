/** The attempts of a funnel, from a person's `entries`: (time, rank, arrival, step, start), sorted. */
import type { FunnelPlan } from '../../../../lib/seam.ts';
import { join, name, sql, whole, type Sql } from '../sql/statement.ts';

/** Later than any time. */
const NEVER = sql`9000000000000000000`;
/** Ends the links: it is of no step. */
const END = sql`255`;
const NO_TIMES = sql`CAST([], 'Array(Int64)')`;

/**
 * A subquery of `person`, `attempts`, the times of the steps that each reaches, and `starts`, what is told of their first events, both in the
 * order of events, by person. What an attempt takes from some entry on does not depend on what it took before, but for events of
 * one millisecond, so all attempts of a person are found step by step from the last: `after_k` are, at every entry, the times that
 * an attempt takes that waits for step k there. `links`: (time, step, how many steps are taken in this millisecond, labels).
 * @param persons A subquery of `person` and `entries`.
 * @param overlaps Whether an event may be of several steps.
 */
export function attemptsOf(persons: Sql, { steps, exclude }: FunnelPlan, overlaps: boolean): Sql {
  const last = steps.length;
  const own = (step: number): Sql => timesFrom(step, { last, overlaps, excludes: exclude.length > 0 });
  let rows = overlaps ? linksOfOverlapping(persons, last) : also(persons, ALL_ONCE, 'links');
  rows = sql`(SELECT person, links, ${LINKED} FROM ${rows})`;
  rows = also(rows, sql`arrayReverseFill((time, step) -> step = 0, times, steps)`, 'barriers');
  for (let step = last; step > 1; step--) {
    rows = also(
      rows,
      sql`arrayReverseFill((taken, step) -> step = ${whole(step)}, ${own(step)}, steps)`,
      `after_${step}`,
    );
  }
  const starts = sql`arrayMap(link -> link.4, arrayFilter(link -> link.2 = 1, links))`;
  return sql`(SELECT person, arrayFilter(attempt -> notEmpty(attempt), ${own(1)}) AS attempts, ${starts} AS starts FROM ${rows})`;
}

const ALL_ONCE = sql`arrayMap(entry -> (entry.1, entry.4, toUInt64(1), entry.5), entries)`;

/** Each part of the links, with an end. */
const LINKED = join(
  [
    sql`arrayPushBack(links.1, ${NEVER}) AS times`,
    sql`arrayPushBack(CAST(links.2, 'Array(Int16)'), ${END}) AS steps`,
    sql`arrayPushBack(links.3, 0) AS counts`,
  ],
  ', ',
);

/** The rows with another column. A column of a subquery, unlike an alias, is not written out wherever it is used. */
const also = (rows: Sql, column: Sql, as: string): Sql => sql`(SELECT *, ${column} AS ${name(as)} FROM ${rows})`;

const afterStep = (step: number): Sql => name(`after_${step}`);

/** At every entry of a step the times of an attempt that takes it, elsewhere none. */
function timesFrom(
  step: number,
  { last, overlaps, excludes }: { readonly last: number; readonly overlaps: boolean; readonly excludes: boolean },
): Sql {
  const later = Array.from({ length: last - step }, (_, k) => afterStep(step + 1 + k));
  const given = overlaps ? later : later.slice(0, 1);
  const next = overlaps ? sql`[${join([...given, NO_TIMES], ', ')}][count]` : (given[0] ?? NO_TIMES);
  const follows = excludes ? sql`if(notEmpty(${next}) AND barrier < ${next}[1], ${NO_TIMES}, ${next})` : next;
  const taken = sql`arrayConcat(arrayWithConstant(count, time), ${follows})`;
  const names = join([sql`time`, sql`step`, sql`count`, sql`barrier`, ...given], ', ');
  const arrays = join([sql`times`, sql`steps`, sql`counts`, sql`barriers`, ...given], ', ');
  return sql`arrayMap((${names}) -> if(step = ${whole(step)}, ${taken}, ${NO_TIMES}), ${arrays})`;
}

/**
 * An entry is taken after those before it, with one exception: where an event of several steps shares its millisecond with
 * another event, which of them a step gets depends on what the attempt used already.
 */
function linksOfOverlapping(persons: Sql, last: number): Sql {
  const isTied = sql`arrayExists((a, b) -> a.1 = b.1 AND a.3 != b.3, arrayPopBack(entries), arrayPopFront(entries))`;
  const isNew = sql`arrayPushFront(arrayMap((a, b) -> a.1 != b.1, arrayPopBack(disputed), arrayPopFront(disputed)), 0)`;
  let rows = also(
    persons,
    sql`arrayExists(entry -> entry.2 < 0 AND entry.4 > 0, entries) AND ${isTied}`,
    'is_disputed',
  );
  rows = also(rows, sql`if(is_disputed, arraySort(entry -> (entry.1, entry.3), entries), [])`, 'disputed');
  const milliseconds = sql`arraySplit((entry, isNew) -> isNew, disputed, if(is_disputed, ${isNew}, []))`;
  const links = sql`arrayFlatten(arrayMap(same -> ${linksOfMillisecond(last)}, ${milliseconds}))`;
  return also(rows, sql`if(is_disputed, ${links}, ${ALL_ONCE})`, 'links');
}

/**
 * Of the entries of one millisecond: for every step how many steps an attempt takes there that waits for it, and the same for
 * every start. The last step comes first: what an attempt takes next lies in another millisecond.
 */
function linksOfMillisecond(last: number): Sql {
  const unused = sql`arrayFilter(entry -> entry.4 = step AND NOT has(used, entry.3), same)`;
  const use = (first: Sql): Sql =>
    sql`if(length(used) < step - ${first}, used, arrayConcat(used, arrayMap(entry -> entry.3, arraySlice(${unused}, 1, 1))))`;
  const end = whole(last + 1);
  const waiting = sql`length(arrayFold((used, step) -> ${use(sql`first`)}, range(first, ${end}), CAST([], 'Array(UInt64)')))`;
  const started = sql`length(arrayFold((used, step) -> ${use(sql`1`)}, range(2, ${end}), [start.3]))`;
  const ofStep = sql`arrayMap(first -> (same[1].1, first, ${waiting}, same[1].5), arrayReverse(arrayFilter(step -> has(same.4, step), range(2, ${end}))))`;
  const ofStarts = sql`arrayMap(start -> (start.1, 1, ${started}, start.5), arrayFilter(entry -> entry.4 = 1, same))`;
  const ofExcluded = sql`arrayMap(entry -> (entry.1, 0, toUInt64(0), entry.5), arrayFilter(entry -> entry.4 = 0, same))`;
  return sql`arrayConcat(${ofExcluded}, ${ofStep}, ${ofStarts})`;
}
