import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { compactSegments } from '../../../lib/shards/compaction/compact-segments.ts';
import { pickedRows } from '../../../lib/shards/compaction/picked-rows.ts';
import type { StoredSegment } from '../../../lib/shards/segment/stored-segment.ts';
import { NOW, openReader, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Segments of a project, with the numbers of its fields. */
function segmentsOf(...batches: readonly (readonly object[])[]): {
  segments: readonly StoredSegment[];
  fields: ReadonlyMap<string, number>;
} {
  const probe = new WriterProbe(temporaryFolder());
  for (const properties of batches) {
    probe.track(properties.map((each, i) => ({ event_type: 'e', time: NOW - 10_000 + i, event_properties: each })));
    probe.snapshot();
  }
  const snapshot = probe.snapshot();
  const reader = openReader(snapshot);
  return { segments: snapshot.segments.map(({ id }) => reader.segment(id)), fields: reader.fieldKeys(Infinity) };
}

describe('picked rows of segments', () => {
  it('have the numbers of a field that few rows have, whichever rows are picked', () => {
    const numbers = fc.array(fc.option(fc.integer(), { freq: 3 }), { minLength: 1, maxLength: 40 });
    const picks = fc.tuple(numbers, fc.infiniteStream(fc.boolean()));
    fc.assert(
      fc.property(fc.array(picks, { minLength: 1, maxLength: 3 }), (all) => {
        const { segments, fields } = segmentsOf(
          ...all.map(([values]) => values.map((n) => (n === null ? { other: 1 } : { n, other: 1 }))),
        );
        const rowsOf = all.map(([values, isPicked]) => range(values.length).filter(() => isPicked.next().value));
        const wanted = rowsOf.flatMap((rows, nth) => rows.map((row) => all[nth]![0][row]!));
        const { fields: made } = pickedRows(
          segments.map((segment, nth) => ({ segment, rows: Uint32Array.from(rowsOf[nth]!) })),
          fields,
        );
        const field = [...made].find((each) => each.field === fields.get('p:n'));
        const found = wanted.map(() => null as number | null);
        field?.numberRows.forEach((row, i) => (found[row] = field.numbers[i]!));
        expect(found).to.deep.equal(wanted);
      }),
      { numRuns: 30 },
    );
  });

  it('of thousands of fields that few rows have leave little to collect', async () => {
    const ROWS = 2_000;
    const FIELDS = 400;
    const batch = range(ROWS).map((i) => ({ [`f${i % FIELDS}`]: i }));
    const { segments, fields } = segmentsOf(batch, batch);
    let collections = 0;
    const observer = new PerformanceObserver((list) => {
      // What Node documents of 'gc'.
      for (const { detail } of list.getEntries() as unknown as readonly {
        readonly detail: { readonly flags: number };
      }[])
        if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) collections++;
    });
    observer.observe({ entryTypes: ['gc'] });
    const [made] = compactSegments(segments, fields, {
      ...{ segmentRows: 2 * ROWS, bytes: 0, ids: { secret: [0, 0], since: -Infinity } },
    });
    await setImmediate();
    await setImmediate();
    observer.disconnect();
    expect(made!.rows).to.equal(2 * ROWS);
    expect(collections).to.be.below(5);
  });
});
