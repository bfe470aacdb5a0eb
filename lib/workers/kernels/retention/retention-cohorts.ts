/** Merges and counts the cohorts of all parts. */
import { columnsOf, periodsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { tooManyGroups, CELL_BYTES } from '../../budget.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { mergeLabels, type Labelled, type MergedGroups } from '../../metrics/merge-groups.ts';
import type { CohortArray } from '../../persons/first-starts.ts';
import { joinPersons } from '../../persons/person-lists.ts';
import { joinWords, WORD_BITS, type MaskArray } from '../../persons/person-masks.ts';
import type { RowContext } from '../../query-context.ts';
import type { RetentionPartial } from '../partial-result.ts';
import { cohortBuckets } from './retention-buckets.ts';
import { threshold } from '../../../base/threshold.ts';
import { CHECK_EVERY } from '../../check-every.ts';

/** Persons who started or were present. */
export interface CohortMembers {
  readonly cohorts: CohortArray;
  /** By word. */
  readonly seen: readonly MaskArray[];
  readonly relative: boolean;
  /** Labels of `groups`; null without. */
  readonly labels: Uint32Array | null;
  readonly groups: MergedGroups | null;
}

/** Joins the persons of all parts. @param columns How many groups the plan has. */
export function mergeCohorts(parts: readonly RetentionPartial[], columns: number, context: RowContext): CohortMembers {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('a retention of no parts');
  const starts = (): Labelled[] => parts.map(({ labels, places }) => ({ labels, own: places!.labels! }));
  const groups = columns === 0 ? null : mergeLabels(starts(), columns, context);
  const { relative } = first;
  if (others.length === 0) {
    return { cohorts: first.cohorts, seen: first.seen, relative, labels: first.places?.labels ?? null, groups };
  }
  const joined = joinPersons(
    parts.map(({ persons }) => persons),
    context,
  );
  const into = noStarts(first, joined.persons.length, context);
  for (const [at, part] of parts.entries()) {
    context.checkpoint();
    if (into.places === null) earliestCohorts(into.cohorts, part.cohorts, joined.places[at]!);
    else earliestStarts(into, part, joined.places[at]!);
  }
  const seen = joinWords(parts.map((part) => part.seen), joined, context); // prettier-ignore
  return { cohorts: into.cohorts, seen, relative, labels: into.places?.labels ?? null, groups };
}

type FoundStarts = Pick<RetentionPartial, 'cohorts' | 'places'>;

/** Arrays like those of a part for so many persons who have not started. */
function noStarts({ cohorts, places }: FoundStarts, persons: number, { budget, memory }: RowContext): FoundStarts {
  budget.take(persons * (cohorts.BYTES_PER_ELEMENT + (places === null ? 0 : 8 + 8 + 4)));
  const none = cohorts instanceof Uint8Array ? memory.bytes(persons).fill(0) : memory.noWords(persons);
  if (places === null) return { cohorts: none, places };
  const [times, arrivals] = [memory.floats(persons), memory.floats(persons)];
  return { cohorts: none, places: { times, arrivals, labels: places.labels && memory.words(persons) } };
}

function earliestCohorts(into: CohortArray, cohorts: CohortArray, places: Uint32Array): void {
  for (let at = 0; at < cohorts.length; at++) {
    const [own, to] = [cohorts[at]!, places[at]!];
    if (own !== 0 && (into[to] === 0 || own < into[to]!)) into[to] = own;
  }
}

function earliestStarts(into: FoundStarts, { cohorts, places: starts }: FoundStarts, places: Uint32Array): void {
  const known = into.places!;
  const { times, arrivals, labels } = starts!;
  for (let at = 0; at < cohorts.length; at++) {
    if (cohorts[at] === 0) continue;
    const to = places[at]!;
    const order = times[at]! - known.times[to]! || arrivals[at]! - known.arrivals[to]!;
    if (into.cohorts[to] !== 0 && order > 0) continue;
    into.cohorts[to] = cohorts[at]!;
    known.times[to] = times[at]!;
    known.arrivals[to] = arrivals[at]!;
    if (known.labels !== null && labels !== null) known.labels[to] = labels[at]!;
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
    for (let at = 0; at < masks.length; at++) {
      const bits = masks[at]!;
      masks[at] = later !== null && later[at] !== 0 ? -1 : bits === 0 ? 0 : 0xffffffff >>> Math.clz32(bits);
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
    eachMember(members, { before, context }, (member, cohort) => {
      counts[cohort * width]!++;
      countMember(members, { member, cohort, periods }, counts, cohort * width + 1);
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
  for (let at = 0; at < cohorts.length; at++) {
    const cohort = cohorts[at]!;
    persons[(cohort << count) | (seen![at]! >>> ((cohort - 1) & 31))]!++;
  }
  for (let at = 1 << count; at < persons.length; at++) {
    if (persons[at] !== 0) visit((at >>> count) - 1, at & ((1 << count) - 1), persons[at]!);
  }
}

function eachMember(
  { cohorts }: CohortMembers,
  { before, context }: Pick<Counting, 'before' | 'context'>,
  visit: (member: number, cohort: number) => void,
): void {
  for (let member = 0; member < cohorts.length; member++) {
    if (member % CHECK_EVERY === 0) context.checkpoint();
    const cohort = cohorts[member]! - 1;
    if (cohort >= before) visit(member, cohort);
  }
}

interface Member {
  readonly member: number;
  readonly cohort: number;
  readonly periods: number;
}

/** Counts the periods in which a member was present, at `at + k`. */
function countMember(
  { seen, relative }: CohortMembers,
  { member, cohort, periods }: Member,
  counts: Uint32Array,
  at: number,
): void {
  for (let first = 0; first < periods; first += WORD_BITS) {
    const asked = periods - first >= WORD_BITS ? -1 : 2 ** (periods - first) - 1;
    countPeriods(bitsFrom(seen, member, (relative ? 0 : cohort) + first) & asked, 1, counts, at + first);
  }
}

/** The bits of a member from a bucket on, those of a word. */
function bitsFrom(words: readonly MaskArray[], member: number, bucket: number): number {
  const word = Math.floor(bucket / WORD_BITS);
  const shift = bucket % WORD_BITS;
  if (word >= words.length) return 0;
  const low = words[word]![member]! >>> shift;
  if (shift === 0 || word + 1 >= words.length) return low;
  return low | (words[word + 1]![member]! << (WORD_BITS - shift));
}

/** Slots are pairs of label and cohort, numbered as they appear. */
function countLabelled(all: CohortMembers, labels: Uint32Array, { before, periods, context }: Counting): CohortCounts {
  const { cohorts } = all;
  context.budget.take(cohorts.length * (4 + 4 + 4)); // a member's label, cohort and slot
  const [firsts, seconds] = [new Uint32Array(cohorts.length), new Uint32Array(cohorts.length)];
  let members = 0;
  eachMember(all, { before, context }, (member, cohort) => {
    firsts[members] = labels[member]!;
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
  eachMember(all, { before, context }, (member, cohort) => {
    const at = slots[nth++]! * width;
    counts[at]!++;
    countMember(all, { member, cohort, periods }, counts, at + 1);
  });
  return { count: size, labelOf: (slot) => pairs.first(slot), cohortOf: (slot) => pairs.second(slot), counts };
}

/** Bit k: present in period k, which is counted at `at + k`. */
function countPeriods(bits: number, persons: number, counts: Uint32Array, at: number): void {
  for (let rest = bits; rest !== 0; rest &= rest - 1) counts[at + 31 - Math.clz32(rest & -rest)]! += persons;
}
