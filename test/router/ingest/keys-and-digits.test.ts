import { expect } from 'chai';
import { readJson } from '../../../lib/base/text/read-json.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { sharedService } from '../../support/shared-service.ts';
import type { TestService } from '../../support/service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';

/** In which place of an object JSON.parse of Node 24 and 26 misreads keys with escapes, once a tenant has sent the key after it. */
const POISON = String.raw`{"events":[
  {"event_type":"e","event_properties":{"plan":"x","caf\\":1}},
  {"event_type":"e","event_properties":{"shop":1,"\\u":1},"user_properties":{"a":0,"k\\":1}},
  {"event_type":"e","event_properties":{"o":{"a":0,"k\\":1}}}
]}`;

/** As Python's json writes it by default. */
const SENT = String.raw`{"plan":"pro","caf\u00e9":"Lune","o":{"a":0,"k\"":1,"k\u0041":2}}`;
const READ = { plan: 'pro', café: 'Lune', o: { a: 0, 'k"': 1, kA: 2 } };
const TIME = '2026-03-02T10:00:00Z';

describe('what tenants send', () => {
  let service: TestService;
  let one: Tenant;
  before(async () => {
    service = await sharedService();
    const other = await makeTenant(service, 'Other');
    one = await makeTenant(service, 'Keys');
    expect((await send(service, ['POST', '/track'], { key: other.publicKey }, POISON)).status).to.equal(200);
    await post('/identify', String.raw`{"user_id":"x","user_properties":{"plan":"x","caf\\":1}}`, other);
  });

  /** Sends a text, as JSON or as lines. */
  async function post(path: string, body: string, tenant = one, type = 'application/json'): Promise<Response> {
    const headers = { 'X-API-Key': tenant.secretKey, 'Content-Type': type };
    const response = await fetch(service.url + path, { method: 'POST', headers, body });
    expect(response.status, body).to.equal(200);
    return response;
  }

  async function answer(q: string): Promise<Record<string, unknown>[]> {
    const response = await post('/query', JSON.stringify({ q: `${q} | from 2026-03-01`, format: 'json' }));
    return readJson(await response.text()) as Record<string, unknown>[];
  }

  it('has the keys that it spells, whatever keys another tenant sent before', async () => {
    const event = (type: string): string => `{"event_type":"${type}","time":"${TIME}","user_id":"ann","event_properties":${SENT}}`;
    await post('/track', event('single'));
    await post('/track', `{"events":[{"event_type":"first"},${event('batch')}]}`);
    await post('/track', `{"\\u0065vents":[${event('escaped')}]}`);
    await post('/track', `${event('line')}\n`, one, 'application/x-ndjson');
    for (const type of ['single', 'batch', 'escaped', 'line']) {
      const [row] = await answer(`${type} | list`);
      expect(row?.['event_properties'], type).to.deep.equal(READ);
    }
    expect(await answer('batch | count by event_properties."café", event_properties.o."k\\""')).to.deep.equal([
      { 'event_properties."café"': 'Lune', 'event_properties.o."k\\""': '1', 'count': 1 },
    ]);
    await post('/identify', `{"user_id":"ann","user_properties":${SENT},"user_property_ops":{"$add":{"a":1,"k\\"":2}}}`);
    const [user] = await answer('users | where user_id = "ann"');
    expect(user?.['properties']).to.deep.equal({ ...READ, 'a': 1, 'k"': 2 });
  }); // prettier-ignore

  it('keeps the digits of whole numbers beyond 2^53, in answers and exports too', async () => {
    const orders = ['9007199254740993', '9007199254740992', '-12345678901234567890'];
    const lines = orders.map((order) => `{"event_type":"order","time":"${TIME}","user_id":"bob","event_properties":{"id":${order},"o":[${order}]}}\n`);
    await post('/track', lines.join(''), one, 'application/x-ndjson');
    await post('/track', `{"events":[${lines.join(',')}]}`);
    await post('/identify', '{"user_id":"bob","user_properties":{"id":9007199254740993},"user_property_ops":{"$add":{"n":9007199254740993}}}');
    expect(await answer('order | count by event_properties.id | sort event_properties.id')).to.deep.equal(
      [...orders].sort().map((id) => ({ 'event_properties.id': id, 'count': 2 })),
    );
    expect(await answer('order | where event_properties.id = 9007199254740993 | count')).to.deep.equal([{ count: 2 }]);
    expect(await answer('order | where event_properties.id in (9007199254740992, 5) | unique event_properties.id')).to.deep.equal([{ unique: 1 }]);
    expect((await answer('users | where user_id = "bob"'))[0]?.['properties']).to.deep.equal({ id: '9007199254740993', n: 2 ** 53 });
    const exported = await fetch(`${service.url}/api/gdpr/users/bob/export`, { headers: { 'X-API-Key': one.secretKey } });
    const events = (await exported.text()).split('\n').filter((line) => line.includes('"order"'));
    expect(events.map((line) => (readJson(line) as { event_properties: unknown }).event_properties)).to.have.deep.members(
      [...orders, ...orders].map((id) => ({ id, o: [id] })),
    );
  }); // prettier-ignore
});
