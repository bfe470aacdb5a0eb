/** Who saw which variant of a choice first and when, and who converted: a place for each person, or value of the unit. */
import type { ChoicePlan } from '../../../dsl/plan/plan.ts';
import { addDuration, fixedLength } from '../../../dsl/time/duration.ts';
import type { Zone } from '../../../dsl/time/zone.ts';
import { BYTES } from '../../../primitives/columns.ts';
import { countsBySlot, numbersBySlot, SlotState } from '../../metrics/state-array.ts';
import type { QueryContext } from '../../query-context.ts';
import type { ChoicePartial } from '../partial-result.ts';

/** Instead of a variant: there was more than one. */
const SEVERAL = 0xffffffff;

export class ChoiceUnits {
  readonly #window: ChoicePlan['window'];
  readonly #length: number | null;
  readonly #zone: Zone;
  readonly #placeOf;
  readonly #variants;
  readonly #first;
  readonly #last;
  /** 1 for units with a known exposure and no conversion yet: only their conversions matter. */
  readonly #waiting;
  readonly #converted;
  /** By place, whose first exposure it is. */
  readonly #persons;
  size = 0;

  constructor(plan: ChoicePlan, context: QueryContext) {
    this.#window = plan.window;
    this.#length = fixedLength(plan.window);
    this.#zone = context.zone;
    this.#waiting = new SlotState(BYTES, 0, context);
    this.#placeOf = countsBySlot(context);
    this.#variants = countsBySlot(context);
    this.#converted = countsBySlot(context);
    this.#persons = countsBySlot(context);
    this.#first = numbersBySlot(context);
    this.#last = numbersBySlot(context);
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
  expose(unit: number, variant: number, time: number, person: number): void {
    const place = this.#placeOf.values[unit]! - 1;
    if (place < 0) {
      this.#add(unit, variant, time, person);
      return;
    }
    if (this.#variants.values[place] !== variant) this.#variants.values[place] = SEVERAL;
    if (time < this.#first.values[place]!) this.#first.values[place] = time;
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
    const place = this.#placeOf.values[unit]! - 1;
    if (time < this.#first.values[place]! || time > this.#last.values[place]!) return;
    this.#converted.values[place] = 1;
    this.#waiting.values[unit] = 0;
  }

  /** Calls with the person, first exposure, variant and conversion of those who saw one variant. */
  eachPerson(use: (person: number, time: number, variant: number, converted: boolean) => void): void {
    for (let place = 0; place < this.size; place++) {
      const variant = this.#variants.values[place]!;
      if (variant === SEVERAL) continue;
      use(this.#persons.values[place]!, this.#first.values[place]!, variant, this.#converted.values[place] === 1);
    }
  }

  partial(textOf: (variant: number) => string): ChoicePartial {
    const tallies = new Map<number, { users: number; conversions: number }>();
    let several = 0;
    for (let place = 0; place < this.size; place++) {
      const variant = this.#variants.values[place]!;
      if (variant === SEVERAL) {
        several++;
        continue;
      }
      const tally = tallies.get(variant) ?? { users: 0, conversions: 0 };
      tally.users++;
      tally.conversions += this.#converted.values[place]!;
      tallies.set(variant, tally);
    }
    return {
      kind: 'choice',
      tallies: Array.from(tallies, ([variant, tally]) => ({ variant: textOf(variant), ...tally })),
      several,
    };
  }

  #add(unit: number, variant: number, time: number, person: number): void {
    const place = this.size++;
    for (const state of [this.#variants, this.#converted, this.#persons, this.#first, this.#last])
      state.resize(this.size);
    this.#persons.values[place] = person;
    this.#placeOf.values[unit] = place + 1;
    this.#variants.values[place] = variant;
    this.#first.values[place] = time;
    this.#waiting.values[unit] = 1;
  }
}
