import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { startBalancer, type Balancer } from '../../../test/support/balancer.ts';
import { clickHouseAccess } from '../support/chdb-server/chdb-server.ts';
import { logIn } from '../../../test/support/log-in.ts';
import { OpenIdTestProvider } from '../../../test/support/openid-provider.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { RedirectBrowser } from '../../../test/support/redirect-browser.ts';
import { Served } from '../../../test/support/served.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';
/** Events of a batch. */
const EVENTS = 10;
const PROJECTS = 3;
const SENDERS = 6;

describe('two nodes, in processes of their own, behind a balancer', () => {
  let location: PostgresLocation;
  let balancer: Balancer;
  let provider: OpenIdTestProvider;
  let control: ControlDatabase;
  let settings: Record<string, string>;
  const nodes: { served: Served; url: string }[] = [];
  let sent = 0;

  before(async () => {
    location = await newSchema();
    balancer = await startBalancer();
    provider = await OpenIdTestProvider.start({ people: { ada: { email: 'ada@example.org', emailVerified: true } } });
    const { url, user, password, database } = await clickHouseAccess();
    settings = {
      WINDLASS_SECRET: SECRET,
      WINDLASS_URL: balancer.url,
      WINDLASS_CONTROL: urlOf(location),
      WINDLASS_STORE: `clickhouse://${user}:${password}@${new URL(url).host}/${database}`,
      WINDLASS_EVENTS_PER_MINUTE: '0',
      ...provider.settings(),
    };
    control = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
    for (const place of [0, 1]) await start(place);
  });
  after(async () => {
    for (const { served } of nodes) served.kill('SIGKILL');
    await Promise.all([...nodes.map(({ served }) => served.exited), control.close(), balancer.stop(), provider.stop()]);
    await dropSchemas([location]);
  });

  async function start(place: number): Promise<void> {
    const served = new Served(temporaryFolder(), settings);
    nodes[place] = { served, url: await served.ready() };
    balancer.nodes = nodes.map(({ url }) => url);
  }

  async function projectKeys(count: number): Promise<readonly string[]> {
    const { organization } = await control.organizations.create('Org');
    const make = () => control.projects.create(organization.id, 'Shop', { name: 'test', ip: null });
    return (await Promise.all(Array.from({ length: count }, make))).map(({ secretKey }) => secretKey);
  }

  const post = (url: string, path: string, key: string, body: unknown): Promise<Response> =>
    fetch(url + path, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) });

  /**
   * Sends batches while `act` runs, and a little longer; each must be acknowledged. Then each is sent again, half of them to each
   * node, and events are counted. Answers the longest waits for an acknowledgement, milliseconds: before `act`, and in all.
   */
  async function underLoad(act: () => Promise<void>): Promise<{ readonly usual: number; readonly longest: number }> {
    const keys = await projectKeys(PROJECTS);
    const batches = keys.map((): object[] => []);
    const over = new AbortController();
    let [usual, longest] = [0, 0];
    const send = async (sender: number): Promise<void> => {
      const place = sender % PROJECTS;
      while (!over.signal.aborted) {
        const id = `batch ${sent++}`;
        const events = Array.from({ length: EVENTS }, (_, i) => ({ event_type: 'e', device_id: 'd', insert_id: `${id} ${i}` })); // prettier-ignore
        const since = performance.now();
        const answer = await post(balancer.url, '/track', keys[place]!, { events });
        longest = Math.max(longest, performance.now() - since);
        expect([answer.status, await answer.json()]).to.deep.equal([200, { accepted: EVENTS }]);
        batches[place]!.push({ events });
      }
    };
    const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
    const acting = (async () => {
      do await pause(1_000);
      while (batches.some((own) => own.length < SENDERS / PROJECTS));
      usual = longest;
      await act();
      await pause(1_000);
    })().finally(() => over.abort());
    await Promise.all([senders, acting]);
    for (const [place, own] of batches.entries()) {
      expect(own).not.to.deep.equal([]);
      await Promise.all(own.map((batch) => post(balancer.url, '/track', keys[place]!, batch)));
      for (const { url } of nodes) {
        const counted = await post(url, '/query', keys[place]!, { q: '* | count', format: 'json' });
        expect(await counted.json()).to.deep.equal([{ count: own.length * EVENTS }]);
      }
    }
    return { usual, longest };
  }

  it('use on one at once what was made on the other', async () => {
    const { adminKey } = await control.organizations.create('Acme');
    for (const [one, other] of [nodes, nodes.toReversed()]) {
      const made = await post(one!.url, '/api/admin/projects', adminKey, { name: 'Shop' });
      const { secret_key: key } = (await made.json()) as { secret_key: string };
      expect((await post(other!.url, '/track', key, { event_type: 'e', device_id: 'd' })).status).to.equal(200);
      const counted = await post(one!.url, '/query', key, { q: 'e | count', format: 'json' });
      expect(await counted.json()).to.deep.equal([{ count: 1 }]);
    }
  });

  it('keep what was acknowledged once when one is killed: its projects wait for some seconds, and no request fails', async () => {
    const { usual, longest } = await underLoad(async () => {
      nodes[1]!.served.kill('SIGKILL');
      await nodes[1]!.served.exited;
      await pause(8_000); // longer than a turn
      await start(1);
    });
    expect(longest, `usual: ${usual} ms`).to.be.below(15_000 + 20 * usual); // the machine may be slow
  });

  it('keep what was acknowledged once when one stands still for longer than its turn, and goes on', async () => {
    await underLoad(async () => {
      process.kill(nodes[0]!.served.pid, 'SIGSTOP');
      await pause(8_000);
      process.kill(nodes[0]!.served.pid, 'SIGCONT');
      await pause(1_000);
    });
  });

  it('are started anew one after the other without a failed request', async () => {
    await underLoad(async () => {
      for (const place of [0, 1]) {
        const { served } = nodes[place]!;
        served.kill('SIGTERM');
        expect(await served.exited).to.deep.equal([0, null]);
        await start(place);
      }
    });
    expect(balancer.retries).to.be.above(0);
  });

  it('end a login that was begun on the other, and know each other’s sessions', async () => {
    const browser = new RedirectBrowser();
    const callback = await logIn(browser, `${balancer.url}/auth/test`, 'ada'); // the balancer takes the other node for it
    expect(callback.headers.get('location')).to.equal('/console');
    expect(await emails(browser)).to.deep.equal(['ada@example.org', 'ada@example.org']);
    const { token } = await control.logins.createLink('grace@example.org');
    const guest = new RedirectBrowser();
    const headers = { Origin: balancer.url };
    await guest.open(`${balancer.url}/auth/link`, { method: 'POST', body: new URLSearchParams({ token }), headers });
    expect(await emails(guest)).to.deep.equal(['grace@example.org', 'grace@example.org']);
  });

  const emails = (browser: RedirectBrowser): Promise<readonly unknown[]> =>
    Promise.all(
      nodes.map(async ({ url }) => {
        const headers = { Cookie: browser.cookieHeader(new URL(balancer.url)) };
        const session = (await (await fetch(`${url}/api/session`, { headers })).json()) as {
          account?: { email: string };
        };
        return session.account?.email;
      }),
    );
});
