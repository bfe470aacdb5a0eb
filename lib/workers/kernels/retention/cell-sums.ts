/** The cells of cohorts that hold a metric: what the returning events of their persons add up to in each period. */
import { columnsOf, periodsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import { cohortCells, type PeriodSum } from '../../../dsl/finish/retention-cells.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { wordsAt } from '../../../primitives/memory.ts';
import { tooManyGroups, CELL_BYTES } from '../../budget.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { mergeLabels } from '../../metrics/merge-groups.ts';
import { countsBySlot, numbersBySlot } from '../../metrics/state-array.ts';
import type { FirstStarts } from '../../persons/first-starts.ts';
import type { PersonBlock } from '../../persons/person-blocks.ts';
import type { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import { cohortBuckets } from './retention-buckets.ts';
import type { ReturnSink } from './retention-gathering.ts';
import { BLOCK_ROWS } from '../../check-every.ts';

export interface CellSumsOptions {
  readonly starts: FirstStarts;
  /** Persons who started in so many first buckets are in no cohort. */
  readonly before: number;
  /** Periods of a cohort. */
  readonly width: number;
  readonly persons: number;
}

/** A cell belongs to a slot (a cohort and a label) and a period. */
export class CellSums implements ReturnSink {
  readonly #options: CellSumsOptions;
  readonly #context: QueryContext;
  /** By person: the slot + 1; 0: not known yet. */
  readonly #slotOf;
  /** A slot is a pair of cohort and label. */
  readonly #slots: PairIds;
  readonly #sums;
  readonly #errors;
  readonly #counts;
  /** Of the rows of a block; -1: in none. */
  readonly #cells = new Int32Array(BLOCK_ROWS);

  constructor(options: CellSumsOptions, context: QueryContext) {
    this.#options = options;
    this.#context = context;
    this.#slots = new PairIds(context);
    this.#slotOf = countsBySlot(context);
    this.#slotOf.resize(options.persons);
    this.#sums = numbersBySlot(context);
    this.#errors = numbersBySlot(context);
    this.#counts = countsBySlot(context);
  }

  /** Plain form: `sums[slot(person), bucket - cohort] += value; counts[…]++`, where the persons' starts are known for good. */
  add({ persons, count, bucket, first }: PersonBlock, given: Float64Array | null): void {
    const { before, width } = this.#options;
    const of = wordsAt(persons, count);
    const cells = this.#cells;
    for (let i = 0; i < count; i++) {
      const slot = of[i] === 0 ? -1 : this.#slot(of[i]!);
      const period = slot < 0 ? width : bucket - before - this.cohortOf(slot);
      cells[i] = period < width ? slot * width + period : -1;
    }
    for (const state of [this.#sums, this.#errors, this.#counts]) state.resize(this.#slots.size * width);
    const [sums, errors, counts] = [this.#sums.values, this.#errors.values, this.#counts.values];
    for (let i = 0; i < count; i++) {
      const cell = cells[i]!;
      if (cell < 0) continue;
      counts[cell]!++;
      if (given === null) continue;
      const [sum, value] = [sums[cell]!, given[first + i]!];
      const next = sum + value;
      const share = next - sum;
      sums[cell] = next;
      errors[cell]! += sum - (next - share) + (value - share);
    }
  }

  /** The persons of each slot, by slot; from now on every person of a cohort has one. */
  users(): Uint32Array {
    const users: number[] = [];
    for (let person = 1; person < this.#options.persons; person++) {
      if (person % BLOCK_ROWS === 0) this.#context.checkpoint();
      const slot = this.#slot(person);
      if (slot >= 0) users[slot] = (users[slot] ?? 0) + 1;
    }
    return Uint32Array.from(users);
  }

  cohortOf(slot: number): number {
    return this.#slots.first(slot);
  }

  labelOf(slot: number): number {
    return this.#slots.second(slot);
  }

  /** The sums of a slot in its first `periods`. */
  of(slot: number, periods: number): PeriodSum[] {
    const at = slot * this.#options.width;
    return Array.from({ length: periods }, (_, k) => ({
      sum: this.#sums.values[at + k] ?? 0,
      error: this.#errors.values[at + k] ?? 0,
      count: this.#counts.values[at + k] ?? 0,
    }));
  }

  /** -1 of a person without a cohort. */
  #slot(person: number): number {
    const known = this.#slotOf.values[person]!;
    if (known > 0) return known - 1;
    const { starts, before } = this.#options;
    const cohort = starts.bucketOf(person) - before;
    if (cohort < 0) return -1;
    const slot = this.#slots.id(cohort, starts.labelOf(person));
    if (this.#slots.size > this.#context.maxGroups) throw tooManyGroups(this.#context.maxGroups);
    this.#slotOf.values[person] = slot + 1;
    return slot;
  }
}

export function cellTable(
  plan: RetentionPlan,
  cells: CellSums,
  labels: StartLabels | null,
  context: QueryContext,
): Table {
  const { labels: names } = cohortBuckets(plan);
  const { last } = periodsOf(plan);
  const users = cells.users();
  const own = Uint32Array.from(users, (_, slot) => cells.labelOf(slot));
  const groups = labels === null ? null : mergeLabels([{ labels: labels.pack(own), own }], plan.groups.length, context);
  context.budget.take(users.length * (last + 1) * CELL_BYTES);
  const rows = Array.from(users, (persons, slot): Cell[] => {
    const cohort = cells.cohortOf(slot);
    const reached = Math.min(names.length - cohort, last + 1);
    return [
      ...plan.groups.map((_, nth) => groups?.text(nth, own[slot]!) ?? null),
      names[cohort]!,
      persons,
      ...cohortCells(plan, cells.of(slot, reached)),
      ...Array.from({ length: last + 1 - reached }, () => null),
    ];
  });
  return finishTable(plan, columnsOf(plan), rows);
}
