import { expect } from 'chai';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import type { LoginIdentity } from '../../../lib/control/types.ts';
import { type Clock, DAY, HOUR, newWorld, openControl, TESTER } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FROM = { ip: '192.0.2.7' };
const MINUTE = 60_000;

/** Ada's identity at a provider. */
function ada(changes: Partial<LoginIdentity> = {}): LoginIdentity {
  return {
    issuer: 'https://login.example',
    subject: '1',
    email: 'Ada@Example.com',
    emailVerified: true,
    name: 'Ada Lovelace',
    ...changes,
  };
}

/** Names of an account's organizations, with its roles. */
async function rolesOf(control: ControlDatabase, accountId: string): Promise<string[]> {
  return (await control.members.ofAccount(accountId)).map(
    ({ organization, role }) => `${role} of ${organization.name}`,
  );
}

describe('a login', () => {
  it('makes an account at the first time and finds it at the next, by issuer and subject', async () => {
    const { control } = await newWorld();
    const account = await control.logins.logIn(ada(), FROM);
    expect(account.id).to.match(/^usr_[\w-]{22}$/);
    expect(account).to.include({ email: 'ada@example.com', name: 'Ada Lovelace' });
    const again = await control.logins.logIn(ada({ email: null, name: null }), FROM);
    expect(again).to.deep.equal({ ...account, proven: null });
    expect((await control.logins.logIn(ada({ subject: '2' }), FROM)).id).to.not.equal(account.id);
    expect((await control.logins.logIn(ada({ issuer: 'https://other.example' }), FROM)).id).to.not.equal(account.id);
  });

  it('takes over a new name and a new proven address', async () => {
    const { control } = await newWorld();
    const { id } = await control.logins.logIn(ada(), FROM);
    const moved = await control.logins.logIn(ada({ email: 'ada@new.example', name: 'Ada King' }), FROM);
    expect(moved).to.include({ id, email: 'ada@new.example', name: 'Ada King' });
    const unproven = await control.logins.logIn(ada({ email: 'boss@example.com', emailVerified: false }), FROM);
    expect(unproven).to.include({ id, email: 'ada@new.example' });
  });

  it('joins nothing by an address that it does not prove, though an earlier one did', async () => {
    const { control, organization } = await newWorld();
    const { id } = await control.logins.logIn(ada(), FROM);
    await control.members.invite(organization.id, 'ada@example.com', 'admin', TESTER);
    await control.logins.logIn(ada({ email: null, emailVerified: false }), FROM);
    await control.logins.logIn(ada({ emailVerified: false }), FROM);
    expect(await control.members.role(id, organization.id)).to.equal(null);
    expect(await control.members.invitations(null)).to.deep.equal([]);
    const { proven } = await control.logins.logIn(ada(), FROM);
    expect((await control.members.invitations(proven)).map(({ orgName, role }) => [orgName, role])).to.deep.equal([
      ['Acme', 'admin'],
    ]);
  });

  it('of an account joins nothing by itself, not even with another provider, and nobody learns of it', async () => {
    const { control, organization } = await newWorld();
    await control.logins.logIn(ada(), FROM);
    await control.members.invite(organization.id, 'ada@example.com', 'owner', TESTER);
    const before = await control.audit.page(organization.id);
    await control.logins.logIn(ada(), FROM);
    await control.logins.logIn(ada({ issuer: 'https://other.example' }), FROM);
    await control.logins.redeem((await control.logins.createLink('ada@example.com')).token, FROM);
    expect(await control.members.list(organization.id)).to.deep.equal([
      { email: 'ada@example.com', name: null, role: 'owner', status: 'invited', joinedAt: null },
    ]);
    expect(await control.audit.page(organization.id)).to.deep.equal(before);
  });

  it('that joins nothing makes an organization with the account as owner, once', async () => {
    const { control } = await newWorld();
    const { id } = await control.logins.logIn(ada(), FROM);
    expect(await rolesOf(control, id)).to.deep.equal(['owner of Ada Lovelace']);
    await control.logins.logIn(ada(), FROM);
    expect(await rolesOf(control, id)).to.have.length(1);
    const unnamed = await control.logins.logIn(
      ada({ subject: '2', name: ' \u0007 ', email: 'grace@example.com' }),
      FROM,
    );
    expect(await rolesOf(control, unnamed.id)).to.deep.equal(['owner of grace@example.com']);
    const unknown = await control.logins.logIn(ada({ subject: '3', name: null, email: null }), FROM);
    expect(await rolesOf(control, unknown.id)).to.deep.equal(['owner of My organization']);
    const long = await control.logins.logIn(ada({ subject: '4', name: '😀'.repeat(500) }), FROM);
    expect(await rolesOf(control, long.id)).to.deep.equal([`owner of ${'😀'.repeat(100)}`]);
  });

  it('has a name that can be shown, whatever its provider calls it', async () => {
    const { control } = await newWorld();
    const names = ['Ada\u202e \ud800Lovelace', '\u200b\u2060'].map(
      async (name, i) => (await control.logins.logIn(ada({ subject: `x${i}`, email: null, name }), FROM)).name,
    );
    expect(await Promise.all(names)).to.deep.equal(['Ada   Lovelace', null]);
  });

  it('joins the invitations of its proven address, however it is written, and then makes no organization', async () => {
    const { control, organization } = await newWorld();
    await control.members.invite(organization.id, ' ADA@example.COM ', 'admin', TESTER);
    const { id } = await control.logins.logIn(ada(), FROM);
    expect(await rolesOf(control, id)).to.deep.equal(['admin of Acme']);
    const [member, ...more] = await control.members.list(organization.id);
    expect(member).to.include({ email: 'ada@example.com', status: 'active', role: 'admin' });
    expect(more).to.deep.equal([]);
  });

  it('joins nothing by an address that the provider has not verified', async () => {
    const { control, organization } = await newWorld();
    await control.members.invite(organization.id, 'ada@example.com', 'admin', TESTER);
    const account = await control.logins.logIn(ada({ emailVerified: false }), FROM);
    expect(account.email).to.equal(null);
    expect(await rolesOf(control, account.id)).to.deep.equal(['owner of Ada Lovelace']);
    expect(await control.members.list(organization.id)).to.have.length(1);
  });

  it('stands in the audit trail of an organization with its first act there, and where it came from only of owners', async () => {
    const { control, organization, folder, clock } = await newWorld();
    const orgId = organization.id;
    await control.members.invite(orgId, 'ada@example.com', 'member', TESTER);
    const account = await control.logins.logIn(ada(), FROM);
    const own = (await control.logins.createOrganization(account.id, 'Own')).organization;
    const session = async (): Promise<string> =>
      (await control.sessions.find(await control.sessions.create(account.id, BROWSER)))?.id ?? '';
    const [first, second] = [await session(), await session()];
    const logins = async (of: string): Promise<unknown> =>
      (await control.audit.page(of)).entries
        .filter(({ action }) => action === 'login')
        .map(({ at, actor, target, ip }) => [at, actor, target, ip]);
    expect([await logins(orgId), await logins(own.id)]).to.deep.equal([[], []]);
    clock.time += HOUR;
    const at = clock.time;
    const other = await openControl(folder, clock);
    for (const database of [control, control, other])
      await database.logins.noteAct({ orgId, role: 'member' }, { account, sessionId: first, ...FROM });
    expect(await logins(orgId)).to.deep.equal([[at, 'ada@example.com', account.id, null]]);
    await control.logins.noteAct({ orgId: own.id, role: 'owner' }, { account, sessionId: first, ...FROM });
    expect(await logins(own.id)).to.deep.equal([[at, 'ada@example.com', account.id, FROM.ip]]);
    await other.logins.noteAct({ orgId, role: 'member' }, { account, sessionId: second, ...FROM });
    expect(await logins(orgId)).to.have.length(2);
  });
});

describe('a login link', () => {
  it('logs in once, within ten minutes', async () => {
    const { control, clock } = await newWorld();
    const { token, expiresAt } = await control.logins.createLink('Ada@example.com');
    expect(expiresAt).to.equal(clock.time + 10 * MINUTE);
    expect(await control.logins.redeem(`${token}x`, FROM)).to.equal(null);
    expect(await control.logins.redeem(token, FROM)).to.include({ email: 'ada@example.com' });
    expect(await control.logins.redeem(token, FROM)).to.equal(null);
    const late = await control.logins.createLink('ada@example.com');
    clock.time = late.expiresAt;
    expect(await control.logins.redeem(late.token, FROM)).to.equal(null);
  });

  it('opens the same account every time, which then belongs to the first identity with its proven address', async () => {
    const { control } = await newWorld();
    const redeem = async (): Promise<string | undefined> =>
      (await control.logins.redeem((await control.logins.createLink('ada@example.com')).token, FROM))?.id;
    const id = await redeem();
    expect(await redeem()).to.equal(id);
    expect((await control.logins.logIn(ada({ emailVerified: false }), FROM)).id).to.not.equal(id);
    expect((await control.logins.logIn(ada({ subject: '2' }), FROM)).id).to.equal(id);
    expect((await control.logins.logIn(ada({ subject: '2', email: null }), FROM)).id).to.equal(id);
    expect((await control.logins.logIn(ada({ subject: '3' }), FROM)).id).to.not.equal(id);
    expect(await redeem()).to.equal(id);
  });

  it('opens the account of a provider with that address, but not by an address nobody has verified', async () => {
    const { control } = await newWorld();
    const impostor = await control.logins.logIn(ada({ subject: '2', emailVerified: false }), FROM);
    const real = await control.logins.logIn(ada(), FROM);
    const opened = await control.logins.redeem((await control.logins.createLink('ada@example.com')).token, FROM);
    expect(opened?.id).to.equal(real.id);
    expect(opened?.id).to.not.equal(impostor.id);
  });

  it('joins invitations, and makes an organization when there is nothing to join', async () => {
    const { control, organization } = await newWorld();
    await control.members.invite(organization.id, 'ada@example.com', 'member', TESTER);
    const invited = await control.logins.redeem((await control.logins.createLink('ada@example.com')).token, FROM);
    expect(await rolesOf(control, invited?.id ?? '')).to.deep.equal(['member of Acme']);
    const other = await control.logins.redeem((await control.logins.createLink('grace@example.com')).token, FROM);
    expect(await rolesOf(control, other?.id ?? '')).to.deep.equal(['owner of grace@example.com']);
  });

  it('can make its account a member, when it is used and not before, and never lowers a role', async () => {
    const { control, organization } = await newWorld();
    const { id: orgId } = organization;
    const link = await control.logins.createLink('ada@example.com', { orgId, role: 'owner' });
    expect(await control.members.list(orgId)).to.deep.equal([]);
    const account = await control.logins.redeem(link.token, FROM);
    expect(await rolesOf(control, account?.id ?? '')).to.deep.equal(['owner of Acme']);
    await control.logins.redeem(
      (await control.logins.createLink('ada@example.com', { orgId, role: 'member' })).token,
      FROM,
    );
    expect(await rolesOf(control, account?.id ?? '')).to.deep.equal(['owner of Acme']);
    const [invite] = (await control.audit.page(orgId)).entries.slice(-2);
    expect(invite).to.include({ action: 'member.invite', actor: 'wl admin', target: 'ada@example.com/role:owner' });
    expect((await refusal(() => control.logins.createLink('a@b', { orgId: 'org_x', role: 'owner' }))).code).to.equal(
      'not_found',
    );
    expect((await refusal(() => control.logins.createLink('nobody'))).code).to.equal('bad_request');
  });
});

const BROWSER = {
  ip: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
};

describe('a session', () => {
  async function loggedIn(): Promise<{ control: ControlDatabase; clock: Clock; accountId: string; folder: string }> {
    const { control, clock, folder } = await newWorld();
    return { control, clock, folder, accountId: (await control.logins.logIn(ada(), FROM)).id };
  }

  it('tells its account until it is ended, to another process too', async () => {
    const { control, clock, folder, accountId } = await loggedIn();
    const id = await control.sessions.create(accountId, BROWSER);
    expect(id).to.match(/^[\w-]{43}$/);
    expect((await (await openControl(folder, clock)).sessions.find(id))?.accountId).to.equal(accountId);
    expect(await control.sessions.find(`${id.slice(0, -1)}_`)).to.equal(null);
    await control.sessions.end(id);
    expect(await control.sessions.find(id)).to.equal(null);
    await control.sessions.end(id);
  });

  it('lives for 30 days from its last use, which is written at most once an hour', async () => {
    const { control, clock, folder, accountId } = await loggedIn();
    const id = await control.sessions.create(accountId, BROWSER);
    expect((await control.sessions.find(id))?.renewed).to.equal(false);
    clock.time += 29 * DAY;
    expect((await control.sessions.find(id))?.renewed).to.equal(true);
    await control.flush();
    expect(control.sessions.takeNews(), 'what is written is not written again').to.deep.equal([]);
    clock.time += HOUR - 1;
    expect((await control.sessions.find(id))?.renewed).to.equal(false);
    clock.time += 29 * DAY;
    expect((await (await openControl(folder, clock)).sessions.find(id))?.renewed).to.equal(true); // the last use was never written
    clock.time += DAY;
    expect(await control.sessions.find(id)).to.equal(null);
  });

  it('ends 90 days after the login however much it is used, or when the setting says', async () => {
    const { control, clock, folder, accountId } = await loggedIn();
    const secret = await control.sessions.create(accountId, BROWSER);
    const strict = await openControl(folder, clock, { sessionLifetime: 2 * HOUR });
    clock.time += 2 * HOUR - 1;
    expect(await strict.sessions.find(secret)).to.not.equal(null);
    clock.time += 1;
    expect([await strict.sessions.find(secret), await strict.sessions.list(accountId)]).to.deep.equal([null, []]);
    for (let day = 1; day < 90; day++) {
      clock.time += day === 1 ? DAY - 2 * HOUR : DAY;
      expect((await control.sessions.find(secret))?.accountId, `day ${day}`).to.equal(accountId);
      await control.flush();
    }
    clock.time += DAY;
    expect(await control.sessions.find(secret)).to.equal(null);
  });

  it('is listed for its account, and ended by it alone: one, or all others', async () => {
    const { control, clock, accountId } = await loggedIn();
    const start = clock.time;
    const create = async (): Promise<string> => {
      clock.time += MINUTE;
      return control.sessions.create(accountId, BROWSER);
    };
    const [first, second, third] = [await create(), await create(), await create()];
    const other = (await control.logins.logIn(ada({ subject: '2' }), FROM)).id;
    const foreign = await control.sessions.create(other, { ip: null, userAgent: null });
    const [, , oldest] = await control.sessions.list(accountId);
    expect(oldest).to.deep.equal({
      id: (await control.sessions.find(first))?.id,
      createdAt: start + MINUTE,
      usedAt: start + MINUTE,
      endsAt: start + MINUTE + 90 * DAY,
      ...BROWSER,
    });
    expect(JSON.stringify(await control.sessions.list(accountId))).to.not.contain(first);
    expect(await control.sessions.endOne(other, oldest?.id ?? '')).to.equal(false);
    expect(await control.sessions.endOne(accountId, oldest?.id ?? '')).to.equal(true);
    expect(await control.sessions.find(first)).to.equal(null);
    expect(await control.sessions.endOthers(accountId, (await control.sessions.find(third))?.id ?? '')).to.equal(1);
    expect(await Promise.all([second, third, foreign].map(async (secret) => (await control.sessions.find(secret)) !== null))).to.deep.equal([false, true, true]); // prettier-ignore
  });

  it('is one of 50 of its account: with more, those that were not used for longest end', async () => {
    const { control, clock, accountId } = await loggedIn();
    const ids: string[] = [];
    while (ids.length < 52) {
      clock.time += MINUTE;
      ids.push(await control.sessions.create(accountId, BROWSER));
    }
    expect(await Promise.all(ids.map(async (id) => (await control.sessions.find(id)) !== null))).to.deep.equal([
      false,
      false,
      ...Array.from({ length: 50 }, () => true),
    ]);
    expect(
      await control.sessions.find(
        await control.sessions.create((await control.logins.logIn(ada({ subject: '2' }), FROM)).id, BROWSER),
      ),
    ).to.not.equal(null);
    expect(await control.sessions.find(ids[2] ?? '')).to.not.equal(null);
  });
});

describe('an answered login', () => {
  it('is used once, on all nodes, and forgotten when its ticket has expired', async () => {
    const { control, folder, clock } = await newWorld();
    const other = await openControl(folder, clock);
    const expiresAt = clock.time + MINUTE;
    const uses = [control, other, control].map(({ logins }) => logins.useOnce('state', expiresAt));
    expect((await Promise.all(uses)).filter((first) => first)).to.have.length(1);
    clock.time = expiresAt;
    expect(await control.logins.useOnce('another', expiresAt + MINUTE)).to.equal(true);
    expect(await other.logins.useOnce('state', expiresAt + MINUTE), 'its ticket is worthless by now').to.equal(true);
  });
});

describe('signing keys', () => {
  it('are the same for a secret and a purpose, and tell nothing of each other', async () => {
    const { control, folder } = await newWorld();
    expect((await openControl(folder)).signingKey('a')).to.equal(control.signingKey('a'));
    expect(control.signingKey('a')).to.have.length(43);
    expect(control.signingKey('b')).to.not.equal(control.signingKey('a'));
    expect((await openControl(temporaryFolder())).signingKey('a')).to.equal(control.signingKey('a'));
  });
});
