import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { jsonOf, startTestService, type TestService } from '../../support/service.ts';
import { makeTenant, send, type Tenant } from '../../support/tenants.ts';
import { MailServer } from './mail-server.ts';

const BY = { name: 'test', ip: null };

describe('mail of a host', () => {
  let server: MailServer;
  let test: TestService;
  let acme: Tenant;
  let control: ControlDatabase;
  before(async () => {
    server = new MailServer();
    const url = await server.start();
    test = await startTestService({ WINDLASS_SMTP_URL: url, WINDLASS_MAIL_LOGIN: 'on', WINDLASS_OPERATOR: 'Ops' });
    acme = await makeTenant(test, 'Acme');
    control = await ControlDatabase.open(test.folder, { secret: null });
  });
  after(async () => {
    await control.close();
    await server.stop();
    await test.stop();
  });

  const ask = (email: string, origin = test.url): Promise<Response> =>
    fetch(`${test.url}/auth/mail`, {
      method: 'POST',
      body: new URLSearchParams({ email }),
      headers: { Origin: origin },
    });

  it('tells who is invited, with where to log in', async () => {
    const invite = { email: 'New@acme.example', role: 'member' };
    const answer = await send(test, ['POST', `/api/orgs/${acme.orgId}/members`], { cookie: acme.cookies.admin }, invite);
    expect(await jsonOf(answer)).to.deep.include({ email: 'new@acme.example', status: 'invited', mailed: true });
    const { to, subject, text } = await server.next();
    expect([to, subject]).to.deep.equal(['new@acme.example', `You are invited to “Acme” on ${new URL(test.url).host}`]);
    expect(text).to.contain('with the role member').and.contain(`${test.url}/login`).and.contain('run by Ops');
  }); // prettier-ignore

  it('logs in who asks on the login page, once', async () => {
    const page = await (await fetch(`${test.url}/login`)).text();
    expect(page).to.contain('action="/auth/mail"');
    const answer = await (await ask('OWNER@acme.example')).text();
    const { to, text } = await server.next();
    expect(to).to.equal('owner@acme.example');
    const token = /\/auth\/link\?token=([\w-]+)/.exec(text)?.[1] ?? '';
    const use = (): Promise<Response> =>
      fetch(`${test.url}/auth/link`, {
        method: 'POST',
        body: new URLSearchParams({ token }),
        headers: { Origin: test.url },
        redirect: 'manual',
      });
    expect((await use()).headers.get('location')).to.equal('/console');
    expect((await use()).headers.get('location')).to.equal('/login?error=link');
    expect(await (await ask('stranger@example.com')).text(), 'nobody learns who has an account').to.equal(answer);
    expect((await ask('owner@acme.example', 'https://evil.example')).status).to.equal(403);
    for (const wrong of ['', 'x', 'a@b, c@d', 'a@b\r\nBcc: c@d']) expect((await ask(wrong)).status, wrong).to.equal(400);
  }); // prettier-ignore

  it('mails an address three links in ten minutes, whoever asks', async () => {
    for (let nth = 0; nth < 5; nth++) expect((await ask('member@acme.example')).status).to.equal(200);
    for (let nth = 0; nth < 3; nth++) expect((await server.next()).to).to.equal('member@acme.example');
    await ask('viewer@acme.example');
    expect((await server.next()).to, 'no fourth one before it').to.equal('viewer@acme.example');
  });

  it('tells admins and owners once how much of a month is used, of a project and of its organization', async () => {
    await control.projects.change(acme.projectId, { eventsPerMonth: 4 }, BY);
    const track = async (events: number): Promise<number> =>
      (
        await send(test, ['POST', '/track'], { key: acme.secretKey }, { events: Array.from({ length: events }, () => ({ event_type: 'a' })) })
      ).status;
    for (const events of [2, 1, 1]) expect(await track(events)).to.equal(200);
    expect(await track(1)).to.equal(403);
    expect(await track(1)).to.equal(403);
    const letters = [];
    for (let nth = 0; nth < 4; nth++) letters.push(await server.next());
    const told = letters.map(({ to, subject }) => `${to} ${subject}`);
    const of = (share: string) => ['admin', 'owner'].map((who) => `${who}@acme.example ${share} of this month's events are used: Acme project`);
    expect(told).to.have.members([...of('50 percent'), ...of('All')]);
    expect(letters.find(({ subject }) => subject.startsWith('All'))?.text).to.contain('the 4 events that the project “Acme project” of “Acme” may store');
  }); // prettier-ignore
});

describe('a host without mail', () => {
  it('says who must pass an invitation on, and mails no login links', async () => {
    const test = await startTestService();
    const acme = await makeTenant(test, 'Acme');
    const invite = { email: 'new@acme.example', role: 'member' };
    const answer = await send(test, ['POST', `/api/orgs/${acme.orgId}/members`], { cookie: acme.cookies.admin }, invite);
    expect(await jsonOf(answer)).to.deep.include({ mailed: false });
    const page = await fetch(`${test.url}/console/orgs/${acme.orgId}/members`, { headers: { Cookie: acme.cookies.admin } });
    expect(await page.text()).to.contain('This host sends no e-mail: tell them yourself.');
    expect(await (await fetch(`${test.url}/login`)).text()).to.not.contain('/auth/mail');
    const asked = await fetch(`${test.url}/auth/mail`, { method: 'POST', body: new URLSearchParams({ email: 'a@b.example' }), headers: { Origin: test.url } });
    expect(asked.status).to.equal(503);
    await test.stop();
  }); // prettier-ignore
});
