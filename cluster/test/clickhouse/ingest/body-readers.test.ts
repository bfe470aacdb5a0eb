import { expect } from 'chai';
import { BodyReaders } from '../../../lib/clickhouse/ingest/body-readers.ts';

const EVENTS = Array.from({ length: 200 }, (_, nth) => {
  return { event_type: 'page_view', user_id: `user ${nth}`, event_properties: { path: `/docs/${nth}` } };
});

describe('readers of bodies', () => {
  it('leave a body as it was received, which is read again where its properties were not known', async () => {
    const readers = new BodyReaders({ bodyLimit: 1 << 20, batchLimit: 2_000, lineLimit: 1 << 20, geoipFile: null }, 1);
    const text = JSON.stringify({ events: EVENTS });
    const body = Buffer.from(new TextEncoder().encode(text).buffer); // all of its memory, as of a request
    const request = {
      ...({ body, encoding: 'identity', kind: 'track' } as const),
      context: { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const,
      project: { id: 'prj_1', retentionDays: null, ipPolicy: 'full' } as const,
    };
    try {
      for (const isClosed of [false, true]) {
        const { items } = await readers.read({ ...request, slots: { entries: [], isClosed } });
        expect(items.length).to.equal(EVENTS.length);
        expect(body.toString()).to.equal(text);
      }
    } finally {
      await readers.close();
    }
  });
});
