import { expect } from 'chai';
import { chartData } from '../../console/dashboard/chart-data.ts';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { answerColumns } from '../../lib/dsl/plan/columns.ts';

const FILE = `version: 1
title: Hours
sections:
  - cards:
      - { id: hours, title: Hours, kind: chart, viz: bar, query: 'visit | today | count by hour' }
`;

describe('the data of charts', () => {
  it('has the hour that is repeated when clocks go back in its order', () => {
    const [card] = checkDashboard(FILE).dashboard?.sections[0]?.cards ?? [];
    if (card === undefined) throw new Error('the file is wrong');
    const hours = ['01:00:00+02:00', '02:00:00+02:00', '02:00:00+01:00', '03:00:00+01:00'].map((hour) => `2026-10-25T${hour}`); // prettier-ignore
    const answer = {
      ...{ total: 4, rows_scanned: 4, elapsed_ms: 1, mode: 'ordered', notes: [] },
      columns: ['hour', 'count'],
      column_types: [
        { name: 'hour', type: 'time', role: 'bucket' },
        { name: 'count', type: 'number', role: 'metric' },
      ],
      rows: hours.map((hour, count) => ({ hour, count })),
      range: { from: '2026-10-25T01:00:00.000+02:00', to: '2026-10-25T04:00:00.000+01:00', timezone: 'Europe/Berlin' },
    } as const;
    const data = chartData({ q: answer }, card.viz, card.options);
    expect(data?.places.map(({ key }) => key)).to.deep.equal(hours);
    expect(data?.series[0]?.values).to.deep.equal([0, 1, 2, 3]);
  });

  it('has numbers in order and to scale, and other groups as they come', () => {
    const [card] = checkDashboard(FILE).dashboard?.sections[0]?.cards ?? [];
    if (card === undefined) throw new Error('the file is wrong');
    const placesOf = (amounts: readonly (string | number)[], viz: 'histogram' | 'line' | 'bar'): unknown => {
      const answer = {
        ...{ total: 4, rows_scanned: 4, elapsed_ms: 1, mode: 'ordered', notes: [] },
        columns: ['amount', 'count'],
        column_types: [
          { name: 'amount', type: 'string', role: 'group' },
          { name: 'count', type: 'number', role: 'metric' },
        ],
        rows: amounts.map((amount, count) => ({ amount, count })),
        range: { from: '2026-10-25T00:00:00.000Z', to: '2026-10-26T00:00:00.000Z', timezone: 'UTC' },
      } as const;
      return chartData({ q: answer }, viz, card.options)?.places.map(({ key, at }) => [key, at]);
    };
    for (const viz of ['histogram', 'line'] as const)
      expect(placesOf(['49', '19', '109'], viz)).to.deep.equal([['19', 0], ['49', 1], ['109', 3]]); // prettier-ignore
    expect(placesOf(['49', '19', '109'], 'bar')).to.deep.equal([['49', 0], ['19', 1], ['109', 2]]); // prettier-ignore
    expect(placesOf(['49', 'none', '9'], 'line')).to.deep.equal([['49', 0], ['none', 1], ['9', 2]]); // prettier-ignore
    expect(placesOf(['1', '1.0', '5'], 'line')).to.deep.equal([['1', 0], ['1.0', 1], ['5', 2]]); // prettier-ignore
    expect(placesOf(['-1e308', '1e308'], 'line')).to.deep.equal([['-1e308', 0], ['1e308', 1]]); // prettier-ignore
    expect(placesOf(['7'], 'line')).to.deep.equal([['7', 0]]);
  });

  it('has credits as bars, by the values of their field', () => {
    const query = 'attribution purchase | by session.utm_source | sum event_properties.amount as revenue';
    const { dashboard, problems } = checkDashboard(`version: 1
title: Channels
sections:
  - cards:
      - { id: bars, kind: chart, viz: bar, query: '${query}', options: { y: [conversions, revenue] } }
      - { id: table, kind: table, query: '${query} | model first' }
`);
    expect(problems).to.deep.equal([]);
    const [card] = dashboard?.sections[0]?.cards ?? [];
    if (card === undefined) throw new Error('the file is wrong');
    const { plan } = compileQuery(query, { now: 0, timezone: { project: 'UTC' }, limit: 10, offset: 0 });
    const types = answerColumns(plan);
    const answer = {
      ...{ total: 2, rows_scanned: 8, elapsed_ms: 1, mode: 'embedded', notes: [] },
      columns: types.map(({ name }) => name),
      column_types: types.map(({ name, type, role }) => ({ name, type, role })),
      rows: [
        { 'session.utm_source': 'mail', conversions: 1.5, share: 0.75, revenue: 30 },
        { 'session.utm_source': null, conversions: 0.5, share: 0.25, revenue: 10 },
      ],
      range: { from: '2026-10-25T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z', timezone: 'UTC' },
    };
    const data = chartData({ query: answer }, card.viz, card.options);
    expect(data?.places.map(({ key }) => key)).to.deep.equal(['mail', '(none)']);
    expect(data?.series.map(({ values }) => values)).to.deep.equal([[1.5, 0.5], [30, 10]]); // prettier-ignore
  });

  it('has columns by the names that a query gives them, and those that its stages add', () => {
    const query = 'visit | last 7d | count as visits, unique as people by _os | share | having visits > 1';
    const { dashboard, problems } = checkDashboard(`version: 1
title: Systems
sections:
  - cards:
      - { id: os, kind: chart, viz: bar, query: '${query}', options: { x: _os, y: [visits, share] } }
`);
    expect(problems).to.deep.equal([]);
    const [card] = dashboard?.sections[0]?.cards ?? [];
    if (card === undefined) throw new Error('the file is wrong');
    const { plan } = compileQuery(query, { now: 0, timezone: { project: 'UTC' }, limit: 10, offset: 0 });
    const types = answerColumns(plan);
    expect(types.map(({ name }) => name)).to.deep.equal(['_os', 'visits', 'share', 'people']);
    const answer = {
      ...{ total: 2, rows_scanned: 8, elapsed_ms: 1, mode: 'embedded', notes: [] },
      columns: types.map(({ name }) => name),
      column_types: types.map(({ name, type, role }) => ({ name, type, role })),
      rows: [
        { _os: 'Linux', visits: 6, share: 0.75, people: 3 },
        { _os: null, visits: 2, share: 0.25, people: 2 },
      ],
      range: { from: '2026-10-25T00:00:00.000Z', to: '2026-11-01T00:00:00.000Z', timezone: 'UTC' },
    };
    const data = chartData({ query: answer }, card.viz, card.options);
    expect(data?.places.map(({ key }) => key)).to.deep.equal(['Linux', '(none)']);
    expect(data?.series.map(({ values }) => values)).to.deep.equal([
      [6, 2],
      [0.75, 0.25],
    ]);
  });
});
