/** How many rows each person has, so that fields of profiles are read once a person, not once a row. */
import type { Positions } from '../groups/positions.ts';
import { primitives } from '../../primitives/memory.ts';
import { countsBySlot } from '../metrics/state-array.ts';
import { forPersons } from '../persons/person-blocks.ts';
import type { QueryContext } from '../query-context.ts';

export class PersonRows {
  readonly #context: QueryContext;
  /** By person, including nobody. */
  readonly #rows;

  constructor(context: QueryContext) {
    this.#context = context;
    this.#rows = countsBySlot(context);
    // Ids added after the last binding are persons too.
    this.#rows.resize(Math.max(context.identity().size, context.reader.ids().size + 1));
  }

  /** Plain form: `rows[persons[i]]++`. */
  add(persons: Uint32Array, { rows: list, spans }: Positions): void {
    forPersons({ persons, list, spans }, this.#context, ({ persons: own, count }) => {
      primitives.countCodes(own, 4, count, this.#rows.address, 0);
    });
  }

  /** The persons who have rows and a profile, and how many rows. */
  profiled(): { readonly persons: Uint32Array; readonly weights: Uint32Array } {
    const { profiles } = this.#context.profiles();
    const { values } = this.#rows;
    const persons = new Uint32Array(profiles.length);
    const weights = new Uint32Array(profiles.length);
    let count = 0;
    for (const { person } of profiles) {
      const rows = values[person] ?? 0;
      if (rows === 0) continue;
      persons[count] = person;
      weights[count++] = rows;
    }
    return { persons: persons.subarray(0, count), weights: weights.subarray(0, count) };
  }
}
