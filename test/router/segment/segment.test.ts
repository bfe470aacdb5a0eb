import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant, type Tenant } from '../../support/tenants.ts';

describe('the protocol of Segment', () => {
  let test: TestService;
  let tenant: Tenant;
  before(async () => {
    test = await sharedService();
    tenant = await makeTenant(test, 'Segment');
  });

  const call = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(test.url + path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  const basic = (key: string): Record<string, string> => ({
    Authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  });
  const rows = async (q: string): Promise<unknown> =>
    (await test.post('/query', { q, format: 'json' }, { 'X-API-Key': tenant.secretKey })).json();

  it('takes calls of pages by one letter, with the key in their body', async () => {
    const message = {
      type: 'track',
      event: 'clicked',
      anonymousId: 'd1',
      messageId: 'm1',
      properties: { n: 1 },
      writeKey: tenant.publicKey,
    };
    for (const path of ['/v1/t', '/segment/v1/t', '/v1/track']) {
      const answer = await call(path, message, { 'Content-Type': 'text/plain', Origin: 'https://page.example' });
      expect([answer.status, await answer.json()]).to.deep.equal([200, { success: true }]);
      expect(answer.headers.get('access-control-allow-origin')).to.equal('https://page.example');
    }
    expect(await rows('clicked | list distinct_id, event_properties.n')).to.deep.equal([
      { distinct_id: 'd1', 'event_properties.n': 1 },
    ]);
  });

  it('answers the preflight of pages', async () => {
    const answer = await fetch(`${test.url}/v1/t`, { method: 'OPTIONS', headers: { Origin: 'https://page.example' } });
    expect(answer.status).to.equal(204);
    expect(answer.headers.get('access-control-allow-headers')).to.contain('Authorization');
  });

  it('tells libraries for pages where to send', async () => {
    for (const prefix of ['', '/segment']) {
      const answer = await fetch(`${test.url}${prefix}/v1/projects/${tenant.publicKey}/settings`);
      const host = test.url.replace('http://', '');
      expect((await jsonOf(answer))['integrations']).to.deep.equal({
        'Segment.io': {
          apiKey: tenant.publicKey,
          apiHost: `${host}${prefix}/v1`,
          protocol: 'http',
          unbundledIntegrations: [],
          addBundledMetadata: true,
        },
      });
    }
    expect((await fetch(`${test.url}/v1/projects/pk_none/settings`)).status).to.equal(404);
  });

  it('takes with a public key what only an app knows of itself, and no address, place or zone', async () => {
    const context = {
      ...{ os: { name: 'iOS', version: '26.1' }, device: { type: 'ios', model: 'iPad14,1', manufacturer: 'Apple' } },
      ...{ app: { name: 'Shop', version: '4.2', build: '77' }, locale: 'de-DE', screen: { width: 820, height: 1180 } },
      ...{
        ip: '8.8.8.8',
        timezone: 'Asia/Tokyo',
        location: { country: 'JP' },
        library: { name: 'analytics-swift', version: '1.7' },
      },
    };
    const event = { type: 'track', event: 'opened', anonymousId: 'phone', messageId: 'o1', context };
    await call(
      '/v1/batch',
      { batch: [event] },
      { ...basic(tenant.publicKey), 'User-Agent': 'Shop/77 CFNetwork/1568 Darwin/24.1' },
    );
    const fields =
      '_os, _os_version, _device_type, _platform, _ip, _country, _timezone, _library, event_properties.app_version, event_properties.language, event_properties.screen';
    expect(await rows(`opened | list ${fields}`)).to.deep.equal([
      {
        ...{ _os: 'iOS', _os_version: '26.1', _device_type: 'tablet', _platform: 'ios', _ip: '127.0.0.0' },
        ...{ _country: null, _timezone: null, _library: 'analytics-swift/1.7' },
        ...{
          'event_properties.app_version': '4.2',
          'event_properties.language': 'de-DE',
          'event_properties.screen': '820x1180',
        },
      },
    ]);
  });

  it('reports what is not stored, and counts it', async () => {
    const batch = [
      { type: 'track', event: 'reported', userId: 'u1', context: { network: {} }, integrations: { All: true } },
      { type: 'identify', anonymousId: 'nobody', traits: { a: 1 } },
      { type: 'group', anonymousId: 'nobody', groupId: 'g' },
      { type: 'alias', userId: 'u1' },
      { type: 'wrong' },
      7,
      { type: 'track', userId: 'u1' },
      { type: 'identify', userId: ' ', traits: {} },
      { type: 'alias', userId: 'u1', previousId: 'u0' },
    ];
    const answer = await jsonOf(await call('/v1/batch?report=true', { batch }, basic(tenant.secretKey)));
    expect(answer).to.include({ success: true, accepted: 2, rejected: 7 });
    expect((answer['errors'] as { index: number }[]).map(({ index }) => index)).to.deep.equal([1, 2, 3, 4, 5, 8, 7, 6]);
  });

  it('takes a batch with gzip, and the times of a clock that is wrong', async () => {
    const wrong = Date.now() - 7_200_000;
    const batch = ['a', 'b'].map((userId) => ({
      type: 'track',
      event: 'skewed',
      userId,
      originalTimestamp: new Date(wrong - 60_000).toISOString(),
    }));
    const body = gzipSync(JSON.stringify({ batch, sentAt: new Date(wrong).toISOString() }));
    const before = Date.now();
    await call('/v1/batch', body, { ...basic(tenant.secretKey), 'Content-Encoding': 'gzip' });
    const [row] = (await rows('skewed | list time')) as { time: string }[];
    expect(Math.abs(Date.parse(row!.time) - (before - 60_000))).to.be.lessThan(60_000);
  });

  it('refuses what is no call, too large, or without a key', async () => {
    const key = basic(tenant.secretKey);
    const statuses = await Promise.all([
      call('/v1/track', '{', key),
      call('/v1/track', '[]', key),
      call('/v1/batch', { batch: {} }, key),
      call('/v1/batch', { batch: Array.from({ length: 2_001 }, () => ({ type: 'track', event: 'e' })) }, key),
      call('/v1/track', 'x'.repeat(600_000), key),
      call('/v1/nothing', {}, key),
      call('/v1/track', { event: 'e' }),
      call('/v1/track', { event: 'e', writeKey: 'pk_none' }),
      call('/v1/track', { event: 'e' }, { ...basic(tenant.secretKey), 'Content-Encoding': 'rot13' }),
      fetch(`${test.url}/v1/track`, { headers: key }),
    ]);
    expect(statuses.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400, 413, 404, 401, 401, 400, 405]);
  });

  it('stays with the object that a body is, whatever its keys', async () => {
    const text = `{"type":"track","event":"proto","userId":"u1","__proto__":{"event":"x"},"properties":{"__proto__":{"a":1},"constructor":2},"context":{"__proto__":{"ip":"1.2.3.4"}}}`;
    expect((await call('/v1/track', text, basic(tenant.secretKey))).status).to.equal(200);
    expect(await rows('proto | list event_properties.constructor, _ip')).to.deep.equal([
      { 'event_properties.constructor': 2, _ip: null },
    ]);
  });
});

describe('Authorization: Bearer', () => {
  it('is a key as X-API-Key is; two that differ are refused', async () => {
    const test = await sharedService();
    const { secretKey } = test.keys;
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${test.url}/query`, { method: 'POST', headers, body: '{"q":"* | count"}' })).status;
    const bearer = `Bearer ${secretKey}`;
    expect(await ask({ Authorization: bearer })).to.equal(200);
    expect(await ask({ Authorization: bearer, 'X-API-Key': secretKey })).to.equal(200);
    expect(await ask({ Authorization: 'Bearer other', 'X-API-Key': secretKey })).to.equal(401);
    expect(await ask({ Authorization: 'Basic eDo=', 'X-API-Key': secretKey })).to.equal(200);
    expect(await ask({ Authorization: 'Bearer other' })).to.equal(401);
  });
});
