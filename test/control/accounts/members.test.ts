import { expect } from 'chai';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import type { Role } from '../../../lib/control/types.ts';
import { HOUR, newWorld, TESTER, type World } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';

/** Makes an address an active member. */
async function join(control: ControlDatabase, orgId: string, email: string, role: Role): Promise<string> {
  await control.members.invite(orgId, email, role, TESTER);
  const identity = { issuer: 'https://login.example', subject: email, email, emailVerified: true, name: null };
  return (await control.logins.logIn(identity, { ip: null })).id;
}

async function withOwner(): Promise<World & { orgId: string; ownerId: string }> {
  const world = await newWorld();
  const orgId = world.organization.id;
  return { ...world, orgId, ownerId: await join(world.control, orgId, 'owner@example.com', 'owner') };
}

describe('members of an organization', () => {
  it('are listed in the order of joining, and after them who is invited', async () => {
    const { control, clock, orgId } = await withOwner();
    const start = clock.time;
    await control.members.invite(orgId, 'b@example.com', 'member', TESTER);
    clock.time += HOUR;
    await control.members.invite(orgId, 'a@example.com', 'admin', TESTER);
    await join(control, orgId, 'c@example.com', 'member');
    expect(await control.members.list(orgId)).to.deep.equal([
      { email: 'owner@example.com', name: null, role: 'owner', status: 'active', joinedAt: start },
      { email: 'c@example.com', name: null, role: 'member', status: 'active', joinedAt: start + HOUR },
      { email: 'b@example.com', name: null, role: 'member', status: 'invited', joinedAt: null },
      { email: 'a@example.com', name: null, role: 'admin', status: 'invited', joinedAt: null },
    ]);
  });

  it('leave by themselves, and nobody else with their address does', async () => {
    const { control, orgId, ownerId } = await withOwner();
    const by = (name: string) => ({ name, ip: null });
    const id = await join(control, orgId, 'b@example.com', 'viewer');
    await control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    const twin = {
      issuer: 'https://other.example',
      subject: 'b',
      email: 'b@example.com',
      emailVerified: true,
      name: null,
    };
    const twinId = (await control.logins.logIn(twin, { ip: null })).id;
    const { token } = await control.logins.createLink('b@example.com', { orgId, role: 'member' });
    await control.logins.redeem(token, { ip: null });
    await control.members.leave(orgId, id, by('b@example.com'));
    expect(await control.members.role(id, orgId)).to.equal(null);
    expect((await control.members.list(orgId)).map(({ email }) => email)).to.not.include('nobody');
    expect(await control.members.ofAccount(twinId)).to.not.deep.equal([]);
    expect((await refusal(() => control.members.leave(orgId, id, by('b@example.com')))).code).to.equal('not_found');
    expect((await refusal(() => control.members.leave(orgId, ownerId, by('owner@example.com')))).code).to.equal(
      'bad_request',
    );
    expect(await control.members.role(ownerId, orgId)).to.equal('owner');
    const [{ action, target, actor } = {}] = (await control.audit.page(orgId, { limit: 1 })).entries;
    expect([action, target, actor]).to.deep.equal(['member.remove', 'b@example.com', 'b@example.com']);
  });

  it('are not joined by a provider that vouches for an address which only looks like theirs', async () => {
    const { control, orgId } = await withOwner();
    await control.members.invite(orgId, 'kate@example.com', 'owner', TESTER);
    const identity = { issuer: 'https://login.example', subject: 'k', emailVerified: true, name: null };
    const impostor = await control.logins.logIn({ ...identity, email: '\u212aate@example.com' }, { ip: null });
    expect([impostor.email, await control.members.role(impostor.id, orgId)]).to.deep.equal([null, null]);
    const kate = await control.logins.logIn({ ...identity, subject: 'kate', email: 'Kate@example.com' }, { ip: null });
    expect(await control.members.role(kate.id, orgId)).to.equal('owner');
  });

  it('can be invited once', async () => {
    const { control, orgId } = await withOwner();
    expect((await control.members.invite(orgId, ' B@example.com', 'member', TESTER)).email).to.equal('b@example.com');
    expect((await refusal(() => control.members.invite(orgId, 'b@EXAMPLE.com', 'admin', TESTER))).code).to.equal(
      'conflict',
    );
    expect((await refusal(() => control.members.invite(orgId, 'owner@example.com', 'member', TESTER))).code).to.equal(
      'conflict',
    );
    for (const email of ['', 'b', 'b@', '@b', 'b c@example.com', 'b@c@d', 'b@x\u0000y', `${'b'.repeat(250)}@c.de`]) {
      expect((await refusal(() => control.members.invite(orgId, email, 'member', TESTER))).code, email).to.equal(
        'bad_request',
      );
    }
    for (const email of [
      '\u212aate@example.com',
      'ａda@example.com',
      'o\u0308@example.com',
      'ſam@example.com',
      'a@ex\u2024com',
      'a\u200bda@example.com',
      '\u202eada@example.com',
      'ada\ud800@example.com',
    ])
      expect((await refusal(() => control.members.invite(orgId, email, 'member', TESTER))).code, email).to.equal(
        'bad_request',
      );
    expect((await refusal(() => control.members.invite('org_x', 'z@example.com', 'member', TESTER))).code).to.equal(
      'not_found',
    );
  });

  it('lose access at once when they are removed, and their invitation with it', async () => {
    const { control, orgId } = await withOwner();
    const id = await join(control, orgId, 'b@example.com', 'admin');
    expect(await control.members.role(id, orgId)).to.equal('admin');
    await control.members.remove(orgId, 'B@example.com', TESTER);
    expect(await control.members.role(id, orgId)).to.equal(null);
    expect(await control.members.ofAccount(id)).to.deep.equal([]);
    await control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    await control.members.remove(orgId, 'c@example.com', TESTER);
    expect(await control.members.list(orgId)).to.have.length(1);
    expect((await refusal(() => control.members.remove(orgId, 'c@example.com', TESTER))).code).to.equal('not_found');
  });

  it('have an owner among them: the last one can neither leave nor lose the role', async () => {
    const { control, orgId, ownerId } = await withOwner();
    await control.members.invite(orgId, 'next@example.com', 'owner', TESTER); // an invitation does not count yet
    expect((await refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER))).code).to.equal(
      'bad_request',
    );
    expect(
      (await refusal(() => control.members.changeRole(orgId, 'owner@example.com', 'admin', TESTER))).code,
    ).to.equal('bad_request');
    const twinId = await join(control, orgId, 'moves@example.com', 'member');
    const identity = { issuer: 'https://login.example', subject: 'moves@example.com', emailVerified: true, name: null };
    await control.logins.logIn({ ...identity, email: 'owner@example.com' }, { ip: null });
    expect(await control.members.role(twinId, orgId), 'another account with the address').to.equal('member');
    expect((await refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER))).code).to.equal(
      'bad_request',
    );
    expect(await control.members.role(ownerId, orgId)).to.equal('owner');
    await control.members.remove(orgId, 'next@example.com', TESTER);
    await join(control, orgId, 'next@example.com', 'owner');
    await control.members.remove(orgId, 'owner@example.com', TESTER);
    expect(await control.members.role(ownerId, orgId)).to.equal(null);
  });

  it('change their role, invited ones too', async () => {
    const { control, orgId } = await withOwner();
    const id = await join(control, orgId, 'b@example.com', 'member');
    expect(await control.members.changeRole(orgId, 'B@example.com', 'admin', TESTER)).to.include({
      role: 'admin',
      status: 'active',
    });
    expect(await control.members.role(id, orgId)).to.equal('admin');
    await control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    expect(await control.members.changeRole(orgId, 'c@example.com', 'owner', TESTER)).to.include({
      role: 'owner',
      status: 'invited',
    });
    expect((await refusal(() => control.members.changeRole(orgId, 'd@example.com', 'owner', TESTER))).code).to.equal(
      'not_found',
    );
  });

  it('without a proven address go by the id of their account', async () => {
    const { control } = await newWorld();
    const identity = { issuer: 'https://login.example', subject: '1', email: null, emailVerified: false, name: 'A' };
    const { id } = await control.logins.logIn(identity, { ip: null });
    const orgId = (await control.members.ofAccount(id))[0]?.organization.id ?? '';
    expect((await control.members.list(orgId)).map(({ email }) => email)).to.deep.equal([id]);
    await join(control, orgId, 'b@example.com', 'owner');
    await control.members.remove(orgId, id, TESTER);
    expect(await control.members.role(id, orgId)).to.equal(null);
  });

  it('stand in the audit trail when they change', async () => {
    const { control, orgId } = await withOwner();
    await control.members.invite(orgId, 'b@example.com', 'member', TESTER);
    await control.members.changeRole(orgId, 'b@example.com', 'admin', TESTER);
    await control.members.remove(orgId, 'b@example.com', TESTER);
    await refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER));
    const { entries } = await control.audit.page(orgId, { limit: 3 });
    expect(entries.map(({ action, target }) => [action, target])).to.deep.equal([
      ['member.remove', 'b@example.com'],
      ['member.update', 'b@example.com'],
      ['member.invite', 'b@example.com/role:member'],
    ]);
    expect(entries[1]?.changes).to.deep.equal({ role: { from: 'member', to: 'admin' } });
  });

  it('are who was invited and accepts, and until then nothing is seen of them; who declines is gone', async () => {
    const { control, orgId } = await withOwner();
    const email = 'b@example.com';
    const identity = { issuer: 'https://login.example', subject: 'b', email, emailVerified: true, name: 'Bea' };
    const account = await control.logins.logIn(identity, { ip: '192.0.2.9' });
    const stranger = { ...account, email: 'c@example.com' };
    const invited = { account, email, ip: '192.0.2.9' };
    const seen = { email, name: null, role: 'admin', status: 'invited', joinedAt: null };
    const audited = async () =>
      (await control.audit.page(orgId)).entries.map(({ actor, action, target, ip }) => [actor, action, target, ip]);
    await control.members.invite(orgId, email, 'admin', TESTER);
    await control.members.decline(orgId, invited);
    expect((await audited())[0]).to.deep.equal([email, 'member.decline', email, null]);
    expect(await control.members.list(orgId)).to.have.length(1);
    await control.members.invite(orgId, email, 'admin', TESTER);
    expect((await control.members.list(orgId))[1]).to.deep.equal(seen);
    for (const other of [
      { ...invited, email: null },
      { account: stranger, email: stranger.email, ip: null },
    ])
      expect((await refusal(() => control.members.accept(orgId, other))).code).to.equal('not_found');
    expect(await control.members.role(account.id, orgId)).to.equal(null);
    expect((await control.members.accept(orgId, invited)).role).to.equal('admin');
    expect(await control.members.role(account.id, orgId)).to.equal('admin');
    const bea = (await control.members.list(orgId)).find((member) => member.email === email);
    expect(bea).to.include({ name: 'Bea', status: 'active' });
    expect((await audited())[0]).to.deep.equal([email, 'member.join', `${email}/role:admin`, null]);
    for (const answer of ['accept', 'decline'] as const)
      expect((await refusal(() => control.members[answer](orgId, invited))).code, answer).to.equal('not_found');
  });

  it('and open invitations are bounded, by organization and by address, and so are the organizations of an account', async () => {
    const { control, orgId, ownerId } = await withOwner();
    const code = async (act: () => Promise<unknown>): Promise<string> => (await refusal(act)).code;
    for (let i = 0; i < 200; i++) await control.members.invite(orgId, `${i}@example.com`, 'member', TESTER);
    const more = () => control.members.invite(orgId, 'more@example.com', 'member', TESTER);
    expect(await code(more)).to.equal('limit_reached');
    await control.members.remove(orgId, '0@example.com', TESTER);
    await more();
    for (let i = 1; i < 200; i++) await control.logins.createOrganization(ownerId, `Organization ${i}`);
    expect(await code(() => control.logins.createOrganization(ownerId, 'More'))).to.equal('limit_reached');
    const all = (await control.members.ofAccount(ownerId)).map(({ organization }) => organization.id);
    const orgs = all.filter((id) => id !== orgId);
    for (const org of orgs.slice(0, 50)) await control.members.invite(org, 'popular@example.com', 'member', TESTER);
    const fifty = () => control.members.invite(orgs[50] ?? '', 'popular@example.com', 'member', TESTER);
    expect(await code(fifty)).to.equal('limit_reached');
    await control.members.decline(orgs[0] ?? '', { email: 'popular@example.com' });
    await fifty();
    const full = (await control.organizations.create('Full')).organization.id;
    expect(await join(control, full, 'owner@example.com', 'member')).to.equal(ownerId);
    const owner = { account: await control.accounts.get(ownerId), email: 'owner@example.com', ip: null };
    expect(await code(() => control.members.accept(full, owner))).to.equal('limit_reached');
    expect((await control.members.list(full)).map(({ status }) => status)).to.deep.equal(['invited']);
  });

  it('are bounded with their invitations', async () => {
    const { control, orgId } = await withOwner();
    for (let i = 1; i < 1000; i++) {
      const { id } = await control.accounts.create({ email: `${i}@example.com`, name: null });
      await control.members.add(orgId, id, 'member');
    }
    const more = await refusal(() => control.members.invite(orgId, 'more@example.com', 'member', TESTER));
    expect(more.code).to.equal('limit_reached');
  });
});
