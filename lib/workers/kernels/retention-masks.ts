/** Retention of few buckets whose starts are returns: the buckets of a person are bits, in any order of segments and parts. */
import { PersonMasks, type MaskArray } from '../persons/person-masks.ts';
import { selectEvents } from '../persons/select-events.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { RowRange } from './contract.ts';
import type { Gathering, RetentionOptions } from './retention-gathering.ts';

export class RetentionMasks implements Gathering {
  readonly #options: RetentionOptions;
  readonly #masks: PersonMasks;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#masks = new PersonMasks(options.context.identity().size, options.buckets.length, options.context);
  }

  consume(rows: EventRows, range: RowRange): void {
    const { starting, returning, starts, labels, context } = this.#options;
    const begun = selectEvents(rows, range, starting, context);
    starts.add({ rows, list: begun.rows, spans: begun.spans, labels: labels?.of(rows, begun) ?? null });
    const same = starting.event === returning.event;
    this.#masks.add(rows, same ? begun : selectEvents(rows, range, returning, context));
  }

  seen(): MaskArray {
    return this.#masks.masks;
  }
}
