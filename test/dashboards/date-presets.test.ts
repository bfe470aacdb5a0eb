import { expect } from 'chai';
import { morePresets, presetLabel } from '../../console/dashboard/date-presets.ts';
import { rangeStage } from '../../lib/dashboards/values.ts';

const variable = { kind: 'range', name: 'time', label: 'Time', default: 'last 7d', presets: [{ value: 'last 7d', label: 'A week' }] } as const; // prettier-ignore
const labels = (now: string, zone: string | null = 'UTC'): readonly string[] => morePresets(variable, zone, new Date(now)).map(({ label }) => label); // prettier-ignore
const lastMonth = (now: string, zone: string): string | undefined => morePresets(variable, zone, new Date(now)).at(-1)?.value; // prettier-ignore

describe('the ranges that a variable for dates offers', () => {
  it('are those that its file does not have, each one that a query takes', () => {
    expect(labels('2026-11-29T12:00Z')).to.deep.equal(['Today', 'Yesterday', 'Last 30 days', 'Last 90 days', 'This month', 'This year', 'Last month']); // prettier-ignore
    for (const { value } of morePresets(variable, null, new Date())) expect(rangeStage(value), value).to.be.a('string');
    expect(presetLabel('last 90d')).to.equal('Last 90 days');
    expect(presetLabel('last 91d')).to.equal(null);
  });

  it('have the last month by the clock of the dashboard, over the ends of years and Februaries too', () => {
    expect(lastMonth('2026-11-29T12:00Z', 'UTC')).to.equal('2026-10-01..2026-10-31');
    expect(lastMonth('2027-01-01T00:30Z', 'UTC')).to.equal('2026-12-01..2026-12-31');
    expect(lastMonth('2027-01-01T00:30Z', 'America/New_York')).to.equal('2026-11-01..2026-11-30');
    expect(lastMonth('2028-03-31T23:30Z', 'UTC')).to.equal('2028-02-01..2028-02-29');
  });
});
