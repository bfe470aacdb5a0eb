import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Target } from '../../../lib/alerts/alert.ts';
import type { Notice } from '../../../lib/alerts/notice.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { alertSecret } from '../../../lib/router/alert-secret.ts';
import { AlertTeller } from '../../../lib/router/alerts/teller.ts';
import { Mailer } from '../../../lib/router/mail/mailer.ts';
import { Mail } from '../../../lib/router/mail/mail.ts';
import type { DashboardData } from '../../../lib/dashboards/data.ts';
import { DAY, newWorld, TESTER, type World } from '../../control/open-control.ts';
import { isSigned, Receiver } from '../../webhooks/receiver.ts';
import { MailServer } from '../mail/mail-server.ts';

const REPORT: DashboardData = {
  ...{ dashboard: { version: 1, id: 'growth', title: 'Growth', description: null, order: null, refreshMs: null, timezone: null, variables: [], sections: [] } },
  ...{ values: {}, at: '2026-01-15T12:00:00.000Z', cards: {} },
}; // prettier-ignore

describe('what alerts tell, sent', () => {
  let world: World;
  let receiver: Receiver;
  let port: number;
  const tellers: AlertTeller[] = [];
  const stopping: (() => Promise<void>)[] = [];
  beforeEach(async () => {
    world = await newWorld();
    receiver = new Receiver();
    port = await receiver.start();
  });
  afterEach(async () => {
    for (const teller of tellers.splice(0)) await teller.close();
    await receiver.stop();
    for (const stop of stopping.splice(0)) await stop();
  });

  const tellerWith = (parts: { allowPrivate?: boolean; mail?: Mail | null } = {}): AlertTeller => {
    const { control, clock } = world;
    const made = new AlertTeller({ control, mail: null, allowPrivate: true, pause: 1_000, log: silentLog(), now: clock.now, ...parts }); // prettier-ignore
    tellers.push(made);
    return made;
  };
  const mailOf = (url: string, patience = 5_000): Mail => {
    const log = silentLog();
    const mailer = new Mailer({ url, from: () => 'Windlass <windlass@example.com>', patience, pause: 10, log });
    stopping.push(() => mailer.close());
    return new Mail({ mailer, config: { operator: null }, control: world.control, publicUrl: () => 'https://host.example', log }); // prettier-ignore
  };
  const noticeOf = (parts: Partial<Notice> = {}): Notice => ({
    ...{ kind: 'fired', id: 'msg_1', at: world.clock.time, saw: 'count 7', url: 'https://host.example/a' },
    ...{ project: { id: world.project.id, name: 'Shop' }, alert: { id: 'a', title: 'Few', description: null } },
    ...{ columns: ['count'], rows: [{ count: 7 }], total: 1, report: null },
    ...parts,
  });
  /** An alert has something to tell these. */
  const tell = async (to: readonly Target[], parts: Partial<Notice> = {}): Promise<void> => {
    const { control, project } = world;
    const alert = { id: 'a', title: 'Few', description: null, schedule: 'every 1h', timezone: null, query: 'x', dashboard: null, when: null, to, paused: false }; // prettier-ignore
    await control.alerts.write(project, { alert, yaml: JSON.stringify(to) }, TESTER);
    await control.alerts.askNow(project.id, 'a');
    const [due] = await control.alerts.runs.claim(1, 1_000);
    const finished = { outcome: 'fired', saw: '', state: 'firing', nextAt: null, tell: { notice: noticeOf(parts), to } } as const; // prettier-ignore
    await control.alerts.runs.finish(due!, finished);
  };
  const hook = (path = '/hook'): Target => ({ kind: 'webhook', to: `http://127.0.0.1:${port}${path}` });
  const answers = async (): Promise<unknown> =>
    (await world.control.alerts.runs.list(world.project.id, 'a'))[0]?.told.map(({ state, answer }) => [state, answer]);
  const sendWith = async (teller: AlertTeller): Promise<unknown> => {
    await teller.look();
    await teller.idle();
    return answers();
  };

  it('is signed for a webhook with the secret of the project, and shaped for Slack and Discord', async () => {
    await tell([hook(), { ...hook(), kind: 'slack' }, { ...hook(), kind: 'discord' }]);
    expect(await sendWith(tellerWith())).to.deep.equal(Array.from({ length: 3 }, () => ['delivered', '200']));
    const deliveries = receiver.deliveries.map((delivery) => ({ delivery, body: Object(JSON.parse(delivery.body)) }));
    const webhook = deliveries.find(({ body }) => 'type' in body)!;
    expect(webhook.body).to.have.property('type', 'alert.fired');
    expect(webhook.delivery.id).to.equal('msg_1');
    const secret = Buffer.from(alertSecret(world.control, world.project.id)).toString('base64');
    expect(isSigned(webhook.delivery, secret)).to.equal(true);
    const other = Buffer.from(alertSecret(world.control, 'prj_other')).toString('base64');
    expect(isSigned(webhook.delivery, other)).to.equal(false);
    expect(deliveries.filter(({ body }) => 'text' in body || 'content' in body)).to.have.length(2);
  });

  it('is tried again where it was not taken, and only there, under the same id', async () => {
    const teller = tellerWith();
    const other = new Receiver();
    stopping.push(() => other.stop());
    const place = await other.start();
    receiver.status = 500;
    await tell([hook(), { kind: 'webhook', to: `http://127.0.0.1:${place}/` }]);
    expect(await sendWith(teller)).to.deep.equal([['waiting', '500'], ['delivered', '200']]); // prettier-ignore
    expect(await sendWith(teller)).to.deep.equal([['waiting', '500'], ['delivered', '200']]); // prettier-ignore
    receiver.status = 204;
    world.clock.time += 1_250;
    expect(await sendWith(teller)).to.deep.equal([['delivered', '204'], ['delivered', '200']]); // prettier-ignore
    expect(receiver.deliveries.map(({ id }) => id)).to.deep.equal(['msg_1', 'msg_1']);
    expect(other.deliveries).to.have.length(1);
  });

  it('is given up after three days, and says so', async () => {
    const teller = tellerWith();
    receiver.status = 404;
    await tell([hook()]);
    await sendWith(teller);
    world.clock.time += 3 * DAY;
    expect(await sendWith(teller)).to.deep.equal([['given up', '404']]);
    world.clock.time += DAY;
    await sendWith(teller);
    expect(receiver.deliveries).to.have.length(2);
  });

  it('is given back when the service ends, without what was delivered', async () => {
    const [answered, hangs] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url, socket }, response) => {
      asked.push(url);
      if (url === '/hangs' && asked.length < 3) return hangs.resolve();
      socket.once('close', answered.resolve); // whoever asked has the answer
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    stopping.push(async () => void server.close());
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const teller = tellerWith();
    await tell([
      { kind: 'webhook', to: `${to}/answers` },
      { kind: 'webhook', to: `${to}/hangs` },
    ]);
    await teller.look();
    await Promise.all([answered.promise, hangs.promise]);
    await teller.close();
    expect(await answers()).to.deep.equal([['delivered', '200'], ['waiting', 'the service ended']]); // prettier-ignore
    expect(await sendWith(tellerWith())).to.deep.equal([['delivered', '200'], ['delivered', '200']]); // prettier-ignore
    expect(asked).to.have.members(['/answers', '/hangs', '/hangs']);
  });

  it('goes to no private address, by its number or its name, nor where a hook redirects to', async () => {
    const teller = tellerWith({ allowPrivate: false });
    const hosts = ['127.0.0.1', '[::1]', 'localhost', '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]'];
    await tell(hosts.map((host): Target => ({ kind: 'webhook', to: `http://${host}:${port}/` })));
    const refused = ['waiting', 'the address is private: WINDLASS_ALERT_PRIVATE allows it'];
    expect(await sendWith(teller)).to.deep.equal(hosts.map(() => refused));
    const redirecting: Server = createServer((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/private` }).end();
    }).listen(0, '127.0.0.1');
    await new Promise((done) => redirecting.once('listening', done));
    stopping.push(async () => void redirecting.close());
    await tell([{ kind: 'webhook', to: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/` }]);
    expect(await sendWith(tellerWith())).to.deep.equal([['waiting', '307']]);
    expect(receiver.deliveries).to.deep.equal([]);
  });

  describe('by mail', () => {
    let server: MailServer;
    let url: string;
    const ann: Target = { kind: 'email', to: 'ann@example.com' };
    const bob: Target = { kind: 'email', to: 'bob@example.com' };
    beforeEach(async () => {
      server = new MailServer();
      url = await server.start();
      stopping.push(() => server.stop());
      for (const { to } of [ann, bob]) {
        const { token } = await world.control.logins.createLink(to, { orgId: world.organization.id, role: 'viewer' });
        await world.control.logins.redeem(token, { ip: null });
      }
    });

    it('is a letter with the rows, or with a dashboard as one HTML file', async () => {
      const teller = tellerWith({ mail: mailOf(url) });
      await tell([ann]);
      expect(await sendWith(teller)).to.deep.equal([['delivered', 'taken']]);
      const { to, subject, text } = await server.next();
      expect([to, subject]).to.deep.equal(['ann@example.com', 'Fired: Few (Shop)']);
      expect(text.replaceAll('\r', '')).to.include('count 7\n\ncount\n7\n\n').and.include('https://host.example/a');
      await tell([ann], { kind: 'report', report: REPORT, rows: [] });
      await sendWith(teller);
      const { raw } = await server.next();
      const [, encoded = ''] = /filename=a-2026-01-15\.html[^]*?\r\n\r\n([^]*?)\r\n----/.exec(raw) ?? [];
      expect(Buffer.from(encoded, 'base64').toString()).to.include('<title>Growth · Windlass</title>');
    });

    it('goes to members only, and nowhere without a mail server', async () => {
      await tell([{ kind: 'email', to: 'stranger@example.com' }]);
      expect(await sendWith(tellerWith({ mail: mailOf(url) }))).to.deep.equal([['given up', 'no member of the organization']]); // prettier-ignore
      expect(server.asked).to.equal(0);
      await tell([ann]);
      expect(await sendWith(tellerWith())).to.deep.equal([['given up', 'this host sends no mail']]);
    });

    it('is given up where the server will not take it, and tried again where it will later', async () => {
      const teller = tellerWith({ mail: mailOf(url) });
      server.answer = '550 no such mailbox';
      await tell([ann]);
      expect(await sendWith(teller)).to.deep.equal([['given up', 'the mail server did not take it (EMESSAGE 550)']]);
      server.answer = '450 later';
      await tell([ann, bob]);
      const later = ['waiting', 'the mail server did not take it (EMESSAGE 450)'];
      expect(await sendWith(teller)).to.deep.equal([later, later]);
      expect(server.asked).to.equal(3);
    });

    it('asks a server that hangs once, and not for each letter', async () => {
      server.answer = null;
      await tell([ann, bob]);
      const [first, second] = Object(await sendWith(tellerWith({ mail: mailOf(url, 50) })));
      expect(first[1]).to.match(/^the mail server did not take it \(E\w+\)$/);
      expect(second).to.deep.equal(first);
      expect(server.asked).to.equal(1);
    });

    it('waits for a server that hangs, and no hook waits for that', async () => {
      const teller = tellerWith({ mail: mailOf(url, 50) });
      server.answer = null;
      await tell([ann, hook()]);
      expect(await sendWith(teller)).to.have.nested.property('[0][0]', 'waiting');
      expect(await answers()).to.have.deep.nested.property('[1]', ['delivered', '200']);
      server.answer = '250 taken';
      world.clock.time += 1_250;
      expect(await sendWith(teller)).to.deep.equal([['delivered', 'taken'], ['delivered', '200']]); // prettier-ignore
      expect(receiver.deliveries).to.have.length(1);
    });
  });
});
