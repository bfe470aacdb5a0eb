import { expect } from 'chai';
import { type BatchRoot, NO_ROOT, batchRoot } from '../../../../lib/shards/ingest/normalise/batch-root.ts';
import {
  type EventContext,
  eventContext,
  eventOrigin,
  eventTime,
} from '../../../../lib/shards/ingest/normalise/context.ts';

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

describe('eventTime', () => {
  it("is the server's time without a time", () => {
    expect(eventTime(NaN, contextOf())).to.equal(NOW);
    expect(eventTime(NaN, contextOf({ sentAt: NOW - HOUR }))).to.equal(NOW);
  });

  it('is corrected when the clock of the sender is off by more than 150 s', () => {
    expect(eventTime(NOW - HOUR, contextOf({ sentAt: NOW - HOUR }))).to.equal(NOW);
    expect(eventTime(NOW + HOUR, contextOf({ sentAt: NOW + 2 * HOUR }))).to.equal(NOW - HOUR);
    expect(eventTime(NOW - 10_000, contextOf({ sentAt: NOW - 150_001 }))).to.equal(NOW + 140_001);
  });

  it('stays when the clock is off by 150 s or less', () => {
    expect(eventTime(NOW - HOUR, contextOf({ sentAt: NOW - 150_000 }))).to.equal(NOW - HOUR);
    expect(eventTime(NOW - HOUR, contextOf({ sentAt: NOW + 150_000 }))).to.equal(NOW - HOUR);
  });

  it("is the server's time more than 24 h ahead of it, after the correction", () => {
    expect(eventTime(NOW + 24 * HOUR, contextOf())).to.equal(NOW + 24 * HOUR);
    expect(eventTime(NOW + 24 * HOUR + 1, contextOf())).to.equal(NOW);
    expect(eventTime(NOW + 48 * HOUR, contextOf({ sentAt: NOW + 47 * HOUR }))).to.equal(NOW + HOUR);
  });

  it("is the server's time when the correction leads to no year", () => {
    expect(eventTime(0, contextOf({ sentAt: Date.parse('9999-01-01') }))).to.equal(NOW);
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
    expect(eventOrigin(false, false, contextOf({ clientOriginated: true }))).to.equal('client');
    expect(eventOrigin(false, false, contextOf({}, 'public'))).to.equal('client');
  });

  it('else unknown', () => {
    expect(eventOrigin(false, false, contextOf())).to.equal('unknown');
  });
});

describe('batchRoot', () => {
  it('takes what means something and no more', () => {
    expect(batchRoot({ clientOriginated: 1 }).clientOriginated).to.equal(true);
    expect(batchRoot({ sent_at: 1772964000, origin: 'server', clientOriginated: true })).to.deep.equal({
      sentAt: NOW,
      originServer: true,
      clientOriginated: true,
    });
    expect(batchRoot({ sent_at: 'now', origin: 'client', clientOriginated: 'true' })).to.deep.equal(NO_ROOT);
  });
});
