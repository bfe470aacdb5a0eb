import { expect } from 'chai';
import { NO_USAGE } from '../../../../lib/control/usage/usage.ts';
import { usageFigures } from '../../../../lib/router/pages/console/usage-figures.ts';

const NONE = { ...NO_USAGE, bytes_stored: 0 };

describe('figures of usage', () => {
  const onDisk = (...days: readonly Partial<typeof NONE>[]): string => {
    const rows = days.map((day, i) => ({ date: `2026-11-0${i + 1}`, ...NONE, ...day }));
    return /On disk<\/dt>\s*<dd>([^<]*)</.exec(usageFigures(rows, '2026-11-02').text)?.[1] ?? '';
  };

  it('show the bytes of the last day that was', () => {
    expect(onDisk({ bytes_stored: 1024 }, { bytes_stored: 2048 }, { bytes_stored: 0 })).to.equal('2 KiB');
    expect(onDisk({}, {})).to.equal('0 bytes');
  });

  it('do not say that events which are in the journal only take no bytes', () => {
    expect(onDisk({}, { events_stored: 1_000 })).to.equal('not known yet');
  });
});
