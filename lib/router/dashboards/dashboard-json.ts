/** Stored dashboards as the API shows them. */
import type { ControlDatabase } from '../../control/database.ts';
import type { DashboardText, StoredDashboard } from '../../control/projects/dashboards.ts';
import { isoTime } from '../../control/json.ts';

/** As lists show it. `owner`: the e-mail address of the only person who sees a personal one. */
export async function dashboardJson(control: ControlDatabase, dashboard: StoredDashboard) {
  const { id, title, order, owner, version, at, by } = dashboard;
  const account = owner === null ? null : await control.accounts.get(owner);
  return {
    id,
    title,
    order,
    version,
    visibility: account === null ? 'project' : 'personal',
    owner: account === null ? null : (account.email ?? account.id),
    updated_at: isoTime(at),
    updated_by: by,
  };
}

/** With its text and what a page draws it from. */
export async function dashboardTextJson(control: ControlDatabase, dashboard: DashboardText) {
  const checked: unknown = JSON.parse(dashboard.checked);
  return { ...(await dashboardJson(control, dashboard)), yaml: dashboard.yaml, dashboard: checked };
}
