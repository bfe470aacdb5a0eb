/** Finds a stored dashboard for whoever asks: over the API, and for pages of the console. */
import { readJson } from '../base/text/read-json.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { DashboardText } from '../control/projects/dashboards.ts';
import type { Dashboard } from '../dashboards/dashboard.ts';
import { dashboardJson } from './dashboards/dashboard-json.ts';
import type { Holder, Visibility } from './dashboards/holder.ts';
import { noSuch } from './roles.ts';

export interface AskedDashboard {
  readonly id: string;
  /** null: the newest. */
  readonly version: number | null;
  readonly visibility: Visibility | null;
}

/** A dashboard, a personal one before the project's, unless `visibility` says which. Throws AppError 404. */
export async function findDashboard(
  control: ControlDatabase,
  { id, version, visibility }: AskedDashboard,
  { project, accountId }: Holder,
): Promise<DashboardText> {
  const owners = [
    ...(accountId === null || visibility === 'project' ? [] : [accountId]),
    ...(visibility === 'personal' ? [] : [null]),
  ];
  for (const owner of owners) {
    const found = await control.dashboards.find({ projectId: project.id, id, owner }, version);
    if (found !== null) return found;
  }
  throw noSuch('dashboard');
}

/** JSON with its text and what a page draws it from. Title and order are of this version, which need not be the newest. */
export async function dashboardTextJson(control: ControlDatabase, stored: DashboardText): Promise<string> {
  const { yaml, checked, version, newest } = stored;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `store` has written
  const { title, order } = version === newest ? stored : (readJson(checked) as Dashboard);
  const known = { ...(await dashboardJson(control, { ...stored, title, order })), yaml };
  return `${JSON.stringify(known).slice(0, -1)},"dashboard":${checked}}`;
}
