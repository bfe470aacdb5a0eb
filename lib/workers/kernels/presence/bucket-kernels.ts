/** Kernels that find in which buckets each person did something. A few buckets are bits of a mask per person. */
import type { Table } from '../../../dsl/plan/table.ts';
import type { TimeRange } from '../../../dsl/time/units.ts';
import { BucketSweep } from '../../persons/bucket-sweep.ts';
import { forPersons, type PersonBlock } from '../../persons/person-blocks.ts';
import { joinMasks, PersonMasks, type MaskArray } from '../../persons/person-masks.ts';
import { selectPersons, selectTimed, type EventsWanted } from '../../persons/select-events.ts';
import type { QueryContext, RowContext } from '../../query-context.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { onlyKind } from '../partial-result.ts';

/** The events of all buckets. */
export interface Bucketed {
  readonly wanted: EventsWanted & { readonly starts: Float64Array };
  readonly time: TimeRange;
}

/** Merges the masks of parts, which may come in any order. @param table Of masks by word, then by person, of those who have any. */
export function maskedKernel(
  { wanted, time }: Bucketed,
  table: (words: readonly MaskArray[], context: RowContext) => Table,
): Kernel {
  return {
    order: 'oldest',
    start(context) {
      const masks = new PersonMasks(context.identity().size, wanted.starts.length, context);
      return {
        consume: (rows, range) => masks.add(selectPersons(rows, { ...range, time }, wanted, context)),
        partial() {
          const persons = masks.persons();
          return { kind: 'masks', persons, words: masks.of(persons) };
        },
      };
    },
    answer(partials, context) {
      return table(joinMasks(onlyKind('masks', partials), context), context);
    },
  };
}

interface Sweeping {
  /** Called with the rows of all buckets, in order of buckets. */
  readonly visit: (block: PersonBlock) => void;
  /** Called with the events of each segment, if their times matter. */
  readonly see?: (events: ReturnType<typeof selectTimed>) => void;
  readonly table: () => Table;
}

/** For any number of buckets, in one part that goes through them in order. */
export function sweptKernel({ wanted, time }: Bucketed, begin: (context: QueryContext) => Sweeping): Kernel {
  return tableKernel('oldest', (context) => {
    const { visit, see, table } = begin(context);
    const sweep = new BucketSweep<null>(wanted.starts, context.budget, (swept) => {
      for (const rows of swept) forPersons(rows, context, visit);
    });
    return {
      consume(rows, range) {
        sweep.advance(rows.segment.first);
        const events = selectTimed(rows, { ...range, time }, wanted, context);
        see?.(events);
        sweep.add(events, null);
      },
      table() {
        sweep.finish();
        return table();
      },
    };
  });
}
