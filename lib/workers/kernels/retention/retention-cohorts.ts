/** Merges and counts the cohorts of all parts. */
import { columnsOf, periodsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { tooManyGroups, CELL_BYTES } from '../../budget.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { mergeLabels, type Labelled, type MergedGroups } from '../../metrics/merge-groups.ts';
import type { CohortArray } from '../../persons/first-starts.ts';
import { joinMasks, WORD_BITS, type MaskArray } from '../../persons/person-masks.ts';
import type { RowContext } from '../../query-context.ts';
import type { RetentionPartial } from '../partial-result.ts';
import { cohortBuckets } from './retention-buckets.ts';
import { threshold } from '../../../base/threshold.ts';
import { CHECK_EVERY } from '../../check-every.ts';

export interface CohortMembers {
  readonly cohorts: CohortArray;
  /** By word. */
  readonly seen: readonly MaskArray[];
  readonly relative: boolean;
  /** By person, labels of `groups`; null without. */
  readonly labels: Uint32Array | null;
  readonly groups: MergedGroups | null;
}

/** Merges the parts into the one with the most persons. @param columns How many groups the plan has. */
export function mergeCohorts(parts: readonly RetentionPartial[], columns: number, context: RowContext): CohortMembers {
  const [into, ...others] = parts.toSorted((a, b) => b.cohorts.length - a.cohorts.length);
  if (into === undefined) throw new Error('a retention of no parts');
  const starts = (): Labelled[] => [into, ...others].map(({ labels, places }) => ({ labels, own: places!.labels! }));
  const groups = columns === 0 ? null : mergeLabels(starts(), columns, context);
  for (const part of others) {
    context.checkpoint();
    if (into.places === null) earliestCohorts(into.cohorts, part.cohorts);
    else earliestStarts(into, part);
  }
  const seen = joinMasks(
    [into, ...others].map((part) => part.seen),
    context,
  );
  return { cohorts: into.cohorts, seen, relative: into.relative, labels: into.places?.labels ?? null, groups };
}

function earliestCohorts(into: CohortArray, cohorts: CohortArray): void {
  for (let person = 1; person < cohorts.length; person++) {
    const own = cohorts[person]!;
    if (own !== 0 && (into[person] === 0 || own < into[person]!)) into[person] = own;
  }
}

function earliestStarts(into: RetentionPartial, { cohorts, places }: RetentionPartial): void {
  const known = into.places!;
  const { times, arrivals, labels } = places!;
  for (let person = 1; person < cohorts.length; person++) {
    if (cohorts[person] === 0) continue;
    const order = times[person]! - known.times[person]! || arrivals[person]! - known.arrivals[person]!;
    if (into.cohorts[person] !== 0 && order > 0) continue;
    into.cohorts[person] = cohorts[person]!;
    known.times[person] = times[person]!;
    known.arrivals[person] = arrivals[person]!;
    if (known.labels !== null && labels !== null) known.labels[person] = labels[person]!;
  }
}

/** Persons, and persons in every period, by label and cohort. */
export function retentionTable(plan: RetentionPlan, members: CohortMembers, context: RowContext): Table {
  const columns = columnsOf(plan);
  const { labels: names, before } = cohortBuckets(plan);
  const { last } = periodsOf(plan);
  const periods = Math.min(last + 1, names.length); // more lie past the range
  if (plan.unbounded) smear(members.seen, context);
  const counting = { before, periods, context };
  const { count, labelOf, cohortOf, counts } =
    members.labels === null
      ? countCohorts(members, before + names.length, counting)
      : countLabelled(members, members.labels, counting);
  context.budget.take(count * (last + 1) * CELL_BYTES);
  const rows: Cell[][] = [];
  for (let slot = 0; slot < count; slot++) {
    const cohort = cohortOf(slot) - before;
    const at = slot * (periods + 1);
    if (cohort < 0 || counts[at] === 0) continue;
    const own = Array.from({ length: last + 1 }, (_, k) => (cohort + k < names.length ? counts[at + 1 + k]! : null));
    const groups = plan.groups.map((_, nth) => members.groups!.text(nth, labelOf(slot)));
    rows.push([...groups, names[cohort]!, counts[at]!, ...own]);
  }
  return finishTable(plan, columns, rows);
}

/** Who was present in a bucket was so in every earlier one, too: returns in a period or later. */
function smear(words: readonly MaskArray[], context: RowContext): void {
  for (let word = words.length - 1; word >= 0; word--) {
    context.checkpoint();
    const [masks, later] = [words[word]!, words[word + 1] ?? null];
    for (let person = 1; person < masks.length; person++) {
      const bits = masks[person]!;
      masks[person] = later !== null && later[person] !== 0 ? -1 : bits === 0 ? 0 : 0xffffffff >>> Math.clz32(bits);
    }
  }
}

/** By slot: the persons, then those in each period. */
interface CohortCounts {
  readonly count: number;
  readonly labelOf: (slot: number) => number;
  readonly cohortOf: (slot: number) => number;
  readonly counts: Uint32Array;
}

interface Counting {
  /** Members of so many first cohorts do not count. */
  readonly before: number;
  readonly periods: number;
  readonly context: RowContext;
}

/** @param cohorts How many there are, with those that do not count. */
function countCohorts(members: CohortMembers, cohorts: number, { before, periods, context }: Counting): CohortCounts {
  const width = periods + 1;
  context.budget.take(cohorts * width * 4);
  const counts = new Uint32Array(cohorts * width);
  if (cohorts <= FEW_COHORTS.value && !members.relative) {
    eachHistory(members, cohorts, (cohort, bits, persons) => {
      counts[cohort * width]! += persons;
      countPeriods(bits & (2 ** periods - 1), persons, counts, cohort * width + 1);
    });
  } else {
    eachMember(members, { before, context }, (person, cohort) => {
      counts[cohort * width]!++;
      countPerson(members, { person, cohort, periods }, counts, cohort * width + 1);
    });
  }
  return { count: cohorts, labelOf: () => 0, cohortOf: (slot) => slot, counts };
}

/** Up to this many cohorts, members with the same cohort and periods are counted together: a table of them fits into a cache. */
const FEW_COHORTS = threshold('cohorts of histories', 13, { most: 13 });

/** Plain form: `persons[cohort, seen >>> cohort]++`, where 0 is no cohort and cohorts count from 1. */
function eachHistory(
  { cohorts, seen: [seen] }: CohortMembers,
  count: number,
  visit: (cohort: number, bits: number, persons: number) => void,
): void {
  const persons = new Uint32Array((count + 1) << count);
  for (let person = 1; person < cohorts.length; person++) {
    const cohort = cohorts[person]!;
    persons[(cohort << count) | (seen![person]! >>> ((cohort - 1) & 31))]!++;
  }
  for (let at = 1 << count; at < persons.length; at++) {
    if (persons[at] !== 0) visit((at >>> count) - 1, at & ((1 << count) - 1), persons[at]!);
  }
}

function eachMember(
  { cohorts }: CohortMembers,
  { before, context }: Pick<Counting, 'before' | 'context'>,
  visit: (person: number, cohort: number) => void,
): void {
  for (let person = 1; person < cohorts.length; person++) {
    if (person % CHECK_EVERY === 0) context.checkpoint();
    const cohort = cohorts[person]! - 1;
    if (cohort >= before) visit(person, cohort);
  }
}

interface Member {
  readonly person: number;
  readonly cohort: number;
  readonly periods: number;
}

/** Counts the periods in which a person was present, at `at + k`. */
function countPerson(
  { seen, relative }: CohortMembers,
  { person, cohort, periods }: Member,
  counts: Uint32Array,
  at: number,
): void {
  for (let first = 0; first < periods; first += WORD_BITS) {
    const asked = periods - first >= WORD_BITS ? -1 : 2 ** (periods - first) - 1;
    countPeriods(bitsFrom(seen, person, (relative ? 0 : cohort) + first) & asked, 1, counts, at + first);
  }
}

/** The bits of a person from a bucket on, those of a word. */
function bitsFrom(words: readonly MaskArray[], person: number, bucket: number): number {
  const word = Math.floor(bucket / WORD_BITS);
  const shift = bucket % WORD_BITS;
  if (word >= words.length) return 0;
  const low = words[word]![person]! >>> shift;
  if (shift === 0 || word + 1 >= words.length) return low;
  return low | (words[word + 1]![person]! << (WORD_BITS - shift));
}

/** Slots are pairs of label and cohort, numbered as they appear. */
function countLabelled(all: CohortMembers, labels: Uint32Array, { before, periods, context }: Counting): CohortCounts {
  const { cohorts } = all;
  context.budget.take(cohorts.length * (4 + 4 + 4)); // a person's label, cohort and slot
  const [firsts, seconds] = [new Uint32Array(cohorts.length), new Uint32Array(cohorts.length)];
  let members = 0;
  eachMember(all, { before, context }, (person, cohort) => {
    firsts[members] = labels[person]!;
    seconds[members++] = cohort;
  });
  const pairs = new PairIds(context);
  const slots = pairs.idsOf(firsts.subarray(0, members), seconds.subarray(0, members));
  const { size } = pairs;
  if (size > context.maxGroups) throw tooManyGroups(context.maxGroups);
  const width = periods + 1;
  context.budget.take(size * width * 4);
  const counts = new Uint32Array(size * width);
  let nth = 0;
  eachMember(all, { before, context }, (person, cohort) => {
    const at = slots[nth++]! * width;
    counts[at]!++;
    countPerson(all, { person, cohort, periods }, counts, at + 1);
  });
  return { count: size, labelOf: (slot) => pairs.first(slot), cohortOf: (slot) => pairs.second(slot), counts };
}

/** Bit k: present in period k, which is counted at `at + k`. */
function countPeriods(bits: number, persons: number, counts: Uint32Array, at: number): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) counts[at + 31 - Math.clz32(rest & -rest)]! += persons;
}
