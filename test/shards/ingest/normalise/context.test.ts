import { expect } from 'chai';
import {
  type BatchRoot,
  NO_ROOT,
  batchRoot,
  type EventContext,
  eventContext,
  eventOrigin,
  scannedTime,
  sentTime,
} from '../../../../lib/shards/ingest/normalise/context.ts';
import { Remarks } from '../../../../lib/shards/ingest/normalise/remarks.ts';

const NOW = Date.parse('2026-03-08T10:00:00Z');
const HOUR = 3_600_000;

function contextOf(
  root: Partial<BatchRoot> = {},
  keyKind: 'public' | 'trusted' = 'trusted',
  retentionDays: number | null = null,
): EventContext {
  const request = { receivedAt: NOW, keyKind, ip: null, userAgent: null, place: null };
  return eventContext(request, { id: 'prj_1', retentionDays, ipPolicy: 'full' }, { ...NO_ROOT, ...root });
}

/** The time of an event, and what was said of it. */
function timed(sent: unknown, context: EventContext): readonly [time: number, told: string | undefined] {
  const remarks = new Remarks();
  const time = sentTime(sent, context, remarks);
  expect(remarks.timesReplaced).to.equal(remarks.warnings.length);
  return [time, remarks.warnings[0]?.message];
}

describe('sentTime', () => {
  it("is the server's time without a time, which is not told", () => {
    for (const sent of [undefined, null]) {
      expect(timed(sent, contextOf())).to.deep.equal([NOW, undefined]);
      expect(timed(sent, contextOf({ sentAt: NOW - HOUR }))).to.deep.equal([NOW, undefined]);
    }
  });

  it('is corrected when the clock of the sender is off by more than 150 s and at most 24 h', () => {
    expect(timed(NOW - HOUR, contextOf({ sentAt: NOW - HOUR }))[0]).to.equal(NOW);
    expect(timed(NOW + HOUR, contextOf({ sentAt: NOW + 2 * HOUR }))[0]).to.equal(NOW - HOUR);
    expect(timed(NOW - 10_000, contextOf({ sentAt: NOW - 150_001 }))[0]).to.equal(NOW + 140_001);
    expect(timed(NOW - 30 * HOUR, contextOf({ sentAt: NOW - 24 * HOUR }))[0]).to.equal(NOW - 6 * HOUR);
  });

  it('stays when the clock is off by 150 s or less', () => {
    expect(timed(NOW - HOUR, contextOf({ sentAt: NOW - 150_000 }))[0]).to.equal(NOW - HOUR);
    expect(timed(NOW - HOUR, contextOf({ sentAt: NOW + 150_000 }))[0]).to.equal(NOW - HOUR);
  });

  it('stays when the body was sent more than 24 h ago, as an old one that is sent again', () => {
    for (const sentAt of [NOW - 24 * HOUR - 1, NOW - 365 * 24 * HOUR, NOW + 24 * HOUR + 1]) {
      const context = contextOf({ sentAt });
      expect(timed(NOW - 400 * 24 * HOUR, context)).to.deep.equal([NOW - 400 * 24 * HOUR, undefined]);
      expect(context.clockIgnored).to.match(/24 hours/);
    }
    expect(contextOf({ sentAt: NaN })).to.deep.include({ clockShift: 0, clockIgnored: 'cannot be read as a time' });
    expect(contextOf({ sentAt: NOW - HOUR }).clockIgnored).to.equal(null);
  });

  it("is the server's time where none can be read, and more than 24 h ahead of it, after the correction", () => {
    expect(timed('soon', contextOf())).to.deep.equal([NOW, 'cannot be read as a time; the time of arrival was taken']);
    expect(timed(NOW + 24 * HOUR, contextOf())).to.deep.equal([NOW + 24 * HOUR, undefined]);
    const [time, told] = timed(NOW + 24 * HOUR + 1, contextOf());
    expect([time, told]).to.deep.equal([NOW, 'lies more than 24 hours ahead; the time of arrival was taken']);
    expect(timed(NOW + 48 * HOUR, contextOf({ sentAt: NOW + 24 * HOUR }))).to.deep.equal([NOW + 24 * HOUR, undefined]);
  });

  it("is the server's time when the correction leads to no year", () => {
    const first = Date.parse('0000-01-01T00:00:00Z');
    expect(timed('0000-01-01T00:00:00Z', contextOf())).to.deep.equal([first, undefined]);
    expect(timed('0000-01-01T00:00:00Z', contextOf({ sentAt: NOW + HOUR }))[0]).to.equal(NOW);
  });
});

describe('scannedTime', () => {
  it('is the same, and NaN where that has something to tell', () => {
    expect(scannedTime(NaN, contextOf())).to.equal(NOW);
    expect(scannedTime(NOW - HOUR, contextOf({ sentAt: NOW - HOUR }))).to.equal(NOW);
    expect(scannedTime(NOW + 24 * HOUR + 1, contextOf())).to.deep.equal(NaN);
  });
});

describe('eventContext', () => {
  it('expires events older than the retention', () => {
    expect(contextOf({}, 'public', 30).expiresBefore).to.equal(NOW - 30 * 24 * HOUR);
    expect(contextOf().expiresBefore).to.equal(-Infinity);
  });
});

describe('eventOrigin', () => {
  it('is server where origin says so', () => {
    expect(eventOrigin(true, true, contextOf({}, 'public'))).to.equal('server');
    expect(eventOrigin(false, true, contextOf({ originServer: true }))).to.equal('server');
  });

  it('else client with clientOriginated or a public key', () => {
    expect(eventOrigin(false, true, contextOf())).to.equal('client');
    expect(eventOrigin(false, false, contextOf({ clientOriginated: true, strict: false }))).to.equal('client');
    expect(eventOrigin(false, false, contextOf({}, 'public'))).to.equal('client');
  });

  it('else unknown', () => {
    expect(eventOrigin(false, false, contextOf())).to.equal('unknown');
  });
});

describe('batchRoot', () => {
  it('takes what means something and no more', () => {
    expect(batchRoot({ clientOriginated: 1 }).clientOriginated).to.equal(true);
    expect(batchRoot({ sent_at: 1772964000, origin: 'server', clientOriginated: true, strict: true })).to.deep.equal({
      sentAt: NOW,
      originServer: true,
      clientOriginated: true,
      strict: true,
    });
    const odd = batchRoot({ sent_at: 'now', origin: 'client', clientOriginated: 'true', strict: 'yes' });
    expect(odd).to.deep.equal({ ...NO_ROOT, sentAt: NaN });
    expect(batchRoot({ sent_at: null })).to.deep.equal(NO_ROOT);
  });
});
