import { expect } from 'chai';
import { chartData } from '../../console/dashboard/chart-data.ts';
import { checkDashboard } from '../../lib/dashboards/check.ts';

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
});
