/** How many rows each person has: fields of profiles are then read once a person, not once a row. */
import type { Positions } from '../groups/positions.ts';
import { blocksOf } from '../groups/select.ts';
import { LoopInputs, loopOf } from '../loops/generate.ts';
import type { QueryContext } from '../query-context.ts';

export class PersonRows {
  readonly #context: QueryContext;
  /** By person; nobody's, too. */
  readonly #rows: Uint32Array;

  constructor(context: QueryContext) {
    this.#context = context;
    // Ids that came after the last binding are persons too.
    const persons = Math.max(context.identity().size, context.reader.ids().size + 1);
    context.budget.take(persons * Uint32Array.BYTES_PER_ELEMENT);
    this.#rows = new Uint32Array(persons);
  }

  /** Plain form: `rows[persons[i]]++`. */
  add(persons: Uint32Array, positions: Positions): void {
    const inputs = new LoopInputs();
    const loop = loopOf(`out[${inputs.name(persons)}[i]]++;`, inputs, positions.rows !== null);
    for (const { from, to } of positions.spans) {
      for (const block of blocksOf(from, to)) {
        this.#context.checkpoint();
        loop(this.#rows, inputs.arrays, positions.rows, { ...block, a: 0, b: 0 });
      }
    }
  }

  /** Whoever has rows and a profile, and how many rows. */
  profiled(): { readonly persons: Uint32Array; readonly weights: Uint32Array } {
    const { profiles } = this.#context.profiles();
    const there = profiles.filter(({ person }) => (this.#rows[person] ?? 0) > 0);
    const persons = Uint32Array.from(there, ({ person }) => person);
    return { persons, weights: persons.map((person) => this.#rows[person]!) };
  }
}
