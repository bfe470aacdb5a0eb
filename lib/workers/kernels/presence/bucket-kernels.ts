/** Kernels that find in which buckets each person did something. A few buckets are bits of a mask per person. */
import type { Table } from '../../../dsl/plan/table.ts';
import type { TimeRange } from '../../../dsl/time/units.ts';
import { BucketSweep } from '../../persons/bucket-sweep.ts';
import { forPersons, type PersonBlock } from '../../persons/person-blocks.ts';
import { joinMasks, PersonMasks, type MaskArray } from '../../persons/person-masks.ts';
import { selectPersons, type EventsWanted } from '../../persons/select-events.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { only } from '../partial-result.ts';

/** The events of all buckets. */
interface Bucketed {
  readonly wanted: EventsWanted & { readonly starts: Float64Array };
  readonly time: TimeRange;
}

interface Masked {
  readonly masks: PersonMasks;
  readonly context: QueryContext;
}

/** Merges the masks of parts, which may come in any order. @param answer Of masks by word, then by person. */
export function maskedKernel(
  { wanted, time }: Bucketed,
  answer: (words: readonly MaskArray[], context: RowContext) => Table,
): Kernel<Masked, readonly MaskArray[]> {
  return {
    order: 'oldest',
    init: (context) => ({ masks: new PersonMasks(context.identity().size, wanted.starts.length, context), context }),
    consume: ({ masks, context }, rows, range) => masks.add(selectPersons(rows, { ...range, time }, wanted, context)),
    partial: ({ masks }) => ({ kind: 'masks', words: masks.words() }),
    merge: (partials, context) => {
      const words = only('masks', partials).map((partial) => partial.words);
      return joinMasks(words, context);
    },
    finish: answer,
  };
}

interface Swept<S> {
  readonly state: S;
  readonly sweep: BucketSweep<null>;
  readonly context: QueryContext;
}

interface Sweeping<S> {
  readonly begin: (context: QueryContext) => S;
  /** Called with the rows of all buckets, in order of buckets. */
  readonly visit: (state: S, block: PersonBlock) => void;
  readonly table: (state: S) => Table;
}

/** For any number of buckets, in one part that goes through them in order. */
export function sweptKernel<S>(
  { wanted, time }: Bucketed,
  { begin, visit, table }: Sweeping<S>,
): Kernel<Swept<S>, Table> {
  return tableKernel({
    order: 'oldest',
    init(context): Swept<S> {
      const state = begin(context);
      const sweep = new BucketSweep<null>(wanted.starts, context.budget, (swept) => {
        for (const rows of swept) forPersons(rows, context, (block) => visit(state, block));
      });
      return { state, sweep, context };
    },
    consume({ sweep, context }, rows, range) {
      sweep.advance(rows.segment.first);
      sweep.add(selectPersons(rows, { ...range, time }, wanted, context), null);
    },
    table({ state, sweep }) {
      sweep.finish();
      return table(state);
    },
  });
}
