import { expect } from 'chai';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { newWorld, openControl, SECRET, TESTER } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';

const MONTH = '2026-01';

describe('the operator', () => {
  it('deletes an organization with its projects, keys, members and invitations, and its bill and audit trail stay', async () => {
    const { folder, control, organization, project, adminKey, secretKey } = await newWorld();
    const other = (await control.organizations.create('Other')).organization;
    await control.members.invite(organization.id, 'ada@example.com', 'member', TESTER);
    control.usage.record({ ...NO_TOTALS, project: project.id, date: '2026-01-15', eventsStored: 12_000_000 });
    expect(await control.operator.deleteOrganization(organization.id, TESTER)).to.deep.equal([project.id]);
    expect([await control.credentials.find(adminKey), await control.credentials.find(secretKey)]).to.deep.equal([
      null,
      null,
    ]);
    expect((await control.organizations.list()).map(({ id }) => id)).to.deep.equal([other.id]);
    expect(await control.members.list(organization.id)).to.deep.equal([]);
    expect((await refusal(() => control.organizations.get(organization.id))).code).to.equal('not_found');
    expect((await refusal(() => control.projects.create(organization.id, 'More', TESTER))).code).to.equal('not_found');
    expect(await control.projects.unpurged()).to.deep.equal([project.id]);
    const [bill] = await control.operator.usageOfMonth(MONTH);
    expect(bill).to.include({ org_id: organization.id, deleted: true, events_stored: 12_000_000 });
    expect(bill?.projects).to.have.length(1);
    expect(bill?.projects[0]).to.include({ project_id: project.id, project_name: null, events_stored: 12_000_000 });
    expect((await control.audit.page(organization.id)).entries[0]).to.include({
      action: 'org.delete',
      target: organization.id,
    });
    await control.operator.deleteOrganization(other.id, TESTER);
    const again = await openControl(folder, undefined, { secret: SECRET });
    expect(await again.ensureDefaults(TESTER), 'a host that is empty is not new').to.equal(null);
  });

  it('sees what each organization used in a month, and in no other', async () => {
    const { control, project } = await newWorld();
    control.usage.addQueries(project.id, '2026-01-31', 3, 1.5);
    control.usage.addQueries(project.id, '2026-02-01', 5, 9);
    control.usage.record({ ...NO_TOTALS, project: project.id, date: '2026-01-01', eventsIngested: 7, eventsStored: 6 });
    const [bill, none] = await control.operator.usageOfMonth(MONTH);
    expect(none).to.equal(undefined);
    expect(bill).to.include({ deleted: false, events_stored: 6 });
    expect(bill?.projects[0]).to.include({ project_name: 'Shop', events_ingested: 7, queries_run: 3, query_ms: 1.5 });
    expect(await control.operator.usageOfMonth('2025-12')).to.deep.equal([]);
    for (const month of ['2026', '2026-13', "2026-01' OR 1"])
      expect((await refusal(() => control.operator.usageOfMonth(month))).code, month).to.equal('bad_request');
  });

  it('adds up the month of many projects in several steps, and tells the organizations in their order', async () => {
    const { control, organization, project } = await newWorld();
    const other = (await control.organizations.create('Other')).organization;
    await control.organizations.create('Unused');
    const more: string[] = [];
    for (const org of [other, organization, other])
      more.push((await control.projects.create(org.id, 'More', TESTER)).project.id);
    for (const id of [project.id, ...more])
      for (const date of ['2026-01-02', '2026-01-03'])
        control.usage.record({ ...NO_TOTALS, project: id, date, eventsStored: 2 });
    const usual = await control.operator.usageOfMonth(MONTH);
    expect(usual.map(({ org_id, events_stored }) => [org_id, events_stored])).to.deep.equal([
      [organization.id, 8],
      [other.id, 8],
    ]);
    setThresholds('least', ['projects whose month is added up at once']);
    try {
      expect(await control.operator.usageOfMonth(MONTH)).to.deep.equal(usual);
    } finally {
      setThresholds('usual', ['projects whose month is added up at once']);
    }
  });

  it('suspends a project with a reason, and ends that', async () => {
    const { control, project } = await newWorld();
    expect(project.suspensions).to.deep.equal([]);
    const suspension = { by: 'operator', what: 'ingest', reason: 'unpaid' } as const;
    expect((await control.projects.suspend(project.id, suspension, TESTER)).suspensions).to.deep.equal([suspension]);
    expect((await control.projects.get(project.id)).suspensions).to.deep.equal([suspension]);
    for (const reason of [' ', 'a\nb', 'x'.repeat(201)])
      expect(
        (await refusal(() => control.projects.suspend(project.id, { ...suspension, reason }, TESTER))).code,
      ).to.equal('bad_request');
    expect((await control.projects.resume(project.id, 'operator', TESTER)).suspensions).to.deep.equal([]);
    const actions = (await control.audit.page(project.orgId)).entries.map(({ action }) => action);
    expect(actions.slice(0, 2)).to.deep.equal(['project.resume', 'project.suspend']);
  });
});

const NO_TOTALS = {
  eventsIngested: 0,
  eventsStored: 0,
  eventsRejected: 0,
  eventsDuplicate: 0,
  eventsDropped: 0,
  timesReplaced: 0,
  fieldsIgnored: 0,
  valuesTrimmed: 0,
  idsIgnored: 0,
  bytesStored: 0,
};
