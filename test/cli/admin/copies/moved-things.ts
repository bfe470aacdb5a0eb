import type { Alert } from '../../../../lib/alerts/alert.ts';
import { readConfig } from '../../../../lib/base/config/config.ts';
import { silentLog } from '../../../../lib/base/log.ts';
import type { ControlDatabase } from '../../../../lib/control/database.ts';
import { type RunningService, startService } from '../../../../lib/server/service.ts';

const BY = { name: 'test', ip: null };

export const ALERT: Alert = {
  ...{ id: 'few', title: 'Few', description: null, schedule: 'daily 09:00', timezone: null, query: 'view | count' },
  ...{ dashboard: null, when: 'no rows', to: [{ kind: 'webhook', to: 'https://example.com' }], paused: false },
};

/** All that a project has besides events. Returns the key of a token that sees no personal data. */
export async function addThings(control: ControlDatabase, id: string): Promise<string> {
  const older = { from: null, days: 400, events: 0, confirmed: false };
  await control.projects.change(id, { timezone: 'Europe/Paris', weekStart: 'sunday', retentionDays: 400 }, BY, older);
  const text = { title: 'Board', order: 1, checked: '{}' };
  for (const yaml of ['one', 'two'])
    await control.dashboards.write({ projectId: id, id: 'board', owner: null, yaml, ...text }, BY);
  for (const where of ['did(view)', 'did(view) >= 3'])
    await control.cohorts.write({ projectId: id, name: 'viewers', where, description: null, uses: [] }, BY);
  for (const title of ['First', 'Second'])
    await control.alerts.write(await control.projects.get(id), { alert: { ...ALERT, title }, yaml: title }, BY);
  for (const query of ['view | count', 'view | unique'])
    await control.savedQuestions.write({ projectId: id, name: 'Views', query }, BY);
  for (const text of ['Version 2', 'Version 3']) await control.annotations.add({ projectId: id, at: 5, text }, BY);
  await control.tokens.create({ projectId: id, name: 'robot', scopes: ['query'] }, BY);
  await control.projects.change(id, { personalProperties: ['phone'], eventsPerMonth: 9 }, BY);
  const agent = await control.tokens.create({ projectId: id, name: 'agent', scopes: ['query'], personal: false }, BY);
  return agent.key;
}

export const event = (user: string, n: number): Record<string, unknown> => ({
  ...{ event_type: 'view', user_id: user, insert_id: `${user}${n}`, event_properties: { n } },
});

export function serve(data: string): Promise<RunningService> {
  const addresses = { WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none' };
  const settings = { WINDLASS_DATA: data, WINDLASS_THREADS: '1', ...addresses };
  return startService({ config: readConfig(settings), log: silentLog() });
}
