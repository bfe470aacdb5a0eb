import { expect } from 'chai';
import { chart, niceStep } from '../../../../lib/router/pages/console/chart.ts';

const DAYS = [
  { date: '2026-11-01', value: 0 },
  { date: '2026-11-02', value: 1_500 },
  { date: '2026-11-03', value: 300 },
];

function heights(markup: string): number[] {
  const [large = ''] = markup.split('class="small"');
  return [...large.matchAll(/class="value"[^>]*height="([\d.]+)"/g)].map(([, height]) => Number(height));
}

describe('the chart of usage', () => {
  it('has lines at round numbers that hold the largest value', () => {
    for (const [most, step] of [[0, 1], [1, 1], [4, 1], [5, 2], [9, 3], [40, 10], [1_500, 500], [738_000, 200_000], [1_000_001, 500_000]] as const) {
      expect([most, niceStep(most)]).to.deep.equal([most, step]);
      expect(niceStep(most) * 4).to.be.at.least(most);
    }
  }); // prettier-ignore

  it('draws a bar for every day, as high as its value', () => {
    const [none, most, some] = heights(chart({ title: 'Events', unit: 'events', days: DAYS }).text);
    expect(none).to.equal(0);
    expect(some).to.be.closeTo((most ?? 0) / 5, 0.2);
  });

  it('says in words and in a table what it shows', () => {
    const { text } = chart({ title: 'Events stored', unit: 'events', days: DAYS });
    expect(text).to.contain('aria-label="Events stored: 1,800 events, most on Nov 2, 2026 with 1,500."');
    expect(text).to.contain('<td>Nov 3, 2026</td><td class="number">300</td>');
  });

  it('says that there is nothing, and still has its axes', () => {
    const { text } = chart({ title: 'Events', unit: 'events', days: [{ date: '2026-11-01', value: 0 }] });
    expect(text).to.contain('aria-label="Events: none."').and.contain('class="axis"');
  });
});
