import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startHeldService, startWithoutShards } from '../../support/service.ts';

describe('answers to what is wrong', () => {
  let test: Awaited<ReturnType<typeof startHeldService>>;
  before(async () => {
    test = await startHeldService({ WINDLASS_BODY_LIMIT: '64KiB' });
  });
  after(() => test.stop());

  /** Sends bytes unchanged and reads the answer until the connection ends. */
  async function raw(text: string, { closes = false } = {}): Promise<string> {
    const { port } = test.service.address;
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece));
    if (closes) socket.end(text);
    else socket.write(text);
    await once(socket, 'close');
    return answer;
  }

  it('are JSON for an unknown path, known to the API or not', async () => {
    for (const path of ['/nothing', '/api/nothing', '/api/admin/nothing', '/TRACK']) {
      const response = await fetch(test.url + path, { method: 'POST' });
      expect([path, response.status]).to.deep.equal([path, 404]);
      expect(await jsonOf(response)).to.include({ code: 'not_found' });
      expect(response.headers.has('x-windlass-version')).to.equal(true);
    }
  });

  it('are 405 with Allow for a wrong method on a known path', async () => {
    for (const [method, path, allow] of [
      ['GET', '/track', 'POST'],
      ['DELETE', '/identify', 'POST'],
      ['PUT', '/query', 'POST'],
      ['POST', '/healthz', 'GET, HEAD'],
      ['PATCH', '/openapi.json', 'GET, HEAD'],
    ] as const) {
      const response = await fetch(test.url + path, { method });
      expect([path, response.status, response.headers.get('allow')]).to.deep.equal([path, 405, allow]);
      expect(await jsonOf(response)).to.include({ code: 'method_not_allowed' });
    }
  });

  it('are JSON for targets that are no path; addresses are taken by their path', async () => {
    for (const [line, status, body] of [
      ['GET http:// HTTP/1.1', 400, '"code":"bad_request"'],
      ['POST http://[bad/x HTTP/1.1', 400, '"code":"bad_request"'],
      ['OPTIONS * HTTP/1.1', 400, '"code":"bad_request"'],
      ['GET http://x/healthz?a HTTP/1.1', 200, 'ok'],
      ['GET HTTP://x/nothing HTTP/1.1', 404, '"code":"not_found"'],
    ] as const) {
      const answer = await raw(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, line).to.match(RegExp(`^HTTP/1.1 ${status} `)).and.contain(body); // prettier-ignore
    }
  });

  it('are 405 or 404 for TRACE, which would tell what a proxy has added', async () => {
    for (const [path, status] of [
      ['/track', 405],
      ['/', 405],
      ['/nothing', 404],
    ] as const) {
      // prettier-ignore
      const answer = await raw(`TRACE ${path} HTTP/1.1\r\nHost: x\r\nX-Added: secret\r\nConnection: close\r\n\r\n`);
      expect(answer)
        .to.match(RegExp(`^HTTP/1.1 ${status} `))
        .and.not.contain('secret');
    }
  });

  it('are JSON for a path that cannot be decoded', async () => {
    const answer = await raw('GET /%E0%A4%A HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer)
      .to.match(/^HTTP\/1.1 40[04] /)
      .and.match(/\{"error":/);
  });

  it('are JSON for what is no HTTP, and for headers that are too large', async () => {
    expect(await raw('hello\r\n\r\n')).to.match(/^HTTP\/1.1 400 [^]*X-Windlass-Version[^]*\{"error":/);
    const long = 'a'.repeat(20_000);
    for (const request of [
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${long}\r\n\r\n`,
      `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      expect(await raw(request))
        .to.match(/^HTTP\/1.1 431 /)
        .and.to.include('The path and the headers are larger than 16 KiB.');
    }
  });

  it('reach a client that closes the connection with its request while it still sends a body that is too large', async () => {
    for (const [version, length] of [
      ['1.1', 16 * 2 ** 20],
      ['1.0', 70_000],
    ] as const) {
      const head = `POST /track HTTP/${version}\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\nConnection: close\r\n`;
      const answer = await raw(`${head}Content-Length: ${length}\r\n\r\n${' '.repeat(length)}`);
      expect(answer).to.match(/^HTTP\/1.1 413 [^]*"payload_too_large"/);
    }
  });

  it('are JSON for a request without Host', async () => {
    expect(await raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1.1 400 [^]*X-Windlass-Version[^]*\{"error":"[^"]*Host/,
    );
    expect(await raw('GET /healthz HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1.1 200 /);
  });

  it('are 400 for several Hosts, which a proxy in front may have read otherwise, and for one that is none', async () => {
    const get = (hosts: string) => raw(`GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    for (const hosts of [
      'Host: a.example\r\nHost: b.example\r\n',
      'Host: a.example\r\nhOST: a.example\r\n',
      'Host: a.example, b.example/\r\n',
      'Host: a.example/path\r\n',
      'Host: user@a.example\r\n',
      'Host: a b\r\n',
      'Host: a:b\r\n',
      'Host: a.example:80:80\r\n',
    ])
      expect(await get(hosts), hosts).to.match(/^HTTP\/1.1 400 [^]*\{"error":"[^"]*Host/);
    for (const host of ['', 'a.example', 'A.example.:8080', '127.0.0.1:1', '[::1]:8080', 'bücher.example']) {
      const ascii = host === '' ? '' : new URL(`http://${host}`).host;
      expect(await get(`Host: ${ascii}\r\n`), host).to.match(/^HTTP\/1.1 200 /);
    }
  });

  it('do not depend on expectations that nobody knows', async () => {
    const head = 'Host: x\r\nExpect: tea\r\nConnection: close\r\n';
    expect(await raw(`GET /nothing HTTP/1.1\r\n${head}\r\n`)).to.match(/^HTTP\/1.1 404 [^]*\{"error":/);
  });

  it('are a 500 with an id, and nothing of the inside, for a bug of ours', async () => {
    test.store.gate = () => Promise.reject(new Error('the secret of the inside'));
    const response = await test.post('/track', { event_type: 'a' });
    test.store.gate = () => Promise.resolve();
    const body = await jsonOf(response);
    expect([response.status, body['code']]).to.deep.equal([500, 'internal']);
    expect(body['error'])
      .to.match(/id [0-9a-f]{8}-\w+/)
      .and.not.contain('secret');
  });

  it('come before the body to a client that asks first', async () => {
    const head = `POST /track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\nExpect: 100-continue\r\n`;
    expect(await raw(`${head}Content-Length: 1000000\r\n\r\n`)).to.match(/^HTTP\/1.1 413 /);
    const event = '{"event_type":"a"}';
    const taken = await raw(`${head}Connection: close\r\nContent-Length: ${event.length}\r\n\r\n${event}`);
    expect(taken).to.match(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    const old = `${head.replace('HTTP/1.1', 'HTTP/1.0')}Content-Length: ${event.length}\r\n\r\n${event}`;
    expect(await raw(old), 'HTTP/1.0 knows no "100 Continue"').to.match(/^HTTP\/1.1 200 /);
  });

  it('come after those to the requests before, if what follows on the connection is no HTTP', async () => {
    const event = '{"event_type":"a"}';
    const post = (head: string, body: string): string =>
      `POST /track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\n${head}\r\n${body}`;
    const good = post(`Content-Length: ${event.length}\r\n`, event);
    const last = post(`Connection: close\r\nContent-Length: ${event.length}\r\n`, event);
    const broken = post('Transfer-Encoding: chunked\r\n', 'no length\r\n');
    for (const [sent, statuses] of [
      [`${good}nonsense\r\n\r\n`, '200 400'],
      [`${good}${good}nonsense\r\n\r\n`, '200 200 400'],
      [`${last}nonsense\r\n\r\n`, '200'],
      [`${good}${broken}`, '200 400'],
      [broken, '400'],
    ] as const) {
      test.store.gate = () => new Promise((resolve) => setTimeout(resolve, 20)); // events are not stored at once
      const answer = await raw(sent);
      test.store.gate = () => Promise.resolve();
      expect([...answer.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => status).join(' '), sent).to.equal(statuses);
    }
  });

  it('reach a client that closes its side once it has sent its request', async () => {
    const event = '{"event_type":"a"}';
    const head = `POST /track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\nContent-Length: ${event.length}\r\n\r\n`;
    test.store.gate = () => new Promise((resolve) => setTimeout(resolve, 20));
    const answer = await raw(head + event, { closes: true });
    test.store.gate = () => Promise.resolve();
    expect(answer).to.match(/^HTTP\/1.1 200 [^]*\{"accepted":1\}$/);
    const cut = await raw(head + event.slice(1), { closes: true });
    expect(cut).to.match(/^HTTP\/1.1 400 [^]*"code":"bad_request"/);
    expect(await raw('', { closes: true })).to.equal('');
  });

  it('have no other answer in their midst', async () => {
    const head = `POST /track HTTP/1.1\r\nHost: x\r\nX-API-Key: ${test.keys.secretKey}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const piece = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const answer = await raw(`${head}${piece}${piece}nonsense\r\n`);
    expect(answer.match(/HTTP\/1.1 /g), answer).to.have.length(1);
  });

  it('leave the connection usable', async () => {
    const big = 'x'.repeat(100_000);
    const answer = await raw(
      `POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${big.length}\r\n\r\n${big}` +
        'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).to.match(/^HTTP\/1.1 401 [^]*HTTP\/1.1 200 [^]*\r\n\r\nok$/);
  });
});

describe('pages of other origins', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  const Origin = 'https://shop.example';
  const granted = ({ headers }: Response) =>
    ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`));

  for (const path of ['/track', '/identify', '/query']) {
    it(`may call ${path}, and read its errors`, async () => {
      const beacons = path !== '/query';
      const allowed = beacons ? [Origin, 'true'] : ['*', null];
      const preflight = await fetch(test.url + path, { method: 'OPTIONS', headers: { Origin } });
      expect(preflight.status).to.equal(204);
      expect(granted(preflight)).to.deep.equal(allowed);
      expect(preflight.headers.get('access-control-allow-methods')).to.contain('POST');
      expect(preflight.headers.get('allow')).to.equal('POST');
      expect(preflight.headers.get('access-control-allow-headers')).to.contain('X-API-Key');
      const refused = await fetch(test.url + path, { method: 'POST', headers: { Origin } });
      expect(refused.status).to.equal(401);
      expect(granted(refused)).to.deep.equal(allowed);
      expect(refused.headers.get('vary')).to.equal(beacons ? 'Origin' : null); // otherwise a cache gives it to another origin
      for (const name of ['Retry-After', 'RateLimit-Reset'])
        expect(refused.headers.get('access-control-expose-headers')?.split(', ')).to.include(name);
      expect(granted(await fetch(test.url + path, { method: 'POST' }))).to.deep.equal(['*', null]);
    });
  }

  it('may send beacons of JSON, which browsers ask for first and send with credentials', async () => {
    const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type' };
    const url = `${test.url}/track?key=${test.keys.project.publicKey}`;
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { Origin, ...asked } });
    expect(granted(preflight)).to.deep.equal([Origin, 'true']);
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).to.contain('content-type');
    const headers = { Origin, 'Content-Type': 'application/json', Cookie: 'wl_session=x; wl_session.sig=y' };
    const sent = await fetch(url, { method: 'POST', headers, body: '{"event_type":"beacon"}' });
    expect([sent.status, granted(sent)]).to.deep.equal([200, [Origin, 'true']]);
    expect(sent.headers.getSetCookie()).to.deep.equal([]); // no cookie was read, else a bad one would be deleted
  });

  it('may call nothing else', async () => {
    for (const path of ['/healthz', '/api/session', '/api/orgs', '/login', '/console', '/auth/logout']) {
      for (const method of ['OPTIONS', 'GET']) {
        const response = await fetch(test.url + path, { method, headers: { Origin }, redirect: 'manual' });
        expect(granted(response), path).to.deep.equal([null, null]);
      }
    }
  });
});
