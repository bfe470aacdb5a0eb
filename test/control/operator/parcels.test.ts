import { expect } from 'chai';
import type { Alert } from '../../../lib/alerts/alert.ts';
import type { Parcel } from '../../../lib/control/operator/parcels.ts';
import { newWorld, TESTER } from '../open-control.ts';

const ALERT: Alert = {
  ...{ id: 'few', title: 'Few', description: null, schedule: 'every 1h', timezone: null, query: 'view | count' },
  ...{ dashboard: null, when: 'no rows', to: [], paused: false },
};

describe('what an export has of the control database', () => {
  it('comes to the new project alone, whatever else somebody has written into the file', async () => {
    const { control, organization, project } = await newWorld();
    const victim = (await control.projects.create(organization.id, 'Victim', TESTER)).project;
    for (const owner of [project, victim]) await control.alerts.write(owner, { alert: ALERT, yaml: 'own' }, TESTER);
    const parcel = await control.operator.parcels.pack(project.id, false);
    const [alert] = parcel.alerts ?? [];
    const versions = [
      ...alert!.versions,
      { ...alert!.versions[0]!, version: 2, yaml: 'foreign', project_id: victim.id },
    ];
    const forged: Parcel = { ...parcel, alerts: [{ ...alert!, version: 2, versions }] };
    const unpacking = { orgId: organization.id, name: 'Copy', keepKeys: false, place: () => undefined };
    const { project: copy } = await control.operator.parcels.unpack(forged, unpacking, TESTER);
    expect((await control.alerts.find(victim.id, 'few', 2))?.yaml).to.equal(undefined);
    expect((await control.alerts.find(copy.id, 'few'))?.yaml).to.equal('foreign');
  });
});
