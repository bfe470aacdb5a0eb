import { expect } from 'chai';
import { RequestScope } from '../../../lib/shards/ingest/request-scope.ts';

const NOW = Date.parse('2026-03-08T10:00:00Z');
const DAY = 86_400_000;

function scope(retentionDays: number | null): RequestScope {
  const request = { receivedAt: NOW, keyKind: 'trusted', ip: '9.9.9.9', userAgent: 'x', place: null } as const;
  const enriched = { client: [], unknown: [], server: [] };
  return new RequestScope(request, { id: 'prj_1', retentionDays, ipPolicy: 'full' }, enriched);
}

describe('RequestScope', () => {
  it('counts each event, and keeps those that are no older than the retention', () => {
    const month = scope(30);
    expect(month.keeps(NOW - 30 * DAY)).to.equal(true);
    expect(month.keeps(NOW - 30 * DAY - 1)).to.equal(false);
    expect(month.counts).to.deep.include({ ingested: 2, dropped: 1 });
    expect(scope(null).keeps(0), 'kept for ever').to.equal(true);
  });
});
