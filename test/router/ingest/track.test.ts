import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const EVENT = { event_type: 'signup', user_id: 'u1' };

describe('POST /track', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_BODY_LIMIT: '64KiB' });
  });
  after(() => test.stop());

  it('answers exactly what it accepted, with its length and version', async () => {
    const response = await test.post('/track', EVENT);
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal('{"accepted":1}');
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(response.headers.get('x-windlass-version')).to.match(/^\d+\.\d+\.\d+/);
  });

  it('answers the same by way of the framework, where the path ends in a slash', async () => {
    const answers = async (body: string): Promise<unknown[]> => {
      const headers = { 'X-API-Key': test.keys.secretKey, Origin: 'https://page.example' };
      const sent = ['/track', '/track/'].map((path) =>
        globalThis.fetch(test.url + path, { method: 'POST', headers, body }),
      );
      return Promise.all((await Promise.all(sent)).map(shown));
    };
    for (const body of [JSON.stringify(EVENT), '{']) {
      const [direct, routed] = await answers(body);
      expect(routed).to.deep.equal(direct);
    }
  });

  it('keeps apart small and large bodies that come at once', async () => {
    const sizes = [1, 60, 1, 300, 1, 1, 90, 1];
    const batches = sizes.map((size, nth) =>
      Array.from({ length: size }, (_, at) => ({ ...EVENT, event_type: `burst ${nth}`, insert_id: `${nth}-${at}` })),
    );
    const answers = await Promise.all(batches.map((events) => test.post('/track', { events })));
    expect(await Promise.all(answers.map((answer) => answer.json()))).to.deep.equal(
      sizes.map((accepted) => ({ accepted })),
    );
    const rows = await test.rows('* | where event_type contains "burst" | count by event_type | sort event_type');
    expect(rows.map(({ count }) => count)).to.deep.equal(sizes);
  });

  it('takes a batch and skips invalid events silently', async () => {
    const response = await test.post('/track', { events: [EVENT, { user_id: 'u1' }, 7, EVENT] });
    expect([response.status, await response.text()]).to.deep.equal([200, '{"accepted":2}']);
  });

  it('tells with ?report=true what it rejected', async () => {
    const response = await test.post('/track?report=true', { events: [EVENT, { user_id: 'u1' }] });
    expect(await jsonOf(response)).to.deep.equal({
      accepted: 1,
      rejected: 1,
      errors: [{ index: 1, error: 'event_type is missing' }],
      warnings: [],
    });
  });

  it('reads text/plain as JSON, as beacons send it', async () => {
    const response = await test.post('/track', EVENT, { 'Content-Type': 'text/plain;charset=UTF-8' });
    expect(response.status).to.equal(200);
  });

  const packed: [name: string, pack: (text: string) => Uint8Array][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
    ['identity', (text) => Buffer.from(text)],
  ];
  for (const [name, pack] of packed) {
    it(`takes Content-Encoding: ${name}`, async () => {
      const body = new Uint8Array(pack(JSON.stringify(EVENT)));
      const response = await test.post('/track', body, { 'Content-Encoding': name });
      expect([response.status, await response.text()]).to.deep.equal([200, '{"accepted":1}']);
    });
  }

  it('refuses an unknown Content-Encoding with 400, and one that is not what it says', async () => {
    const response = await test.post('/track', 'x', { 'Content-Encoding': 'zstd' });
    expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([400, 'bad_encoding']);
    expect((await test.post('/track', 'x', { 'Content-Encoding': 'gzip' })).status).to.equal(400);
  });

  it('stops a bomb while it inflates', async () => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(20_000_000, ' ')));
    expect((await test.post('/track', bomb, { 'Content-Encoding': 'gzip' })).status).to.equal(413);
  });

  it('passes on what the store refuses', async () => {
    const response = await test.post('/track', { events: 7 });
    expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([400, 'bad_request']);
  });

  it('answers 413 in full to a body that says it is too large', async () => {
    const response = await test.post('/track', 'x'.repeat(3_000_000));
    expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([413, 'payload_too_large']);
  });

  it('answers 413 to a body that says no length and is too large', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(4_096));
        controller.close();
      },
    });
    const headers = { 'X-API-Key': test.keys.secretKey };
    const response = await fetch(`${test.url}/track`, { method: 'POST', headers, body, duplex: 'half' });
    expect(response.status).to.equal(413);
  });

  it('keeps when, by whom and from where an event was sent', async () => {
    const before = Date.now();
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';
    await test.post(
      '/track',
      { event_type: 'page' },
      { 'User-Agent': agent, 'X-API-Key': test.keys.project.publicKey },
    );
    await test.post('/track', { event_type: 'server', ip: '198.51.100.7' });
    const [page] = await test.rows('page | list');
    expect(page).to.include({ _browser: 'Firefox', _ua: agent, _ip: '127.0.0.0', _ingest_origin: 'client' });
    expect(Date.parse(String(page?.['time']))).to.be.within(before, Date.now());
    expect((await test.rows('server | list'))[0]).to.include({ _ip: '198.51.100.0', _ingest_origin: 'unknown' });
  });

  it('takes no browser, device, bot mark or place from the request of a server', async () => {
    const bot = { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
    await test.post('/track', { event_type: 'backend' }, bot);
    await test.post('/track', { events: [{ event_type: 'relayed', clientOriginated: true }] }, bot);
    await test.post('/track', { events: [{ event_type: 'relayed' }], clientOriginated: true }, bot);
    await test.post('/track', '{"event_type":"backend"}\n', { ...bot, 'Content-Type': 'application/x-ndjson' });
    for (const row of await test.rows('backend | list')) {
      expect(row).to.include({ _ingest_origin: 'unknown', _browser: null, _device_type: null, _ua: null, _ip: null });
    }
    const counts = await test.rows('* | where event_type = "relayed" | count by _device_type');
    expect(counts).to.deep.equal([{ _device_type: 'bot', count: 2 }]);
  });

  it('takes blank ids for none and skips events of a blank type', async () => {
    const events = [
      { event_type: ' \t' },
      { event_type: 'blank', user_id: '  ', device_id: '\u3000', insert_id: '\n', session_id: ' ' },
      { event_type: 'blank', insert_id: '\n' },
    ];
    const answer = await jsonOf(await test.post('/track?report=true', { events }));
    const { warnings, ...counts } = answer;
    expect(counts).to.deep.equal({ accepted: 2, rejected: 1, errors: [{ index: 0, error: 'event_type is blank' }] });
    expect(warnings).to.have.length(5);
    const rows = await test.rows('blank | list');
    expect(rows.map(({ user_id: user, device_id: device }) => [user, device])).to.deep.equal([[null, null], [null, null]]); // prettier-ignore
  });

  it('keeps properties named __proto__ and constructor as any other', async () => {
    await test.post('/track', '{"event_type":"proto","event_properties":{"__proto__":"a","constructor":"b"}}');
    const rows = await test.rows('proto | count by event_properties.__proto__, event_properties.constructor');
    expect(Object.entries(rows[0] ?? {})).to.deep.equal([
      ['event_properties.__proto__', 'a'],
      ['event_properties.constructor', 'b'],
      ['count', 1],
    ]);
  });
});

describe('POST /identify', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  it('answers ok', async () => {
    const response = await test.post('/identify', { user_id: 'u1', device_id: 'd1', user_properties: { plan: 'pro' } });
    expect([response.status, await response.text()]).to.deep.equal([200, '{"ok":true}']);
  });

  it('names what of $add it left alone', async () => {
    const response = await test.post('/identify', { user_id: 'u1', user_property_ops: { $add: { a: 1, b: 'x' } } });
    expect(await jsonOf(response)).to.deep.equal({ ok: true, ignored: ['b'] });
  });

  it('answers 400 without a user', async () => {
    for (const user_id of [undefined, null, '', ' ', '\u00a0\n', 'null', 'undefined', 'NaN', 'none', '[object Object]'])
      expect((await test.post('/identify', { user_id, device_id: 'd1' })).status, String(user_id)).to.equal(400);
  });

  it('takes an identify a line, answered as events in bulk are', async () => {
    const lines = '{"user_id":"b1","user_properties":{"plan":"pro"}}\n\n{"user_id":" "}\n{"user_id":"b2"}\n';
    const response = await test.post('/identify', lines, { 'Content-Type': 'application/x-ndjson' });
    expect(await jsonOf(response)).to.deep.equal({
      accepted: 2,
      rejected: 1,
      first_errors: [{ line: 3, error: 'user_id is blank' }],
      warnings: [],
    });
  });
});

async function shown(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  return { status: response.status, headers, body: await response.text() };
}

describe('a body larger than the room that bodies share', () => {
  it('is taken as others are, beside others', async () => {
    const test = await startTestService({ WINDLASS_BODY_LIMIT: '32MiB' });
    try {
      const large = `{"events":[${' '.repeat(17 << 20)}${JSON.stringify(EVENT)}]}`;
      const answers = await Promise.all([large, { events: [EVENT, EVENT] }].map((body) => test.post('/track', body)));
      expect(await Promise.all(answers.map(jsonOf))).to.deep.equal([{ accepted: 1 }, { accepted: 2 }]);
      expect(await test.rows('signup | count')).to.deep.equal([{ count: 3 }]);
    } finally {
      await test.stop();
    }
  });
});
