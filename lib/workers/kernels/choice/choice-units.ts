/** Who saw which variant of a choice first and when, and what they did then: a place for each person, or value of the unit. */
import { SECOND_MS } from '../../../base/day.ts';
import type { VariantTally } from '../../../dsl/finish/choice-results.ts';
import { isSeconds } from '../../../dsl/plan/fields.ts';
import type { ChoicePlan } from '../../../dsl/plan/plan.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { roundComputed } from '../../../dsl/plan/value.ts';
import { addDuration, fixedLength } from '../../../dsl/time/duration.ts';
import type { Zone } from '../../../dsl/time/zone.ts';
import { BYTES } from '../../../primitives/columns.ts';
import { tooManyGroups, ENTRY_BYTES } from '../../budget.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { PairIds } from '../../groups/pair-ids.ts';
import { mergeLabels } from '../../metrics/merge-groups.ts';
import { countsBySlot, numbersBySlot, SlotState } from '../../metrics/state-array.ts';
import { roundedOff } from '../../metrics/sum.ts';
import type { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import type { ChoicePartial } from '../partial-result.ts';
import { FoundPeople, peopleTable } from '../people.ts';

/** Instead of a variant: there was more than one. */
const SEVERAL = 0xffffffff;

/** An exposure. `label`: of its groups; 0 without. Of one millisecond the first to arrive counts. */
interface Exposure {
  readonly variant: number;
  readonly time: number;
  readonly arrival: number;
  readonly label: number;
  readonly person: number;
}

export class ChoiceUnits {
  readonly #plan: ChoicePlan;
  readonly #context: QueryContext;
  readonly #window: ChoicePlan['window'];
  readonly #length: number | null;
  readonly #zone: Zone;
  readonly #placeOf;
  readonly #variants;
  readonly #first;
  readonly #last;
  readonly #arrivals;
  readonly #persons;
  readonly #labels;
  /** 1 for units with a known exposure of whom further events matter. */
  readonly #waiting;
  /** Whether a unit converted; with a metric, how many numbers it has, their sum, and what its additions round off. */
  readonly #converted;
  readonly #sums;
  readonly #errors;
  size = 0;

  constructor(plan: ChoicePlan, context: QueryContext) {
    this.#plan = plan;
    this.#context = context;
    this.#window = plan.window;
    this.#length = fixedLength(plan.window);
    this.#zone = context.zone;
    this.#waiting = new SlotState(BYTES, 0, context);
    this.#placeOf = countsBySlot(context);
    this.#variants = countsBySlot(context);
    this.#converted = countsBySlot(context);
    this.#labels = countsBySlot(context);
    this.#persons = countsBySlot(context);
    this.#first = numbersBySlot(context);
    this.#last = numbersBySlot(context);
    this.#arrivals = numbersBySlot(context);
    this.#sums = numbersBySlot(context);
    this.#errors = numbersBySlot(context);
  }

  /** From now on unit numbers are below `count`. */
  fit(count: number): void {
    this.#placeOf.resize(count);
    this.#waiting.resize(count);
  }

  get waiting(): Uint8Array {
    return this.#waiting.values;
  }

  /** Adds an exposure. Those of earlier batches come before those of later ones; within a batch the order is free. */
  expose(unit: number, exposure: Exposure): void {
    const place = this.#placeOf.values[unit]! - 1;
    if (place < 0) {
      this.#add(unit, exposure);
      return;
    }
    const { variant, time, arrival } = exposure;
    if (this.#variants.values[place] !== variant) this.#variants.values[place] = SEVERAL;
    const first = this.#first.values[place]!;
    if (time < first || (time === first && arrival < this.#arrivals.values[place]!)) this.#begin(place, exposure);
  }

  /** All exposures of a batch are known: sets the windows of new units, from this place on. */
  close(from: number): void {
    for (let place = from; place < this.size; place++) {
      const time = this.#first.values[place]!;
      this.#last.values[place] =
        this.#length === null ? addDuration(time, this.#window, this.#zone, 1) : time + this.#length;
    }
  }

  /** Adds an event, a conversion if it lies in the unit's window. The unit must be waiting. */
  convert(unit: number, time: number): void {
    const place = this.#placeIn(unit, time);
    if (place < 0) return;
    this.#converted.values[place] = 1;
    this.#waiting.values[unit] = 0;
  }

  /** Adds the number of an event, if it lies in the unit's window. The unit must be waiting. */
  measure(unit: number, time: number, value: number): void {
    const place = this.#placeIn(unit, time);
    if (place < 0) return;
    const [sums, errors] = [this.#sums.values, this.#errors.values];
    errors[place]! += roundedOff(sums[place]!, value);
    sums[place]! += value;
    this.#converted.values[place]!++;
  }

  /** -1: the time is not in the unit's window. */
  #placeIn(unit: number, time: number): number {
    const place = this.#placeOf.values[unit]! - 1;
    return time < this.#first.values[place]! || time > this.#last.values[place]! ? -1 : place;
  }

  /** Whoever saw one variant alone, at the first exposure. @param labels What labels stand for; null without groups. */
  people(textOf: (variant: number) => string, labels: StartLabels | null): Table {
    const found = new FoundPeople(this.size, this.#context);
    for (let place = 0; place < this.size; place++) {
      if (place % CHECK_EVERY === 0) this.#context.checkpoint();
      if (this.#variants.values[place] === SEVERAL) continue;
      found.add(this.#persons.values[place]!, this.#first.values[place]!, place);
    }
    const own = this.#labels.values.slice(0, this.size);
    const { groups } = this.#plan;
    const merged = labels === null ? null : mergeLabels([{ labels: labels.pack(own), own }], groups.length, this.#context); // prettier-ignore
    return peopleTable(
      this.#plan,
      found,
      (place) => [
        ...groups.map((_, nth) => merged?.text(nth, own[place]!) ?? null),
        textOf(this.#variants.values[place]!),
        this.#converted.values[place] === 1,
      ],
      this.#context,
    );
  }

  /** @param labels What labels stand for; null without groups. */
  partial(textOf: (variant: number) => string, labels: StartLabels | null): ChoicePartial {
    const slots = new PairIds(this.#context);
    const tallies: Tally[] = [];
    let several = 0;
    for (let place = 0; place < this.size; place++) {
      if (place % CHECK_EVERY === 0) this.#context.checkpoint();
      const variant = this.#variants.values[place]!;
      if (variant === SEVERAL) {
        several++;
        continue;
      }
      const slot = slots.id(variant, this.#labels.values[place]!);
      if (slot === tallies.length) {
        if (slots.size > this.#context.maxGroups) throw tooManyGroups(this.#context.maxGroups);
        this.#context.budget.take(4 * ENTRY_BYTES); // with its row in the answer
        tallies.push(new Tally());
      }
      this.#tally(place, tallies[slot]!);
    }
    const own = Uint32Array.from(tallies, (_, slot) => slots.second(slot));
    const { groups } = this.#plan;
    const merged = labels === null ? null : mergeLabels([{ labels: labels.pack(own), own }], groups.length, this.#context); // prettier-ignore
    return {
      kind: 'choice',
      tallies: tallies.map((tally, slot) => ({
        variant: textOf(slots.first(slot)),
        group: groups.map((_, nth) => merged?.text(nth, own[slot]!) ?? null),
        ...tally.found(this.#plan.metrics.length > 0),
      })),
      several,
    };
  }

  /** Adds a unit to the others who saw its variant alone. */
  #tally(place: number, tally: Tally): void {
    const [metric] = this.#plan.metrics;
    const count = this.#converted.values[place]!;
    tally.users++;
    if (metric === undefined) tally.conversions += count;
    else if (metric.kind === 'sum' || count > 0) {
      const sum = this.#sums.values[place]! + this.#errors.values[place]!;
      const divisor = (isSeconds(metric.field) ? SECOND_MS : 1) * (metric.kind === 'avg' ? count : 1);
      tally.add(roundComputed(sum / divisor));
    }
  }

  #add(unit: number, exposure: Exposure): void {
    const place = this.size++;
    for (const state of [this.#variants, this.#labels, this.#persons, this.#converted, this.#first, this.#last, this.#arrivals]) state.resize(this.size); // prettier-ignore
    if (this.#plan.metrics.length > 0) for (const state of [this.#sums, this.#errors]) state.resize(this.size);
    this.#placeOf.values[unit] = place + 1;
    this.#variants.values[place] = exposure.variant;
    this.#begin(place, exposure);
    this.#waiting.values[unit] = 1;
  }

  /** The exposure is the first so far. */
  #begin(place: number, { time, arrival, label, person }: Exposure): void {
    this.#persons.values[place] = person;
    this.#first.values[place] = time;
    this.#arrivals.values[place] = arrival;
    this.#labels.values[place] = label;
  }
}

/** The units of a group who saw a variant alone. Of their numbers a sum with what its additions round off, and their spread (Welford). */
class Tally {
  users = 0;
  conversions = 0;
  #count = 0;
  #sum = 0;
  #error = 0;
  #mean = 0;
  #squares = 0;

  add(value: number): void {
    this.#error += roundedOff(this.#sum, value);
    this.#sum += value;
    const distance = value - this.#mean;
    this.#mean += distance / ++this.#count;
    this.#squares += distance * (value - this.#mean);
  }

  found(isMeasured: boolean): Pick<VariantTally, 'users' | 'conversions' | 'numbers'> {
    const variance = this.#squares / (this.#count - 1);
    const numbers = { count: this.#count, total: this.#sum + this.#error, variance };
    return { users: this.users, conversions: this.conversions, numbers: isMeasured ? numbers : null };
  }
}
