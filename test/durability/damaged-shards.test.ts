import { expect } from 'chai';
import { ControlDatabase } from '../../lib/control/database.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import { wl } from '../cli/run-wl.ts';
import { flipBit, type StoredValue } from '../support/flip-bit.ts';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Where a bit is flipped, and a request that reads it. */
interface Damage extends StoredValue {
  readonly ask: readonly [method: string, path: string, body?: unknown];
}

const query = (q: string): Damage['ask'] => ['POST', '/query', { q, format: 'json' }];
const USER = 'u1';

const DAMAGES: readonly Damage[] = [
  { table: 'columns', column: 'data', where: 'field = 5', ask: query('e | last 1 d | count, unique') },
  { table: 'columns', column: 'data', where: 'field = 5', ask: ['GET', `/api/gdpr/users/${USER}/export`] },
  { table: 'columns', column: 'data', where: 'field = 5', ask: ['DELETE', `/api/gdpr/users/${USER}`] },
  { table: 'dictionaries', column: 'data', ask: query('e | last 1 d | count') },
  { table: 'dictionaries', column: 'data', where: 'field > 8', ask: ['POST', '/track', { event_type: 'e' }] },
  { table: 'bindings', column: 'data', ask: query('e | last 1 d | unique') },
  { table: 'profiles', column: 'properties', ask: query('users | last 1 d | list') },
  { table: 'profiles', column: 'properties', ask: ['POST', '/identify', { user_id: USER, user_properties: { a: 1 } }] },
  ...['field = 3', 'field = 9', 'field = 10'].map((where): Damage => {
    return { table: 'columns', column: 'data', where, ask: ['POST', '/track', { event_type: 'e', insert_id: 'id 1' }] };
  }),
  { table: 'segments', column: 'types', ask: query('e | last 1 d | count') },
];

interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

describe('one bit that flips in what a shard stores, under a server that was killed with events in the journal', () => {
  const folder = temporaryFolder();
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));
  const serve = (): Served => {
    const served = new Served(folder);
    started.push(served);
    return served;
  };

  it('is a 503 of that project alone, wherever it is; the others go on, and `wl admin check` names it', async () => {
    const control = await ControlDatabase.open(folder, { secret: null });
    const { organization, adminKey } = await control.organizations.create('Org');
    const make = async (name: string): Promise<Tenant> => {
      const { project, secretKey } = await control.projects.create(organization.id, name, { name: 'test', ip: null });
      return { id: project.id, name, key: secretKey };
    };
    const victims = await Promise.all(
      DAMAGES.map(({ table, ask: [method, path] }) => make(`${table} ${method} ${path}`)),
    );
    const good = await make('good');
    await control.close();
    const first = serve();
    const url = await first.ready();
    for (const { key } of [...victims, good]) await fill(url, key);
    first.kill('SIGKILL');
    await first.exited;
    DAMAGES.forEach((damage, i) => flipBit(shardPath(folder, victims[i]!.id), damage));
    const { code, stdout } = await wl(['admin', 'check', '--data', folder]);
    expect(code).to.equal(1);
    for (const { id } of victims) expect(stdout).to.include(`damaged: project ${id}`);
    expect(stdout).not.to.include(good.id);

    const second = serve();
    const again = await second.ready();
    expect((await fetch(`${again}/readyz`)).status).to.equal(200);
    // All at once: after an idle minute, a shard is compacted, which makes anew what follows from the rest of it.
    const answers = await Promise.all(DAMAGES.map(({ ask }, i) => call(again, victims[i]!.key, ask)));
    for (const [i, { ask, table }] of DAMAGES.entries()) {
      const answer = answers[i]!;
      expect([table, ask[1], answer.status, answer.body], second.stderr).to.deep.equal([
        table,
        ask[1],
        503,
        'shard_damaged',
      ]);
    }
    expect((await call(again, good.key, ['POST', '/track', { event_type: 'e' }])).status).to.equal(200);
    const counted = await call(again, good.key, query('e | last 1 d | count'));
    expect([counted.status, counted.body]).to.deep.equal([200, JSON.stringify([{ count: 102 }])]);
    for (const { id, name } of victims) {
      const names = { project_name: name, project_name_confirm: name };
      const deleted = await call(again, adminKey, ['DELETE', `/api/admin/projects/${id}`, names]);
      expect(deleted.status, name).to.equal(200);
    }
    expect((await wl(['admin', 'check', '--data', folder])).code).to.equal(0);
  });
});

/** Seals a hundred events, an identity and a profile, and sends an event that stays unsealed. */
async function fill(url: string, key: string): Promise<void> {
  const events = Array.from({ length: 100 }, (_, n) => ({
    ...{ event_type: 'e', device_id: `d${n}`, insert_id: `id ${n}`, ...(n % 5 > 0 ? { user_id: `u${n % 7}` } : {}) },
    event_properties: { n, text: `text ${n}` },
  }));
  const requests: Damage['ask'][] = [
    ['POST', '/track', { events }],
    ['POST', '/identify', { user_id: USER, device_id: 'd5', user_properties: { plan: 'pro', bio: 'b'.repeat(100) } }],
    query('e | last 1 d | count'),
    ['POST', '/track', { event_type: 'e', event_properties: { text: 'in the journal' } }],
  ];
  for (const ask of requests) expect((await call(url, key, ask)).status).to.equal(200);
}

/** The status, and the error code or the whole body. */
async function call(
  url: string,
  key: string,
  [method, path, body]: Damage['ask'],
): Promise<{ status: number; body: string }> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: response.ok ? text : String((JSON.parse(text) as { code: unknown }).code) };
}
