import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { startTestService, type TestService } from '../support/service.ts';

const EVENTS = 2_000;
const FILLER = '字'.repeat(490);

/** A unique long text, three bytes per character. */
const textOf = (n: number): string => `${FILLER}${n}`;

/** Where a public key can send such texts, and a query for all of them. */
const FIELDS: readonly { readonly field: string; readonly event: (n: number) => object; readonly q: string }[] = [
  { field: 'user_id', event: (n) => ({ user_id: textOf(n) }), q: '* | count by user_id' },
  { field: 'device_id', event: (n) => ({ device_id: textOf(n) }), q: '* | count by distinct_id' },
  { field: 'session_id', event: (n) => ({ session_id: textOf(n) }), q: '* | count by session_id' },
  { field: 'insert_id', event: (n) => ({ insert_id: textOf(n) }), q: '* | count by insert_id' },
  { field: 'event_type', event: (n) => ({ event_type: textOf(n).slice(-250) }), q: '* | count by event_type' },
  { field: 'a property', event: (n) => ({ event_properties: { k: textOf(n) } }), q: '* | count by event_properties.k' },
  { field: 'keys', event: (n) => ({ event_properties: { [textOf(n).slice(-250)]: 1 } }), q: 'fields' },
  {
    field: 'a user property',
    event: (n) => ({ user_id: `u${n}`, user_properties: { k: textOf(n) } }),
    q: 'users | count by user.k',
  },
];

describe('long texts that are all different', () => {
  let host: TestService;
  before(async () => (host = await startTestService({ WINDLASS_MEMORY: '8MiB' })));
  after(() => host.stop());

  for (const { field, event, q } of FIELDS) {
    it(`in ${field} are stored and counted; a question for all of them is answered or a 400 about memory`, async () => {
      const test = await host.another();
      await send(test, event);
      expect(await test.rows('* | count')).to.deep.equal([{ count: EVENTS }]);
      const answer = await test.post('/query', { q, format: 'json', limit: 10 });
      const text = await answer.text();
      expect([200, 400], text).to.include(answer.status);
      if (answer.status === 400) expect(text).to.include('memory').and.include('narrow');
      expect((await test.post('/track', { event_type: 'after' })).status).to.equal(200);
      expect(await test.rows('after | count')).to.deep.equal([{ count: 1 }]);
    });
  }
});

async function send(test: TestService, event: (n: number) => object): Promise<void> {
  const lines = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({ event_type: 'e', device_id: 'd', ...event(n) }),
  );
  const response = await test.post('/track', gzipSync(`${lines.join('\n')}\n`), {
    ...{ 'X-API-Key': test.keys.project.publicKey },
    ...{ 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
  });
  const told = await response.text();
  expect(told).to.include(`{"accepted":${EVENTS},`);
}
