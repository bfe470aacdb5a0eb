import { expect } from 'chai';
import { compileQuery } from '../../../lib/dsl/compile.ts';
import type { BindContext } from '../../../lib/dsl/bind/bind.ts';

/** As a query at a moment in Berlin reads it. */
function contextAt(now: string): BindContext {
  return { now: Date.parse(now), timezone: { project: 'Europe/Berlin' }, limit: 100, offset: 0, earliest: 0 };
}

/** The earlier range of a query, as `from to`. */
function earlier(stages: string, now = '2026-04-01T12:00:00.001+02:00', source = '* | count'): string {
  const { plan } = compileQuery(`${source} | ${stages}`, contextAt(now));
  const found = plan.tableStages.flatMap((stage) => (stage.kind === 'compare' ? [stage.range] : []));
  return found.map(({ from, to }) => [from, to].map((time) => new Date(time).toISOString()).join(' ')).join();
}

describe('the earlier range of a comparison', () => {
  it('is as long before for the last hours, and in the calendar for longer units', () => {
    expect(earlier('last 3h | compare previous')).to.equal('2026-04-01T04:00:00.001Z 2026-04-01T07:00:00.001Z');
    // The clocks were set forward on 29 March: a calendar week before noon is noon.
    expect(earlier('last 7d | compare previous')).to.equal('2026-03-18T10:00:00.001Z 2026-03-25T11:00:00.001Z');
    expect(earlier('last 1w | compare previous')).to.equal(earlier('last 7d | compare previous'));
    expect(earlier('last 1mo | compare previous')).to.equal('2026-02-01T11:00:00.001Z 2026-03-01T11:00:00.001Z');
    expect(earlier('compare previous')).to.equal(earlier('last 7d | compare previous'));
  });

  it('is as long before as the default range of the source', () => {
    const now = '2026-01-31T12:00:00Z';
    const of = (source: string): string => earlier('compare previous', now, source);
    expect(of('users | count')).to.equal('2025-12-02T12:00:00.000Z 2026-01-01T12:00:00.000Z');
    expect(of('funnel a -> b')).to.equal(of('users | count'));
    expect(of('lifecycle a | by month')).to.equal('2024-01-31T12:00:00.000Z 2025-01-31T12:00:00.000Z');
    expect(of('lifecycle a')).to.equal('2025-08-16T11:00:00.000Z 2025-11-08T12:00:00.000Z');
  });

  it('ends at the same time on the clock for what is not over', () => {
    expect(earlier('today | compare previous')).to.equal('2026-03-30T22:00:00.000Z 2026-03-31T10:00:00.001Z');
    expect(earlier('this week | compare previous')).to.equal('2026-03-22T23:00:00.000Z 2026-03-25T11:00:00.001Z');
    expect(earlier('this month | compare previous', '2026-03-31T12:00Z')).to.equal(
      '2026-01-31T23:00:00.000Z 2026-02-28T13:00:00.000Z',
    );
    expect(earlier('this quarter | compare previous')).to.equal('2025-12-31T23:00:00.000Z 2026-01-01T11:00:00.001Z');
    expect(earlier('this year | compare previous')).to.equal('2024-12-31T23:00:00.000Z 2025-04-01T10:00:00.001Z');
  });

  it('is the whole day before for yesterday', () => {
    expect(earlier('yesterday | compare previous', '2026-03-30T12:00Z')).to.equal(
      '2026-03-27T23:00:00.000Z 2026-03-28T23:00:00.000Z',
    );
  });

  it('is as many months, as many days, or as long before for dates', () => {
    expect(earlier('from 2026-03-01 to 2026-04-01 | compare previous')).to.equal(
      '2026-01-31T23:00:00.000Z 2026-02-28T23:00:00.000Z',
    );
    expect(earlier('from 2025-12-01 to 2026-03-01 | compare previous')).to.equal(
      '2025-08-31T22:00:00.000Z 2025-11-30T23:00:00.000Z',
    );
    expect(earlier('from 2026-03-28 to 2026-03-31 | compare previous')).to.equal(
      '2026-03-24T23:00:00.000Z 2026-03-27T23:00:00.000Z',
    );
    expect(earlier('from 2026-03-29T00:00 to 2026-03-29T12:00 | compare previous')).to.equal(
      '2026-03-28T12:00:00.000Z 2026-03-28T23:00:00.000Z',
    );
    expect(earlier('since 2026-04-01T08:00 | compare previous')).to.equal(
      '2026-04-01T01:59:59.999Z 2026-04-01T06:00:00.000Z',
    );
  });

  it('is moved at both ends by a length of time, also of all', () => {
    expect(earlier('from 2026-03-29 to 2026-03-30 | compare 7d ago')).to.equal(
      '2026-03-21T23:00:00.000Z 2026-03-22T23:00:00.000Z',
    );
    expect(earlier('today | compare 1 year ago')).to.equal('2025-03-31T22:00:00.000Z 2025-04-01T10:00:00.001Z');
    expect(earlier('all | compare 1mo ago')).to.equal('1969-12-01T00:00:00.000Z 2026-03-01T11:00:00.001Z');
    expect(earlier('from 2024-02-29 to 2024-03-01 | compare 1y ago')).to.equal(
      '2023-02-27T23:00:00.000Z 2023-02-28T23:00:00.000Z',
    );
  });

  it('is told, with the buckets that have no counterpart', () => {
    const notes = (q: string): readonly string[] => compileQuery(q, contextAt('2026-04-01T12:00Z')).notes;
    expect(notes('* | count by day | from 2026-02-01 to 2026-03-01 | compare previous')).to.deep.equal([
      'Compared with 2026-01-01T00:00:00.000+01:00 to 2026-02-01T00:00:00.000+01:00. It has more days than the present range; left out: 2026-01-29, 2026-01-30, 2026-01-31.',
    ]);
    expect(notes('* | count | yesterday | compare 1w ago')).to.deep.equal([
      'Compared with 2026-03-24T00:00:00.000+01:00 to 2026-03-25T00:00:00.000+01:00.',
    ]);
  });
});
