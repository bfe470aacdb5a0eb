import { expect } from 'chai';
import { tokenJson } from '../../../lib/control/json.ts';
import { parseLifetime } from '../../../lib/control/projects/lifetime.ts';
import { actorOf } from '../../../lib/control/accounts/accounts.ts';
import type { Account } from '../../../lib/control/types.ts';
import { DAY, HOUR, newWorld, removeAccount, TESTER, type World } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';

describe('tokens', () => {
  it('live 90 days when nobody says otherwise, and show only their prefix', async () => {
    const { control, clock, project } = await newWorld();
    const { token, key } = await control.tokens.create(
      { projectId: project.id, name: ' ci ', scopes: ['query'] },
      TESTER,
    );
    expect(token).to.deep.equal({
      id: token.id,
      projectId: project.id,
      name: 'ci',
      prefix: key.slice(0, 12),
      scopes: ['query'],
      personal: true,
      expiresAt: clock.time + 90 * DAY,
      createdAt: clock.time,
      lastUsedAt: null,
      createdBy: 'tester',
      accountId: null,
    });
    expect(await control.tokens.list(project.id)).to.deep.equal([token]);
    expect(JSON.stringify(tokenJson(token))).to.not.include(key);
  });

  it('have each scope once, in the order of the catalogue, and at least one', async () => {
    const { control, project } = await newWorld();
    const create = async (scopes: string[]) =>
      (await control.tokens.create({ projectId: project.id, name: 't', scopes }, TESTER)).token;
    expect((await create(['admin', 'track', 'admin'])).scopes).to.deep.equal(['track', 'admin']);
    expect((await refusal(() => create([]))).code).to.equal('bad_request');
    expect((await refusal(() => create(['query', 'root']))).message).to.include('"root"');
    expect((await refusal(() => create(['constructor']))).code).to.equal('bad_request');
  });

  it('see personal data or not: then there is a key for the hashes of its project, made once, and no scope admin', async () => {
    const { control, organization, project } = await newWorld();
    const { project: other } = await control.projects.create(organization.id, 'Other', TESTER);
    const create = (projectId: string, personal: boolean, scopes = ['query']) =>
      control.tokens.create({ projectId, name: 't', scopes, personal }, TESTER);
    const hashKey = async (key: string): Promise<unknown> => {
      const found = await control.credentials.find(key);
      return found?.kind === 'token' ? found.hashKey : found;
    };
    expect(await hashKey((await create(project.id, true)).key)).to.equal(null);
    const { token, key } = await create(project.id, false);
    expect(token).to.include({ personal: false });
    expect(tokenJson(token)).to.include({ personal: false });
    const first = await hashKey(key);
    expect(first).to.match(/^[0-9a-f]{64}$/);
    expect(await hashKey((await create(project.id, false, ['query', 'dashboards'])).key)).to.equal(first);
    expect(await hashKey((await create(other.id, false)).key))
      .to.match(/^[0-9a-f]{64}$/)
      .and.not.equal(first);
    const { message, hints } = (await refusal(() => create(project.id, false, ['admin']))) as {
      message: string;
      hints?: readonly string[];
    };
    expect(message).to.include('cannot have the scope "admin"');
    expect(hints?.join()).to.include('exports people');
    const { entries } = await control.audit.page(organization.id);
    expect(entries.find(({ target }) => target === `${token.id}/personal:false`)).to.include({
      action: 'token.create',
    });
  });

  it('are revoked only through their own project', async () => {
    const { control, organization, project } = await newWorld();
    const { project: other } = await control.projects.create(organization.id, 'Other', TESTER);
    const { token, key } = await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    expect((await refusal(() => control.tokens.revoke(other.id, token.id, TESTER))).code).to.equal('not_found');
    expect(await control.credentials.find(key)).to.not.equal(null);
    await control.tokens.revoke(project.id, token.id, TESTER);
    expect(await control.tokens.list(project.id)).to.deep.equal([]);
    expect((await refusal(() => control.tokens.revoke(project.id, token.id, TESTER))).code).to.equal('not_found');
  });

  it('are of the account that made them; once it is removed they are of none, also if another gets its address', async () => {
    const { control, folder, organization, project } = await newWorld();
    const join = async (subject: string): Promise<Account> => {
      await control.members.invite(organization.id, 'ada@example.com', 'admin', TESTER);
      const identity = { issuer: 'https://login.example', subject, emailVerified: true, name: null };
      return control.logins.logIn({ ...identity, email: 'ada@example.com' }, { ip: null });
    };
    const ada = await join('1');
    const wanted = { projectId: project.id, name: 't', scopes: ['dashboards'] };
    const { token } = await control.tokens.create(wanted, actorOf(ada, null));
    expect(token).to.include({ accountId: ada.id, createdBy: 'ada@example.com' });
    await removeAccount(folder, ada.id);
    const next = await join('2');
    expect(next.id).to.not.equal(ada.id);
    expect(await control.tokens.get(token.id)).to.include({ accountId: null, createdBy: 'ada@example.com' });
    expect((await control.tokens.create(wanted, actorOf(next, null))).token.accountId).to.equal(next.id);
  });

  it('that come with a project from another host are of no account, though one has the address of who made them', async () => {
    const [here, there] = [await newWorld(), await newWorld()];
    const join = async ({ control: { logins }, organization }: World): Promise<Account | null> => {
      const { token: link } = await logins.createLink('ada@example.com', { orgId: organization.id, role: 'admin' });
      return logins.redeem(link, { ip: null });
    };
    const ada = (await join(here))!;
    await join(there);
    const wanted = { projectId: here.project.id, name: 't', scopes: ['dashboards'] };
    const { token, key } = await here.control.tokens.create(wanted, actorOf(ada, null));
    const parcel = await here.control.operator.parcels.pack(here.project.id, true);
    const unpacking = { orgId: there.organization.id, name: 'Moved', keepKeys: true, place: () => undefined };
    const { project } = await there.control.operator.parcels.unpack(parcel, unpacking, TESTER);
    expect(await there.control.credentials.find(key)).to.include({ tokenId: token.id });
    const [moved] = await there.control.tokens.list(project.id);
    expect(moved).to.include({ accountId: null, createdBy: 'ada@example.com' });
  });

  it('of one project are bounded in number', async () => {
    const { control, project } = await newWorld();
    const create = () => control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    for (let i = 0; i < 1000; i++) await create();
    expect((await refusal(create)).code).to.equal('limit_reached');
  });
});

describe('lifetimes', () => {
  it('are written in minutes, hours, days and weeks', () => {
    const texts = ['30m', '720h', '7d', '2w'];
    expect(texts.map((text) => parseLifetime(text, 'expires_in'))).to.deep.equal([
      HOUR / 2,
      720 * HOUR,
      7 * DAY,
      14 * DAY,
    ]);
  });

  it('are more than nothing and at most 10 years', async () => {
    expect(parseLifetime('3650d', 'expires_in')).to.equal(3650 * DAY);
    for (const text of ['', '0h', '-1h', '1', 'h', '1.5h', '1s', '3651d', '99999999999h', '1h ', '1H']) {
      expect((await refusal(() => parseLifetime(text, 'expires_in'))).message, text).to.include('expires_in');
    }
  });
});
