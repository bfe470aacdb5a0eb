/** Merges and counts the cohorts of all parts. */
import { columnsOf, zoneOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { bucketsOf } from '../../../dsl/time/buckets.ts';
import { tooManyGroups } from '../../budget.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { mergeLabels, type Labelled, type MergedGroups } from '../../metrics/merge-groups.ts';
import type { CohortArray } from '../../persons/first-starts.ts';
import { joinMasks, WORD_BITS, WORD_SHIFT, type MaskArray } from '../../persons/person-masks.ts';
import type { RowContext } from '../../query-context.ts';
import type { RetentionPartial } from '../partial-result.ts';
import { threshold } from '../../../base/threshold.ts';

export interface CohortMembers {
  readonly cohorts: CohortArray;
  /** By word. */
  readonly seen: readonly MaskArray[];
  readonly relative: boolean;
  /** By person, labels of `groups`; null without. */
  readonly labels: Uint32Array | null;
  readonly groups: MergedGroups | null;
}

const CHECK_EVERY = 65_536;

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
  const { labels: names } = bucketsOf(plan.range, plan.unit, zoneOf(plan));
  const periods = columns.filter(({ role }) => role === 'period').length;
  const { count, labelOf, cohortOf, counts } =
    members.labels === null
      ? countCohorts(members, { cohorts: names.length, periods, context })
      : countLabelled(members, members.labels, { periods, context });
  const rows: Cell[][] = [];
  for (let slot = 0; slot < count; slot++) {
    const cohort = cohortOf(slot);
    const at = slot * (periods + 1);
    if (counts[at] === 0) continue;
    const own = Array.from({ length: periods }, (_, k) => (cohort + k < names.length ? counts[at + 1 + k]! : null));
    const groups = plan.groups.map((_, nth) => members.groups!.text(nth, labelOf(slot)));
    rows.push([...groups, names[cohort]!, counts[at]!, ...own]);
  }
  return finishTable(plan, columns, rows);
}

/** By slot: the persons, then those in each period. */
interface CohortCounts {
  readonly count: number;
  readonly labelOf: (slot: number) => number;
  readonly cohortOf: (slot: number) => number;
  readonly counts: Uint32Array;
}

function countCohorts(
  members: CohortMembers,
  { cohorts, periods, context }: { readonly cohorts: number; readonly periods: number; readonly context: RowContext },
): CohortCounts {
  const width = periods + 1;
  context.budget.take(cohorts * width * 4);
  const counts = new Uint32Array(cohorts * width);
  const add = (cohort: number, bits: number, persons: number): void => {
    counts[cohort * width]! += persons;
    countPeriods(bits & (2 ** periods - 1), persons, counts, cohort * width + 1);
  };
  if (cohorts <= FEW_COHORTS.value && !members.relative) eachHistory(members, cohorts, add);
  else eachMember(members, context, (_, cohort, bits) => add(cohort, bits, 1));
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
  { cohorts, seen, relative }: CohortMembers,
  context: RowContext,
  visit: (person: number, cohort: number, bits: number) => void,
): void {
  for (let person = 1; person < cohorts.length; person++) {
    if (person % CHECK_EVERY === 0) context.checkpoint();
    const cohort = cohorts[person]! - 1;
    if (cohort >= 0) visit(person, cohort, periodsOf(seen, person, relative ? 0 : cohort));
  }
}

/** The bits of a person from a bucket on: at least one per period. */
function periodsOf(words: readonly MaskArray[], person: number, bucket: number): number {
  const word = bucket >>> WORD_SHIFT;
  const shift = bucket & (WORD_BITS - 1);
  const low = words[word]![person]! >>> shift;
  if (shift === 0 || word + 1 >= words.length) return low;
  return low | (words[word + 1]![person]! << (WORD_BITS - shift));
}

/** A person's label, cohort and slot. */
const BYTES_PER_PERSON = 12;

/** Slots are pairs of label and cohort, numbered as they appear. */
function countLabelled(
  all: CohortMembers,
  labels: Uint32Array,
  { periods, context }: { readonly periods: number; readonly context: RowContext },
): CohortCounts {
  const { cohorts } = all;
  context.budget.take(cohorts.length * BYTES_PER_PERSON);
  const [firsts, seconds] = [new Uint32Array(cohorts.length), new Uint32Array(cohorts.length)];
  let members = 0;
  eachMember(all, context, (person, cohort) => {
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
  const asked = 2 ** periods - 1;
  let nth = 0;
  eachMember(all, context, (_person, _cohort, bits) => {
    const at = slots[nth++]! * width;
    counts[at]!++;
    countPeriods(bits & asked, 1, counts, at + 1);
  });
  return { count: size, labelOf: (slot) => pairs.first(slot), cohortOf: (slot) => pairs.second(slot), counts };
}

/** Bit k: present in period k, which is counted at `at + k`. */
function countPeriods(bits: number, persons: number, counts: Uint32Array, at: number): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) counts[at + 31 - Math.clz32(rest & -rest)]! += persons;
}
