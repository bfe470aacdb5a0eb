import { expect } from 'chai';
import { formatTime } from '../../../lib/dsl/time/format-time.ts';
import { zone } from './zones.ts';

describe('formatTime', () => {
  it('writes milliseconds and the offset of the moment', () => {
    expect(formatTime(Date.UTC(2026, 0, 31, 10), zone('UTC'))).to.equal('2026-01-31T10:00:00.000Z');
    expect(formatTime(Date.UTC(2026, 0, 31, 10), zone('Europe/Berlin'))).to.equal('2026-01-31T11:00:00.000+01:00');
    expect(formatTime(Date.UTC(2026, 6, 31, 10), zone('Europe/Berlin'))).to.equal('2026-07-31T12:00:00.000+02:00');
    expect(formatTime(Date.UTC(2026, 0, 31, 10), zone('Asia/Kathmandu'))).to.equal('2026-01-31T15:45:00.000+05:45');
    expect(formatTime(Date.UTC(2026, 0, 31, 1), zone('America/St_Johns'))).to.equal('2026-01-30T21:30:00.000-03:30');
    expect(formatTime(-1, zone('UTC'))).to.equal('1969-12-31T23:59:59.999Z');
  });

  it('writes Z for an offset of 0 in any zone', () => {
    expect(formatTime(Date.UTC(2026, 0, 31, 10), zone('Europe/London'))).to.equal('2026-01-31T10:00:00.000Z');
    expect(formatTime(Date.UTC(2026, 6, 31, 10), zone('Europe/London'))).to.equal('2026-07-31T11:00:00.000+01:00');
  });

  it('takes the nearest minute for an offset with seconds, and keeps the moment', () => {
    const text = formatTime(Date.UTC(1960, 0, 1), zone('Africa/Monrovia'));
    expect(text).to.equal('1959-12-31T23:15:00.000-00:45');
    expect(Date.parse(text)).to.equal(Date.UTC(1960, 0, 1));
  });
});
