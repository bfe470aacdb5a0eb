import Database from 'better-sqlite3';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CONTROL_FILE, type ControlDatabase } from '../../../lib/control/database.ts';
import type { Identity } from '../../../lib/control/types.ts';
import { type Clock, DAY, HOUR, newWorld, openControl, refusal, TESTER } from '../open-control.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FROM = { ip: '192.0.2.7' };
const MINUTE = 60_000;

/** Ada's identity at a provider. */
function ada(changes: Partial<Identity> = {}): Identity {
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
function rolesOf(control: ControlDatabase, accountId: string): string[] {
  return control.members.ofAccount(accountId).map(({ organization, role }) => `${role} of ${organization.name}`);
}

describe('a login', () => {
  it('makes an account at the first time and finds it at the next, by issuer and subject', () => {
    const { control } = newWorld();
    const account = control.logins.logIn(ada(), FROM);
    expect(account.id).to.match(/^usr_[\w-]{22}$/);
    expect(account).to.include({ email: 'ada@example.com', name: 'Ada Lovelace' });
    expect(control.logins.logIn(ada({ email: null, name: null }), FROM)).to.deep.equal(account);
    expect(control.logins.logIn(ada({ subject: '2' }), FROM).id).to.not.equal(account.id);
    expect(control.logins.logIn(ada({ issuer: 'https://other.example' }), FROM).id).to.not.equal(account.id);
  });

  it('takes over a new name and a new proven address', () => {
    const { control } = newWorld();
    const { id } = control.logins.logIn(ada(), FROM);
    const moved = control.logins.logIn(ada({ email: 'ada@new.example', name: 'Ada King' }), FROM);
    expect(moved).to.include({ id, email: 'ada@new.example', name: 'Ada King' });
    const unproven = control.logins.logIn(ada({ email: 'boss@example.com', emailVerified: false }), FROM);
    expect(unproven).to.include({ id, email: 'ada@new.example' });
  });

  it('joins nothing by an address that it does not prove, though an earlier one did', () => {
    const { control, organization } = newWorld();
    const { id } = control.logins.logIn(ada(), FROM);
    control.members.invite(organization.id, 'ada@example.com', 'admin', TESTER);
    control.logins.logIn(ada({ email: null, emailVerified: false }), FROM);
    control.logins.logIn(ada({ emailVerified: false }), FROM);
    expect(control.members.role(id, organization.id)).to.equal(null);
    control.logins.logIn(ada(), FROM);
    expect(control.members.role(id, organization.id)).to.equal('admin');
  });

  it('that joins nothing makes an organization with the account as owner, once', () => {
    const { control } = newWorld();
    const { id } = control.logins.logIn(ada(), FROM);
    expect(rolesOf(control, id)).to.deep.equal(['owner of Ada Lovelace']);
    control.logins.logIn(ada(), FROM);
    expect(rolesOf(control, id)).to.have.length(1);
    const unnamed = control.logins.logIn(ada({ subject: '2', name: ' \u0007 ', email: 'grace@example.com' }), FROM);
    expect(rolesOf(control, unnamed.id)).to.deep.equal(['owner of grace@example.com']);
    const unknown = control.logins.logIn(ada({ subject: '3', name: null, email: null }), FROM);
    expect(rolesOf(control, unknown.id)).to.deep.equal(['owner of My organization']);
    const long = control.logins.logIn(ada({ subject: '4', name: '😀'.repeat(500) }), FROM);
    expect(rolesOf(control, long.id)).to.deep.equal([`owner of ${'😀'.repeat(100)}`]);
  });

  it('has a name that can be shown, whatever its provider calls it', () => {
    const { control } = newWorld();
    const names = ['Ada\u202e \ud800Lovelace', '\u200b\u2060'].map(
      (name, i) => control.logins.logIn(ada({ subject: `x${i}`, email: null, name }), FROM).name,
    );
    expect(names).to.deep.equal(['Ada   Lovelace', null]);
  });

  it('joins the invitations of its proven address, however it is written, and then makes no organization', () => {
    const { control, organization } = newWorld();
    control.members.invite(organization.id, ' ADA@example.COM ', 'admin', TESTER);
    const { id } = control.logins.logIn(ada(), FROM);
    expect(rolesOf(control, id)).to.deep.equal(['admin of Acme']);
    const [member, ...more] = control.members.list(organization.id);
    expect(member).to.include({ email: 'ada@example.com', status: 'active', role: 'admin' });
    expect(more).to.deep.equal([]);
  });

  it('joins nothing by an address that the provider has not verified', () => {
    const { control, organization } = newWorld();
    control.members.invite(organization.id, 'ada@example.com', 'admin', TESTER);
    const account = control.logins.logIn(ada({ emailVerified: false }), FROM);
    expect(account.email).to.equal(null);
    expect(rolesOf(control, account.id)).to.deep.equal(['owner of Ada Lovelace']);
    expect(control.members.list(organization.id)).to.have.length(1);
  });

  it('stands in the audit trail of each of its organizations', () => {
    const { control, organization } = newWorld();
    control.members.invite(organization.id, 'ada@example.com', 'member', TESTER);
    const { id } = control.logins.logIn(ada(), FROM);
    const own = control.logins.createOrganization(id, 'Own').organization;
    control.logins.logIn(ada(), FROM);
    const logins = control.audit.page(organization.id).entries.filter(({ action }) => action === 'login');
    expect(logins.map(({ actor, target, ip }) => [actor, target, ip])).to.deep.equal(
      Array.from({ length: 2 }, () => ['ada@example.com', id, '192.0.2.7']),
    );
    expect(control.audit.page(own.id).entries.map(({ action }) => action)).to.deep.equal(['login']);
  });
});

describe('a login link', () => {
  it('logs in once, within ten minutes', () => {
    const { control, clock } = newWorld();
    const { token, expiresAt } = control.logins.createLink('Ada@example.com');
    expect(expiresAt).to.equal(clock.time + 10 * MINUTE);
    expect(control.logins.redeem(`${token}x`, FROM)).to.equal(null);
    expect(control.logins.redeem(token, FROM)).to.include({ email: 'ada@example.com' });
    expect(control.logins.redeem(token, FROM)).to.equal(null);
    const late = control.logins.createLink('ada@example.com');
    clock.time = late.expiresAt;
    expect(control.logins.redeem(late.token, FROM)).to.equal(null);
  });

  it('opens the same account every time, which then belongs to the first identity with its proven address', () => {
    const { control } = newWorld();
    const redeem = (): string | undefined =>
      control.logins.redeem(control.logins.createLink('ada@example.com').token, FROM)?.id;
    const id = redeem();
    expect(redeem()).to.equal(id);
    expect(control.logins.logIn(ada({ emailVerified: false }), FROM).id).to.not.equal(id);
    expect(control.logins.logIn(ada({ subject: '2' }), FROM).id).to.equal(id);
    expect(control.logins.logIn(ada({ subject: '2', email: null }), FROM).id).to.equal(id);
    expect(control.logins.logIn(ada({ subject: '3' }), FROM).id).to.not.equal(id);
    expect(redeem()).to.equal(id);
  });

  it('opens the account of a provider with that address, but not by an address nobody has verified', () => {
    const { control } = newWorld();
    const impostor = control.logins.logIn(ada({ subject: '2', emailVerified: false }), FROM);
    const real = control.logins.logIn(ada(), FROM);
    const opened = control.logins.redeem(control.logins.createLink('ada@example.com').token, FROM);
    expect(opened?.id).to.equal(real.id);
    expect(opened?.id).to.not.equal(impostor.id);
  });

  it('joins invitations, and makes an organization when there is nothing to join', () => {
    const { control, organization } = newWorld();
    control.members.invite(organization.id, 'ada@example.com', 'member', TESTER);
    const invited = control.logins.redeem(control.logins.createLink('ada@example.com').token, FROM);
    expect(rolesOf(control, invited?.id ?? '')).to.deep.equal(['member of Acme']);
    const other = control.logins.redeem(control.logins.createLink('grace@example.com').token, FROM);
    expect(rolesOf(control, other?.id ?? '')).to.deep.equal(['owner of grace@example.com']);
  });

  it('can make its account a member, when it is used and not before, and never lowers a role', () => {
    const { control, organization } = newWorld();
    const { id: orgId } = organization;
    const link = control.logins.createLink('ada@example.com', { orgId, role: 'owner' });
    expect(control.members.list(orgId)).to.deep.equal([]);
    const account = control.logins.redeem(link.token, FROM);
    expect(rolesOf(control, account?.id ?? '')).to.deep.equal(['owner of Acme']);
    control.logins.redeem(control.logins.createLink('ada@example.com', { orgId, role: 'member' }).token, FROM);
    expect(rolesOf(control, account?.id ?? '')).to.deep.equal(['owner of Acme']);
    const [login, invite] = control.audit.page(orgId).entries.slice(-3);
    expect(login).to.include({ action: 'login', actor: 'ada@example.com' });
    expect(invite).to.include({ action: 'member.invite', actor: 'wl admin', target: 'ada@example.com/role:owner' });
    expect(refusal(() => control.logins.createLink('a@b', { orgId: 'org_x', role: 'owner' })).code).to.equal(
      'not_found',
    );
    expect(refusal(() => control.logins.createLink('nobody')).code).to.equal('bad_request');
  });
});

const BROWSER = {
  ip: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
};

describe('a session', () => {
  function loggedIn(): { control: ControlDatabase; clock: Clock; accountId: string; folder: string } {
    const { control, clock, folder } = newWorld();
    return { control, clock, folder, accountId: control.logins.logIn(ada(), FROM).id };
  }

  it('tells its account until it is ended, to another process too', () => {
    const { control, clock, folder, accountId } = loggedIn();
    const id = control.sessions.create(accountId, BROWSER);
    expect(id).to.match(/^[\w-]{43}$/);
    expect(openControl(folder, clock).sessions.find(id)?.accountId).to.equal(accountId);
    expect(control.sessions.find(`${id.slice(0, -1)}_`)).to.equal(null);
    control.sessions.end(id);
    expect(control.sessions.find(id)).to.equal(null);
    control.sessions.end(id);
  });

  it('lives for 30 days from its last use, which is written at most once an hour', () => {
    const { control, clock, folder, accountId } = loggedIn();
    const id = control.sessions.create(accountId, BROWSER);
    expect(control.sessions.find(id)?.renewed).to.equal(false);
    clock.time += 29 * DAY;
    expect(control.sessions.find(id)?.renewed).to.equal(true);
    expect(control.sessions.hasUses).to.equal(true);
    control.flush();
    expect(control.sessions.hasUses, 'what is written is not written again').to.equal(false);
    clock.time += HOUR - 1;
    expect(control.sessions.find(id)?.renewed).to.equal(false);
    clock.time += 29 * DAY;
    expect(openControl(folder, clock).sessions.find(id)?.renewed).to.equal(true); // the last use was never written
    clock.time += DAY;
    expect(control.sessions.find(id)).to.equal(null);
  });

  it('ends 90 days after the login however much it is used, or when the setting says', () => {
    const { control, clock, folder, accountId } = loggedIn();
    const secret = control.sessions.create(accountId, BROWSER);
    const strict = openControl(folder, clock, { sessionLifetime: 2 * HOUR });
    clock.time += 2 * HOUR - 1;
    expect(strict.sessions.find(secret)).to.not.equal(null);
    clock.time += 1;
    expect([strict.sessions.find(secret), strict.sessions.list(accountId)]).to.deep.equal([null, []]);
    for (let day = 1; day < 90; day++) {
      clock.time += day === 1 ? DAY - 2 * HOUR : DAY;
      expect(control.sessions.find(secret)?.accountId, `day ${day}`).to.equal(accountId);
      control.flush();
    }
    clock.time += DAY;
    expect(control.sessions.find(secret)).to.equal(null);
  });

  it('is listed for its account, and ended by it alone: one, or all others', () => {
    const { control, clock, accountId } = loggedIn();
    const start = clock.time;
    const [first = '', second = '', third = ''] = [1, 2, 3].map(() => {
      clock.time += MINUTE;
      return control.sessions.create(accountId, BROWSER);
    });
    const other = control.logins.logIn(ada({ subject: '2' }), FROM).id;
    const foreign = control.sessions.create(other, { ip: null, userAgent: null });
    const [, , oldest] = control.sessions.list(accountId);
    expect(oldest).to.deep.equal({
      id: control.sessions.find(first)?.id,
      createdAt: start + MINUTE,
      usedAt: start + MINUTE,
      endsAt: start + MINUTE + 90 * DAY,
      ...BROWSER,
    });
    expect(JSON.stringify(control.sessions.list(accountId))).to.not.contain(first);
    expect(control.sessions.endOne(other, oldest?.id ?? '')).to.equal(false);
    expect(control.sessions.endOne(accountId, oldest?.id ?? '')).to.equal(true);
    expect(control.sessions.find(first)).to.equal(null);
    expect(control.sessions.endOthers(accountId, control.sessions.find(third)?.id ?? '')).to.equal(1);
    expect([second, third, foreign].map((secret) => control.sessions.find(secret) !== null)).to.deep.equal([false, true, true]); // prettier-ignore
  });

  it('leaves no id in the data folder, and no row when it has expired', () => {
    const { control, clock, folder, accountId } = loggedIn();
    const id = control.sessions.create(accountId, BROWSER);
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(bytes.some((file) => file.includes(id))).to.equal(false);
    clock.time += 30 * DAY;
    control.sessions.create(accountId, BROWSER);
    const db = new Database(join(folder, CONTROL_FILE), { readonly: true });
    expect(db.prepare('SELECT count(*) FROM sessions').pluck().get()).to.equal(1);
    db.close();
  });

  it('is one of 50 of its account: with more, those that were not used for longest end', () => {
    const { control, clock, accountId } = loggedIn();
    const ids = Array.from({ length: 52 }, () => {
      clock.time += MINUTE;
      return control.sessions.create(accountId, BROWSER);
    });
    expect(ids.map((id) => control.sessions.find(id) !== null)).to.deep.equal([
      false,
      false,
      ...Array.from({ length: 50 }, () => true),
    ]);
    expect(
      control.sessions.find(control.sessions.create(control.logins.logIn(ada({ subject: '2' }), FROM).id, BROWSER)),
    ).to.not.equal(null);
    expect(control.sessions.find(ids[2] ?? '')).to.not.equal(null);
  });
});

describe('signing keys', () => {
  it('are the same for a secret and a purpose, and tell nothing of each other', () => {
    const { control, folder } = newWorld();
    expect(openControl(folder).signingKey('a')).to.equal(control.signingKey('a'));
    expect(control.signingKey('a')).to.have.length(43);
    expect(control.signingKey('b')).to.not.equal(control.signingKey('a'));
    expect(openControl(temporaryFolder()).signingKey('a')).to.equal(control.signingKey('a'));
  });
});
