import { expect } from 'chai';
import type { ControlDatabase } from '../../lib/control/database.ts';
import { refusal } from '../support/refusal.ts';
import { newWorld, TESTER } from './open-control.ts';

async function latest(control: ControlDatabase, orgId: string): Promise<unknown> {
  const [entry] = (await control.audit.page(orgId, { limit: 1 })).entries;
  return [entry?.action, entry?.target, entry?.changes];
}

describe('a change of names, limits and suspensions', () => {
  it('stands in the audit trail with the old and the new value; what changes nothing does not', async () => {
    const { control, organization, project } = await newWorld();
    const orgId = organization.id;
    const { id } = project;
    const expectLatest = async (...entry: unknown[]) => expect(await latest(control, orgId)).to.deep.equal(entry);

    expect((await control.organizations.rename(orgId, ' Acme Inc ', TESTER)).name).to.equal('Acme Inc');
    await expectLatest('org.update', orgId, { name: { from: 'Acme', to: 'Acme Inc' } });
    expect((await control.projects.change(id, { name: 'Web shop' }, TESTER)).name).to.equal('Web shop');
    await expectLatest('project.update', id, { name: { from: 'Shop', to: 'Web shop' } });
    await control.organizations.setLimits(orgId, { projects: 3, weight: 2 }, TESTER);
    const limits = { projects: { from: 10_000, to: 3 }, weight: { from: 1, to: 2 } };
    await expectLatest('limits.update', orgId, limits);
    const none = { from: null, to: null };
    await control.organizations.suspend(orgId, { what: 'all', reason: 'unpaid' }, TESTER);
    const suspended = { what: { ...none, to: 'all' }, reason: { ...none, to: 'unpaid' } };
    await expectLatest('org.suspend', orgId, suspended);
    await control.organizations.suspend(orgId, { what: 'ingest', reason: 'unpaid' }, TESTER);
    await expectLatest('org.suspend', orgId, { what: { from: 'all', to: 'ingest' } });
    await control.organizations.resume(orgId, TESTER);
    await expectLatest('org.resume', orgId, {
      what: { from: 'ingest', to: null },
      reason: { from: 'unpaid', to: null },
    });
    await control.projects.suspend(id, { by: 'operator', what: 'all', reason: 'a loop' }, TESTER);
    await expectLatest('project.suspend', id, { what: { ...none, to: 'all' }, reason: { ...none, to: 'a loop' } });

    const before = (await control.audit.page(orgId)).entries.length;
    await control.organizations.rename(orgId, 'Acme Inc', TESTER);
    await control.projects.change(id, { name: 'Web shop', timezone: 'UTC', retentionDays: null }, TESTER);
    await control.organizations.setLimits(orgId, { projects: 3 }, TESTER);
    await control.organizations.resume(orgId, TESTER);
    for (const name of [' ', 'x\u202ey', 'x'.repeat(201)]) {
      expect((await refusal(() => control.organizations.rename(orgId, name, TESTER))).code).to.equal('bad_request');
      expect((await refusal(() => control.projects.change(id, { name }, TESTER))).code).to.equal('bad_request');
    }
    expect((await control.audit.page(orgId)).entries).to.have.length(before);
  });

  it('of an organization suspends all of its projects beside their own suspensions', async () => {
    const { control, organization, project } = await newWorld();
    const own = { by: 'organization', what: 'ingest', reason: 'a loop' } as const;
    await control.projects.suspend(project.id, own, TESTER);
    await control.organizations.suspend(organization.id, { what: 'queries', reason: 'unpaid' }, TESTER);
    const whole = { by: 'operator', of: 'organization', what: 'queries', reason: 'unpaid' };
    expect((await control.projects.get(project.id)).suspensions).to.deep.equal([whole, own]);
    const { project: other } = await control.projects.create(organization.id, 'New', TESTER);
    expect(other.suspensions, 'new ones too').to.deep.equal([whole]);
    await control.projects.resume(project.id, 'operator', TESTER);
    expect((await control.projects.get(project.id)).suspensions).to.deep.equal([whole, own]);
    expect((await control.organizations.resume(organization.id, TESTER)).suspension).to.equal(null);
    expect((await control.projects.get(project.id)).suspensions).to.deep.equal([own]);
  });
});
