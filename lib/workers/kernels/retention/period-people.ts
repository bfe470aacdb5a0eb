/** Who returned in a period after their start, and when first; or who did not. */
import type { People, RetentionPlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { floatsAt, wordsAt } from '../../../primitives/memory.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { mergeLabels } from '../../metrics/merge-groups.ts';
import { numbersBySlot } from '../../metrics/state-array.ts';
import type { PersonBlock } from '../../persons/person-blocks.ts';
import { FoundPeople, peopleTable } from '../people.ts';
import { cohortBuckets } from './retention-buckets.ts';
import type { RetentionOptions, ReturnSink } from './retention-gathering.ts';

export class PeriodPeople implements ReturnSink {
  readonly #plan: RetentionPlan;
  readonly #people: People;
  readonly #options: RetentionOptions;
  /** By person: the time of the first return in the period; Infinity: there is none. */
  readonly #returns;

  constructor(plan: RetentionPlan, people: People, options: RetentionOptions) {
    this.#plan = plan;
    this.#people = people;
    this.#options = options;
    this.#returns = numbersBySlot(options.context, Infinity);
    this.#returns.resize(options.context.identity().size);
  }

  /** Plain form: `if (bucket - cohort[p] is the period) returns[p] = min(returns[p], times[row])`. */
  add({ vectors, persons, count, bucket }: PersonBlock, _given: Float64Array | null, times: Float64Array | null): void {
    if (times === null) throw new Error('returns without their times');
    const { starts } = this.#options;
    const moments = floatsAt(vectors.moments(times, 'times'), count);
    const [of, returns] = [wordsAt(persons, count), this.#returns.values];
    for (let i = 0; i < count; i++) {
      const person = of[i]!;
      const cohort = person === 0 ? -1 : starts.bucketOf(person);
      if (cohort < 0 || !this.#isPeriod(bucket - cohort)) continue;
      if (moments[i]! < returns[person]!) returns[person] = moments[i]!;
    }
  }

  #isPeriod(period: number): boolean {
    const { nth } = this.#people;
    return this.#plan.unbounded ? period >= nth : period === nth;
  }

  /** All returns are known. */
  table(): Table {
    const { starts, labels, context } = this.#options;
    const { before, labels: names } = cohortBuckets(this.#plan);
    const returns = this.#returns.values;
    const found = new FoundPeople(starts.persons, context);
    for (let person = 1; person < starts.persons; person++) {
      if (person % CHECK_EVERY === 0) context.checkpoint();
      const cohort = starts.bucketOf(person) - before;
      if (cohort < 0 || cohort + this.#people.nth >= names.length) continue;
      const returned = returns[person]! < Infinity;
      if (returned !== (this.#people.which === 'returned')) continue;
      found.add(person, returned ? returns[person]! : starts.timeOf(person), found.count);
    }
    // The label of a person is the place at which it was found.
    const own = found.persons.subarray(0, found.count).map((person) => starts.labelOf(person));
    const columns = this.#plan.groups.length;
    const groups = labels === null ? null : mergeLabels([{ labels: labels.pack(own), own }], columns, context);
    return peopleTable(
      this.#plan,
      found,
      (at) => [
        ...this.#plan.groups.map((_, nth) => groups?.text(nth, own[at]!) ?? null),
        names[starts.bucketOf(found.persons[at]!) - before]!,
      ],
      context,
    );
  }
}
