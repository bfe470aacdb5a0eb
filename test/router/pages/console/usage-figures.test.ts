import { expect } from 'chai';
import { NO_USAGE } from '../../../../lib/control/usage/usage.ts';
import { expectedInMonth, usageFigures } from '../../../../lib/router/pages/console/usage-figures.ts';

const NONE = { ...NO_USAGE, bytes_stored: 0 };

describe('figures of usage', () => {
  const onDisk = (...days: readonly Partial<typeof NONE>[]): string => {
    const rows = days.map((day, i) => ({ date: `2026-11-0${i + 1}`, ...NONE, ...day }));
    return /On disk<\/dt>\s*<dd>([^<]*)</.exec(usageFigures(rows, Date.parse('2026-11-02T08:00Z')).text)?.[1] ?? '';
  };

  it('show the bytes of the last day that was', () => {
    expect(onDisk({ bytes_stored: 1024 }, { bytes_stored: 2048 }, { bytes_stored: 0 })).to.equal('2 KiB');
    expect(onDisk({}, {})).to.equal('0 bytes');
  });

  it('tell what a month will have at this pace, once it is a day old and until it is over', () => {
    expect(expectedInMonth(100, '2026-11', Date.parse('2026-11-11'))).to.equal(300);
    expect(expectedInMonth(100, '2026-11', Date.parse('2026-11-01T23:59Z'))).to.equal(null);
    expect(expectedInMonth(100, '2026-11', Date.parse('2026-12-01'))).to.equal(null);
    const text = usageFigures([{ date: '2026-11-01', ...NONE, events_stored: 2_000 }], Date.parse('2026-11-11')).text;
    expect(text).to.match(/Expected this month<\/dt>\s*<dd>about 6K</);
  });

  it('do not say that events which are in the journal only take no bytes', () => {
    expect(onDisk({}, { events_stored: 1_000 })).to.equal('not known yet');
  });
});
