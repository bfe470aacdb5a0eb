import { expect } from 'chai';
import { parseQuery } from '../../lib/dsl/compile.ts';
import { queryShape } from '../../lib/dsl/shape.ts';
import { fetch } from '../support/checked-fetch.ts';
import { keptLog } from '../support/kept-log.ts';
import { startHeldService, startTestService } from '../support/service.ts';

const QUERY =
  'signup | where user_id = "ada@example.com" and event_properties.plan = "pro" | last 7 d | count, unique by day, _browser';

describe('what whoever is on call is told', () => {
  it('has the shape of a query, with no name and no value', () => {
    expect(queryShape(parseQuery(QUERY))).to.equal('events | where | range | count, unique by 2');
    expect(queryShape(parseQuery('users | list | limit 3'))).to.equal('users | list | limit');
  });

  it('has a line for a query that ran for a second, and none for others', async () => {
    const { log, lines } = keptLog();
    const test = await startHeldService({}, { log });
    try {
      await test.rows('* | count');
      test.store.gate = () => new Promise((resolve) => setTimeout(resolve, 1_010));
      await test.rows(QUERY);
      const slow = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((line) => line['msg'] === 'a slow query');
      expect(slow.at(-1)).to.include({
        project: test.keys.project.id,
        shape: 'events | where | range | count, unique by 2',
      });
      for (const { ms } of slow) expect(ms).to.be.at.least(1_000); // the first may be slow as well, on a busy machine
      expect(lines.join('')).to.not.match(/ada@|signup|"pro"/);
    } finally {
      await test.stop();
    }
  });

  it('counts refusals by their reason, waits, and shows limits beside what they bound', async () => {
    const test = await startTestService({ WINDLASS_QUERIES_PER_MINUTE: '2' });
    try {
      expect((await test.post('/query', { q: '* | nonsense' })).status).to.equal(400);
      await test.rows('* | count');
      expect((await test.post('/query', { q: '* | count' })).status).to.equal(429);
      expect((await test.post('/query', { q: '* | count' }, { 'X-API-Key': 'sk_wrong' })).status).to.equal(401);
      const { host, port } = test.service.metricsAddress!;
      const text = await (await fetch(`http://${host}:${port}/metrics`)).text();
      expect(text).to.include('windlass_refusals_total{reason="rate_limited"} 1');
      expect(text).to.include('windlass_refusals_total{reason="unauthenticated"} 1');
      expect(text).to.not.include('reason="bad_query"');
      expect(text).to.include('windlass_query_wait_seconds_count 1');
      for (const name of ['http_connections', 'http_received_bytes', 'store_queued_bytes', 'store_journal_bytes'])
        expect(text).to.match(new RegExp(`windlass_${name}_limit [1-9]`));
    } finally {
      await test.stop();
    }
  });
});
