/** Retention for few buckets if starts are returns: a person's buckets are bits, with segments and parts in any order. */
import { PersonMasks, type MaskArray } from '../../persons/person-masks.ts';
import { selectPersons } from '../../persons/select-persons.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../contract.ts';
import { selectStarts, type Gathering, type RetentionOptions } from './retention-gathering.ts';

export class RetentionMasks implements Gathering {
  readonly #options: RetentionOptions;
  readonly #masks: PersonMasks;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#masks = new PersonMasks(options.context.identity().size, options.buckets.length, options.context);
  }

  consume(rows: EventRows, range: RowRange): void {
    const { starting, returning, starts, time, context } = this.#options;
    const begun = selectStarts(rows, range, this.#options);
    starts.add(begun);
    const same = starting.event === returning.event;
    this.#masks.add(same ? begun : selectPersons(rows, { ...range, time }, returning, context));
  }

  seen(): readonly MaskArray[] {
    return this.#masks.words();
  }
}
