/** How many rows each person or session has, so that its fields are read once for all of them. */
import { primitives } from '../../../primitives/memory.ts';
import type { Positions } from '../../groups/positions.ts';
import { countsBySlot } from '../../metrics/state-array.ts';
import { forPersons } from '../../persons/person-blocks.ts';
import type { QueryContext } from '../../query-context.ts';

export class RowCounts {
  readonly #context: QueryContext;
  readonly #rows;

  /** @param length Owners of rows are below this. */
  constructor(length: number, context: QueryContext) {
    this.#context = context;
    this.#rows = countsBySlot(context);
    this.#rows.resize(length);
  }

  /** By owner. */
  get values(): Uint32Array {
    return this.#rows.values;
  }

  /** Plain form: `rows[owners[i]]++`. */
  add(owners: Uint32Array, { rows: list, spans }: Positions): void {
    forPersons({ persons: owners, list, spans }, this.#context, ({ persons: own, count }) => {
      primitives.countCodes(own, 4, count, this.#rows.address, 0);
    });
  }
}
