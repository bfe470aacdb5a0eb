import { expect } from 'chai';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import type { Role } from '../../../lib/control/types.ts';
import { HOUR, newWorld, refusal, TESTER, type World } from '../open-control.ts';

/** Makes an address an active member. */
function join(control: ControlDatabase, orgId: string, email: string, role: Role): string {
  control.members.invite(orgId, email, role, TESTER);
  const identity = { issuer: 'https://login.example', subject: email, email, emailVerified: true, name: null };
  return control.logins.logIn(identity, { ip: null }).id;
}

function withOwner(): World & { orgId: string; ownerId: string } {
  const world = newWorld();
  const orgId = world.organization.id;
  return { ...world, orgId, ownerId: join(world.control, orgId, 'owner@example.com', 'owner') };
}

describe('members of an organization', () => {
  it('are listed in the order of joining, and after them who is invited', () => {
    const { control, clock, orgId } = withOwner();
    const start = clock.time;
    control.members.invite(orgId, 'b@example.com', 'member', TESTER);
    clock.time += HOUR;
    control.members.invite(orgId, 'a@example.com', 'admin', TESTER);
    join(control, orgId, 'c@example.com', 'member');
    expect(control.members.list(orgId)).to.deep.equal([
      { email: 'owner@example.com', name: null, role: 'owner', status: 'active', joinedAt: start },
      { email: 'c@example.com', name: null, role: 'member', status: 'active', joinedAt: start + HOUR },
      { email: 'b@example.com', name: null, role: 'member', status: 'invited', joinedAt: null },
      { email: 'a@example.com', name: null, role: 'admin', status: 'invited', joinedAt: null },
    ]);
  });

  it('leave by themselves, and nobody else with their address does', () => {
    const { control, orgId, ownerId } = withOwner();
    const by = (name: string) => ({ name, ip: null });
    const id = join(control, orgId, 'b@example.com', 'viewer');
    control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    const twin = {
      issuer: 'https://other.example',
      subject: 'b',
      email: 'b@example.com',
      emailVerified: true,
      name: null,
    };
    const twinId = control.logins.logIn(twin, { ip: null }).id;
    const { token } = control.logins.createLink('b@example.com', { orgId, role: 'member' });
    control.logins.redeem(token, { ip: null });
    control.members.leave(orgId, id, by('b@example.com'));
    expect(control.members.role(id, orgId)).to.equal(null);
    expect(control.members.list(orgId).map(({ email }) => email)).to.not.include('nobody');
    expect(control.members.ofAccount(twinId)).to.not.deep.equal([]);
    expect(refusal(() => control.members.leave(orgId, id, by('b@example.com'))).code).to.equal('not_found');
    expect(refusal(() => control.members.leave(orgId, ownerId, by('owner@example.com'))).code).to.equal('bad_request');
    expect(control.members.role(ownerId, orgId)).to.equal('owner');
    const [{ action, target, actor } = {}] = control.audit.page(orgId, { limit: 1 }).entries;
    expect([action, target, actor]).to.deep.equal(['member.remove', 'b@example.com', 'b@example.com']);
  });

  it('are not joined by a provider that vouches for an address which only looks like theirs', () => {
    const { control, orgId } = withOwner();
    control.members.invite(orgId, 'kate@example.com', 'owner', TESTER);
    const identity = { issuer: 'https://login.example', subject: 'k', emailVerified: true, name: null };
    const impostor = control.logins.logIn({ ...identity, email: '\u212aate@example.com' }, { ip: null });
    expect([impostor.email, control.members.role(impostor.id, orgId)]).to.deep.equal([null, null]);
    const kate = control.logins.logIn({ ...identity, subject: 'kate', email: 'Kate@example.com' }, { ip: null });
    expect(control.members.role(kate.id, orgId)).to.equal('owner');
  });

  it('can be invited once', () => {
    const { control, orgId } = withOwner();
    expect(control.members.invite(orgId, ' B@example.com', 'member', TESTER).email).to.equal('b@example.com');
    expect(refusal(() => control.members.invite(orgId, 'b@EXAMPLE.com', 'admin', TESTER)).code).to.equal('conflict');
    expect(refusal(() => control.members.invite(orgId, 'owner@example.com', 'member', TESTER)).code).to.equal(
      'conflict',
    );
    for (const email of ['', 'b', 'b@', '@b', 'b c@example.com', 'b@c@d', 'b@x\u0000y', `${'b'.repeat(250)}@c.de`]) {
      expect(refusal(() => control.members.invite(orgId, email, 'member', TESTER)).code, email).to.equal('bad_request');
    }
    for (const email of [
      '\u212aate@example.com',
      'ａda@example.com',
      'o\u0308@example.com',
      'ſam@example.com',
      'a@ex\u2024com',
    ])
      expect(refusal(() => control.members.invite(orgId, email, 'member', TESTER)).code, email).to.equal('bad_request');
    expect(refusal(() => control.members.invite('org_x', 'z@example.com', 'member', TESTER)).code).to.equal(
      'not_found',
    );
  });

  it('lose access at once when they are removed, and their invitation with it', () => {
    const { control, orgId } = withOwner();
    const id = join(control, orgId, 'b@example.com', 'admin');
    expect(control.members.role(id, orgId)).to.equal('admin');
    control.members.remove(orgId, 'B@example.com', TESTER);
    expect(control.members.role(id, orgId)).to.equal(null);
    expect(control.members.ofAccount(id)).to.deep.equal([]);
    control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    control.members.remove(orgId, 'c@example.com', TESTER);
    expect(control.members.list(orgId)).to.have.length(1);
    expect(refusal(() => control.members.remove(orgId, 'c@example.com', TESTER)).code).to.equal('not_found');
  });

  it('have an owner among them: the last one can neither leave nor lose the role', () => {
    const { control, orgId, ownerId } = withOwner();
    control.members.invite(orgId, 'next@example.com', 'owner', TESTER); // an invitation does not count yet
    expect(refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER)).code).to.equal('bad_request');
    expect(refusal(() => control.members.changeRole(orgId, 'owner@example.com', 'admin', TESTER)).code).to.equal(
      'bad_request',
    );
    const twinId = join(control, orgId, 'moves@example.com', 'member');
    const identity = { issuer: 'https://login.example', subject: 'moves@example.com', emailVerified: true, name: null };
    control.logins.logIn({ ...identity, email: 'owner@example.com' }, { ip: null });
    expect(control.members.role(twinId, orgId), 'another account with the address').to.equal('member');
    expect(refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER)).code).to.equal('bad_request');
    expect(control.members.role(ownerId, orgId)).to.equal('owner');
    control.members.remove(orgId, 'next@example.com', TESTER);
    join(control, orgId, 'next@example.com', 'owner');
    control.members.remove(orgId, 'owner@example.com', TESTER);
    expect(control.members.role(ownerId, orgId)).to.equal(null);
  });

  it('change their role, invited ones too', () => {
    const { control, orgId } = withOwner();
    const id = join(control, orgId, 'b@example.com', 'member');
    expect(control.members.changeRole(orgId, 'B@example.com', 'admin', TESTER)).to.include({
      role: 'admin',
      status: 'active',
    });
    expect(control.members.role(id, orgId)).to.equal('admin');
    control.members.invite(orgId, 'c@example.com', 'member', TESTER);
    expect(control.members.changeRole(orgId, 'c@example.com', 'owner', TESTER)).to.include({
      role: 'owner',
      status: 'invited',
    });
    expect(refusal(() => control.members.changeRole(orgId, 'd@example.com', 'owner', TESTER)).code).to.equal(
      'not_found',
    );
  });

  it('without a proven address go by the id of their account', () => {
    const { control } = newWorld();
    const identity = { issuer: 'https://login.example', subject: '1', email: null, emailVerified: false, name: 'A' };
    const { id } = control.logins.logIn(identity, { ip: null });
    const orgId = control.members.ofAccount(id)[0]?.organization.id ?? '';
    expect(control.members.list(orgId).map(({ email }) => email)).to.deep.equal([id]);
    join(control, orgId, 'b@example.com', 'owner');
    control.members.remove(orgId, id, TESTER);
    expect(control.members.role(id, orgId)).to.equal(null);
  });

  it('stand in the audit trail when they change', () => {
    const { control, orgId } = withOwner();
    control.members.invite(orgId, 'b@example.com', 'member', TESTER);
    control.members.changeRole(orgId, 'b@example.com', 'admin', TESTER);
    control.members.remove(orgId, 'b@example.com', TESTER);
    refusal(() => control.members.remove(orgId, 'owner@example.com', TESTER));
    const { entries } = control.audit.page(orgId, { limit: 3 });
    expect(entries.map(({ action, target }) => [action, target])).to.deep.equal([
      ['member.remove', 'b@example.com'],
      ['member.invite', 'b@example.com/role:admin'],
      ['member.invite', 'b@example.com/role:member'],
    ]);
  });

  it('and invitations are bounded, and so are the organizations of an account', function () {
    this.timeout(60_000);
    const { control, orgId, ownerId } = withOwner();
    for (let i = 1; i < 1000; i++) control.members.invite(orgId, `${i}@example.com`, 'member', TESTER);
    expect(refusal(() => control.members.invite(orgId, 'more@example.com', 'member', TESTER)).code).to.equal(
      'limit_reached',
    );
    for (let i = 1; i < 200; i++) control.logins.createOrganization(ownerId, `Organization ${i}`);
    expect(refusal(() => control.logins.createOrganization(ownerId, 'More')).code).to.equal('limit_reached');
    const full = control.organizations.create('Full').organization.id;
    expect(join(control, full, 'owner@example.com', 'member')).to.equal(ownerId);
    expect(control.members.list(full).map(({ status }) => status)).to.deep.equal(['invited']);
  });
});
