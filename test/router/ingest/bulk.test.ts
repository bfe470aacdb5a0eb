import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startTestService } from '../../support/service.ts';

const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const LINE = '{"event_type":"a","user_id":"u"}\n';

describe('streams of lines', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_BULK_LIMIT: '1MiB', WINDLASS_LINE_LIMIT: '64KiB' });
  });
  beforeEach(async () => (test = await test.another()));
  after(() => test.stop());

  it('are taken line by line, blank ones skipped, bad ones named by their line', async () => {
    const response = await test.post('/track', `${LINE}\n{"no":1}\nnonsense\n${LINE.trim()}`, NDJSON);
    const body = await jsonOf(response);
    expect(body).to.include({ accepted: 2, rejected: 2 });
    expect(body['first_errors']).to.have.lengthOf(2).and.to.have.nested.property('[0].line', 3);
    expect(body['first_errors']).to.have.nested.property('[1].line', 4);
  });

  it('may be as long as the limit, without what ends them', async () => {
    const empty = '{"event_type":"a","event_properties":{"b":""}}';
    const long = (bytes: number): string => empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
    for (const end of ['\n', '\r\n', ''])
      for (const [bytes, accepted] of [
        [65_536, 2],
        [65_537, 1],
      ] as const) {
        const response = await test.post('/track', `${LINE}${long(bytes)}${end}`, NDJSON);
        expect(await jsonOf(response), `${bytes}${JSON.stringify(end)}`).to.include({
          accepted,
          rejected: 2 - accepted,
        });
      }
  });

  it('are taken compressed', async () => {
    const lines = LINE.repeat(20_000);
    const gzip = await test.post('/track', new Uint8Array(gzipSync(lines)), { ...NDJSON, 'Content-Encoding': 'gzip' });
    expect(await jsonOf(gzip)).to.include({ accepted: 20_000, rejected: 0 });
    const br = await test.post('/track', new Uint8Array(brotliCompressSync(lines)), {
      ...NDJSON,
      'Content-Encoding': 'br',
    });
    expect(await jsonOf(br)).to.include({ accepted: 20_000 });
  });

  for (const [form, deflate] of [['zlib', deflateSync] as const, ['raw', deflateRawSync] as const]) {
    const send = (body: Uint8Array) => test.post('/track', body, { ...NDJSON, 'Content-Encoding': 'deflate' });

    it(`are taken as deflate, ${form}, whatever the first chunk has`, async () => {
      const packed = deflate(LINE.repeat(20_000));
      const chunks = [packed.subarray(0, 1), packed.subarray(1, 2), packed.subarray(2)];
      const body = ReadableStream.from(chunks.map((chunk) => new Uint8Array(chunk)));
      const headers = { ...NDJSON, 'Content-Encoding': 'deflate', 'X-API-Key': test.keys.secretKey };
      const response = await fetch(`${test.url}/track`, { method: 'POST', body, headers, duplex: 'half' });
      expect(await jsonOf(response)).to.include({ accepted: 20_000, rejected: 0 });
    });

    it(`end with 400 when deflate, ${form}, is broken or torn off`, async () => {
      const packed = deflate(LINE.repeat(20_000));
      for (const bad of [Buffer.concat([packed.subarray(0, 20), Buffer.alloc(200, 7)]), packed.subarray(0, -9)]) {
        const response = await send(new Uint8Array(bad));
        expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([400, 'bad_encoding']);
      }
    });
  }

  for (const [encoding, pack] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const) {
    it(`end with 400 when something follows the compressed data (${pack.name}), and say what was taken of it`, async () => {
      const packed = pack(LINE.repeat(2_000));
      const more = encoding === 'gzip' ? Buffer.alloc(9) : Buffer.from('more');
      for (const chunks of [[packed, more], [Buffer.concat([packed, more])]]) {
        const body = ReadableStream.from(chunks.map((chunk) => new Uint8Array(chunk)));
        const headers = { ...NDJSON, 'Content-Encoding': encoding, 'X-API-Key': test.keys.secretKey };
        const response = await fetch(`${test.url}/track`, { method: 'POST', body, headers, duplex: 'half' });
        expect(response.status).to.equal(400);
        expect(await jsonOf(response)).to.include({ code: 'bad_encoding', accepted: 2_000, line: 2_000 });
      }
    });
  }

  it('may be empty, as deflate too', async () => {
    const empty = await test.post('/track', '', { ...NDJSON, 'Content-Encoding': 'deflate' });
    expect(await jsonOf(empty)).to.include({ accepted: 0, rejected: 0 });
  });

  it('are taken by /identify too', async () => {
    const response = await test.post('/identify', '{"user_id":"a"}\n{"x":1}\n', NDJSON);
    expect(await jsonOf(response)).to.include({ accepted: 1, rejected: 1 });
  });

  it('may be empty', async () => {
    expect(await jsonOf(await test.post('/track', '', NDJSON))).to.deep.equal({
      accepted: 0,
      rejected: 0,
      first_errors: [],
      warnings: [],
    });
  });

  it('end with 413 when they inflate beyond the limit; what came before stays, and the answer says how much', async () => {
    const bomb = new Uint8Array(gzipSync(LINE.repeat(200_000)));
    expect(bomb.length).to.be.lessThan(1_048_576);
    const response = await test.post('/track', bomb, { ...NDJSON, 'Content-Encoding': 'gzip' });
    const body = await jsonOf(response);
    expect(response.status).to.equal(413);
    expect(body['code']).to.equal('payload_too_large');
    expect(body['accepted']).to.equal(body['line']);
    const counted = await test.post('/query', { q: 'a | count', format: 'json' });
    expect(await counted.json()).to.deep.equal([{ count: body['accepted'] }]);
  });

  it('end with 413 before anything is read when they say that they are too long', async () => {
    for (const path of ['/track', '/identify']) {
      const response = await test.post(path, LINE.repeat(50_000), NDJSON);
      expect(response.status, path).to.equal(413);
      expect(await jsonOf(response), path).to.include({ code: 'payload_too_large', accepted: 0, line: 0 });
    }
  });

  it('end with 400 in an encoding that nobody knows, and say that nothing was taken', async () => {
    const response = await test.post('/track', LINE, { ...NDJSON, 'Content-Encoding': 'zstd' });
    expect(response.status).to.equal(400);
    expect(await jsonOf(response)).to.include({ code: 'bad_encoding', accepted: 0, line: 0 });
  });

  it('that are refused unread say so: a wrong key, a parameter, maintenance', async () => {
    for (const [path, key, code] of [
      ['/track', 'sk_wrong', 'unauthenticated'],
      ['/identify', 'sk_wrong', 'unauthenticated'],
      ['/track?device=x', undefined, 'bad_request'],
    ] as const) {
      const response = await test.post(path, LINE, { ...NDJSON, ...(key && { 'X-API-Key': key }) });
      expect(await jsonOf(response), path).to.include({ code, accepted: 0, line: 0 });
    }
    expect(await jsonOf(await test.post('/track', '{', {}))).to.not.have.any.keys('accepted', 'line');
  });

  it('end with 400 when the compression is broken', async () => {
    const whole = gzipSync(LINE.repeat(10_000));
    const response = await test.post('/track', new Uint8Array(whole.subarray(0, whole.length - 20)), {
      ...NDJSON,
      'Content-Encoding': 'gzip',
    });
    const body = await jsonOf(response);
    expect([response.status, body['code']]).to.deep.equal([400, 'bad_encoding']);
    expect(body).to.include.keys('accepted', 'line');
  });

  for (const [how, headers, sent, closes] of [
    ['its client closes its side', 'Content-Length: 100000', LINE, true],
    [
      'its client closes its side (without a length)',
      'Transfer-Encoding: chunked',
      `${LINE.length.toString(16)}\r\n${LINE}\r\n`,
      true,
    ],
    ['what follows is no chunk', 'Transfer-Encoding: chunked', `${LINE.length.toString(16)}\r\n${LINE}\r\n`, false],
  ] as const) {
    it(`say what was taken when ${how} in their midst`, async () => {
      const { hostname, port } = new URL(test.url);
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const head = `POST /track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\nContent-Type: application/x-ndjson`;
      socket.write(`${head}\r\n${headers}\r\n\r\n${sent}`);
      const count = async (): Promise<unknown> =>
        (await test.post('/query', { q: 'a | count', format: 'json' })).json();
      while (JSON.stringify(await count()) !== '[{"count":1}]') await new Promise((resolve) => setTimeout(resolve, 20));
      if (closes) socket.end();
      else socket.write('nonsense\r\n');
      const answer = await text(socket);
      expect(answer)
        .to.match(/^HTTP\/1.1 400 /)
        .and.match(/"code":"bad_request","accepted":1,"line":1\}$/);
      expect(answer.match(/HTTP\/1.1/g)).to.have.length(1);
    });
  }

  it('that break off leave what was taken, and the service goes on', async () => {
    const cut = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(LINE)),
    });
    const headers = { ...NDJSON, 'X-API-Key': test.keys.secretKey };
    const upload = fetch(`${test.url}/track`, { method: 'POST', headers, body, duplex: 'half', signal: cut.signal });
    const count = async (): Promise<unknown> => (await test.post('/query', { q: 'a | count', format: 'json' })).json();
    while (JSON.stringify(await count()) !== '[{"count":1}]') await new Promise((resolve) => setTimeout(resolve, 20));
    cut.abort();
    await upload.catch(() => undefined);
    expect(await count()).to.deep.equal([{ count: 1 }]);
  });
});

describe('streams beyond the rate of a project', () => {
  it('are slowed, and end with 503 when the service stops meanwhile', async () => {
    const test = await startTestService({ WINDLASS_EVENTS_PER_MINUTE: '5' });
    let more: ((text: string) => void) | null = null;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        more = (text) => controller.enqueue(new TextEncoder().encode(text));
        more(LINE.repeat(6));
      },
    });
    const headers = { ...NDJSON, 'X-API-Key': test.keys.secretKey };
    const upload = fetch(`${test.url}/track`, { method: 'POST', headers, body, duplex: 'half' });
    while (JSON.stringify(await test.rows('a | count')) !== '[{"count":6}]') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const stopped = test.stop();
    const response = await upload;
    expect(response.status).to.equal(503);
    expect(await jsonOf(response)).to.include({ code: 'shutting_down', accepted: 6, line: 6 });
    await stopped;
  });

  it('are slowed also when all of a compressed body has come, which says nothing of what it inflates to', async () => {
    const test = await startTestService({ WINDLASS_EVENTS_PER_MINUTE: '5' });
    const lines = 200_000;
    const body = new Uint8Array(brotliCompressSync(LINE.repeat(lines)));
    expect(body.length).to.be.below(1_024);
    const upload = test.post('/track', body, { ...NDJSON, 'Content-Encoding': 'br' });
    while (JSON.stringify(await test.rows('a | count')) === '[{"count":0}]') {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const stopped = test.stop();
    const response = await upload;
    expect(response.status).to.equal(503);
    const answer = await jsonOf(response);
    expect(answer).to.include({ code: 'shutting_down' });
    expect(answer['accepted']).to.be.below(lines / 2);
    await stopped;
  });

  it('end when nobody waits for them any longer', async () => {
    const test = await startTestService({ WINDLASS_EVENTS_PER_MINUTE: '5' });
    const { host, port } = test.service.metricsAddress!;
    const held = async (): Promise<number> => {
      const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
      return Number(/^windlass_http_received_bytes (\d+)$/m.exec(metrics)?.[1]);
    };
    const body = brotliCompressSync(LINE.repeat(200_000));
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    const headers = { ...NDJSON, Host: 'here', 'Content-Encoding': 'br', 'X-API-Key': test.keys.secretKey };
    const lines = Object.entries({ ...headers, 'Content-Length': body.length }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`POST /track HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    socket.write(body);
    const until = async (reached: (bytes: number) => boolean): Promise<void> => {
      while (!reached(await held())) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await until((bytes) => bytes >= 1 << 20);
    socket.resetAndDestroy();
    await until((bytes) => bytes === 0);
    await test.stop();
  });
});
