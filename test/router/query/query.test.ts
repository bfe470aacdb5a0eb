import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startHeldService, startTestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { lastTwoDays } from '../../support/last-two-days.ts';

describe('POST /query', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
    const events = ['a', 'a', 'b'].map((user_id) => ({
      event_type: 'signup',
      user_id,
      event_properties: { plan: 'pro' },
    }));
    await test.post('/track', { events });
  });

  it('answers Markdown unless told otherwise, and says how it came about', async () => {
    const response = await test.post('/query', { q: 'signup | count, unique' });
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    expect(response.headers.get('x-total-count')).to.equal('1');
    expect(response.headers.get('x-rows-scanned')).to.equal('3');
    expect(response.headers.get('server-timing')).to.match(/compile;dur=.*total;dur=/);
    expect(await response.text()).to.match(/\| *3 *\| *2 *\|/);
  });

  it('sees what was acknowledged a moment ago', async () => {
    await test.post('/track', { event_type: 'fresh' });
    const response = await test.post('/query', { q: 'fresh | count', format: 'json' });
    expect(await response.json()).to.deep.equal([{ count: 1 }]);
  });

  it('answers JSON, with an envelope when asked', async () => {
    const rows = await test.post('/query', { q: 'signup | count by user_id', format: 'json' });
    expect(await rows.json()).to.deep.equal([
      { user_id: 'a', count: 2 },
      { user_id: 'b', count: 1 },
    ]);
    const envelope = await jsonOf(await test.post('/query', { q: 'signup | count', format: 'json', envelope: true }));
    expect(envelope).to.include({ total: 1, rows_scanned: 4 });
    expect(envelope['columns']).to.deep.equal(['count']);
    expect(envelope['elapsed_ms']).to.satisfy(Number.isInteger);
    expect(envelope).to.have.all.keys(
      'columns',
      'column_types',
      'rows',
      'total',
      'range',
      'rows_scanned',
      'elapsed_ms',
      'mode',
      'notes',
    );
  });

  it('prints computed numbers with at most 15 digits in every format, and stored ones in full', async () => {
    const events = [0.1, 0.2, 0.30000000000000004].map((x) => ({
      event_type: 'digits',
      event_properties: { x, g: 0.30000000000000004 },
    }));
    await test.post('/track', { events });
    const q = 'digits | sum event_properties.x, max event_properties.x by event_properties.g';
    const [json, csv, llm] = await Promise.all(
      ['json', 'csv', 'llm'].map(async (format) => (await test.post('/query', { q, format })).text()),
    );
    expect(json).to.equal('[{"event_properties.g":"0.30000000000000004","sum":0.6,"max":0.30000000000000004}]');
    expect(csv).to.contain('0.30000000000000004,0.6,0.30000000000000004');
    expect(llm).to.contain('| 0.30000000000000004 | 0.6 | 0.30000000000000004 |');
  });

  it('answers CSV', async () => {
    const response = await test.post('/query', { q: 'signup | count', format: 'csv' });
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(await response.text()).to.equal('count\r\n3\r\n');
  });

  it('cuts the page that was asked for', async () => {
    const response = await test.post('/query', { q: 'signup | count by user_id', format: 'json', limit: 1, offset: 1 });
    expect(response.headers.get('x-total-count')).to.equal('2');
    expect(await response.json()).to.deep.equal([{ user_id: 'b', count: 1 }]);
  });

  it('explains instead, when asked', async () => {
    const explained = await jsonOf(await test.post('/query', { q: 'signup | count', explain: true }));
    expect(explained).to.include.keys('plan', 'parts', 'times', 'passes');
    expect(explained['plan']).to.include({ kind: 'aggregate', event: 'signup' });
  });

  it('names the fields of a request that it does not know in a note, wherever an answer has notes', async () => {
    const ask = async (more: object): Promise<string> =>
      (await test.post('/query', { q: 'signup | count', limt: 5, ...more })).text();
    const note = `The request's field "limt" is unknown and was ignored; the nearest is "limit".`;
    expect(await ask({})).to.contain(note);
    expect(JSON.parse(await ask({ format: 'json', envelope: true }))['notes']).to.deep.equal([note]);
    expect(JSON.parse(await ask({ explain: true }))['notes']).to.deep.equal([note]);
    expect(await ask({ format: 'json' }), 'rows alone have none').to.equal('[{"count":3}]');
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x${n}`, n]));
    expect(await ask(many)).to.contain('2996 more unknown fields of the request were ignored.');
  });

  it("counts in the request's zone, else the query's own", async () => {
    const zoneOf = async (body: object): Promise<unknown> => {
      const { range } = await jsonOf(await test.post('/query', { format: 'json', envelope: true, ...body }));
      return typeof range === 'object' && range !== null && 'timezone' in range ? range.timezone : null;
    };
    expect(await zoneOf({ q: '*' })).to.equal('UTC');
    expect(await zoneOf({ q: '*', timezone: 'Asia/Kathmandu' })).to.equal('Asia/Kathmandu');
    expect(await zoneOf({ q: '* | tz "Europe/Berlin"', timezone: 'Asia/Kathmandu' })).to.equal('Europe/Berlin');
    expect((await test.post('/query', { q: '*', timezone: 'Moon/Crater' })).status).to.equal(400);
  });

  it('takes a compressed body', async () => {
    const body = new Uint8Array(gzipSync(JSON.stringify({ q: '*' })));
    expect((await test.post('/query', body, { 'Content-Encoding': 'gzip' })).status).to.equal(200);
    for (const deflated of [deflateSync('{"q":"*"}'), deflateRawSync('{"q":"*"}')])
      expect((await test.post('/query', new Uint8Array(deflated), { 'Content-Encoding': 'deflate' })).status).to.equal(
        200,
      );
    expect((await test.post('/query', '{}', { 'Content-Encoding': 'gzip' })).status).to.equal(400);
    const more = new Uint8Array(Buffer.concat([deflateSync('{"q":"*"}'), Buffer.from('more')]));
    expect((await test.post('/query', more, { 'Content-Encoding': 'deflate' })).status).to.equal(400);
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000)));
    expect((await test.post('/query', bomb, { 'Content-Encoding': 'gzip' })).status).to.equal(413);
  });

  const mistakes: [body: unknown, message: RegExp][] = [
    ['', /not JSON/],
    ['{"q":', /not JSON/],
    ['[]', /JSON object/],
    [{}, /"q"/],
    [{ q: 7 }, /"q"/],
    [{ q: '*', format: 'xml' }, /"format"/],
    [{ q: '*', limit: 0 }, /"limit"/],
    [{ q: '*', limit: 10_001 }, /"limit"/],
    [{ q: '*', limit: 1.5 }, /"limit"/],
    [{ q: '*', limit: '5' }, /"limit"/],
    [{ q: '*', offset: -1 }, /"offset"/],
    [{ q: '*', envelope: 'yes' }, /"envelope"/],
    [{ q: `* | where user_id = "${'x'.repeat(16_384)}"` }, /bytes/],
  ];
  for (const [body, message] of mistakes) {
    it(`answers 400 to ${JSON.stringify(body).slice(0, 40)} and says why`, async () => {
      const response = await test.post('/query', body);
      expect(response.status).to.equal(400);
      expect((await jsonOf(response))['error']).to.match(message);
    });
  }

  it('points at the mistake in a query', async () => {
    const response = await test.post('/query', { q: 'signup | cout' });
    const body = await jsonOf(response);
    expect(response.status).to.equal(400);
    expect(body).to.include({ code: 'bad_query', position: 9 });
    expect(body['error']).to.contain('signup | cout\n         ^');
  });

  it('names the property that a bare name may have meant', async () => {
    const body = await jsonOf(await test.post('/query', { q: 'signup | count by plan' }));
    expect(body['error']).to.contain('event_properties.plan');
  });

  it('counts queries and their time in the usage of the project', async () => {
    await test.post('/query', { q: '*' });
    const counted = async (): Promise<number> =>
      (await test.usage(lastTwoDays())).reduce((sum, { queries_run: queries }) => sum + queries, 0);
    while ((await counted()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await counted()).to.be.greaterThan(0);
  });

  it('answers 405 with Allow to GET', async () => {
    const response = await fetch(`${test.url}/query?q=*`);
    expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'POST']);
  });
});

describe('a query that takes too long', () => {
  let test: Awaited<ReturnType<typeof startHeldService>>;
  before(async () => {
    test = await startHeldService({ WINDLASS_QUERY_TIMEOUT: '50ms' });
  });
  after(() => test.stop());

  it('is 504 with the time and a hint', async () => {
    test.store.gate = () => new Promise(() => undefined);
    const response = await test.post('/query', { q: '*' });
    const body = await jsonOf(response);
    expect(response.status).to.equal(504);
    expect(body).to.include({ code: 'query_timeout' });
    expect(body['error']).to.contain('0.05 s');
    expect(body['hints']).to.be.an('array').with.length.greaterThan(0);
  });
});

describe('a query that wants more than it may hold', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_MEMORY: '2MiB', WINDLASS_QUERY_GROUPS: '10' });
    const events = Array.from({ length: 600 }, (_, at) => ({
      event_type: 'seen',
      user_id: `u${at}`,
      event_properties: { text: `text ${at}` },
    }));
    await test.post('/track', { events });
  });
  after(() => test.stop());

  for (const [limit, q] of [
    ['more than 10 groups', 'seen | count by event_properties.text'],
    ['more than 10 groups', 'funnel seen -> bought | by event_properties.text'],
    ['more than 10 different paths', 'paths from seen | by event_properties.text'],
    ['more than 1 MiB of memory', 'seen | list | limit 10000'],
  ] as const) {
    it(`is 400, names the limit and what to narrow: ${q}`, async () => {
      const response = await test.post('/query', { q, limit: 10_000 });
      const { code, error } = await jsonOf(response);
      expect([response.status, code]).to.deep.equal([400, 'bad_query']);
      expect(error).to.include(limit).and.include('narrow the range or the where');
      expect(await test.rows('seen | count')).to.deep.equal([{ count: 600 }]);
    });
  }
});

describe('queries that are switched off', () => {
  it('are 503', async () => {
    const test = await startTestService({ WINDLASS_QUERIES: 'off' });
    const response = await test.post('/query', { q: '*' });
    expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([503, 'feature_disabled']);
    await test.stop();
  });
});
