import { ControlDatabase } from '../../lib/control/database.ts';

const BY = { name: 'test', ip: null };

/** Makes an alert of the first project of a data folder that has seen this. Its time is far away, so that the service leaves it alone. */
export async function seenByAlert(folder: string, saw: string): Promise<void> {
  const control = await ControlDatabase.open(folder, { secret: null, now: () => Date.now() + 86_400_000 });
  const [project] = await control.projects.list();
  const alert = { id: 'a', title: 'A', description: null, schedule: 'every 1d', timezone: null, query: 'view', dashboard: null, when: null, to: [], paused: false }; // prettier-ignore
  await control.alerts.write(project!, { alert, yaml: '' }, BY);
  await control.alerts.askNow(project!.id, 'a');
  const [due] = await control.alerts.runs.claim(1, 1_000);
  await control.alerts.runs.finish(due!, { outcome: 'report', saw, state: 'ok', nextAt: null, tell: null });
  await control.close();
}
