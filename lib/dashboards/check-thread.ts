/** The program of threads that check dashboards. */
import { checkDashboard } from './check.ts';
import type { Dashboard } from './dashboard.ts';
import type { Problem } from './problem.ts';

/** A checked dashboard as it is stored, so that nobody else need read it or write it out. */
export interface DashboardJson extends Pick<Dashboard, 'id' | 'title' | 'order'> {
  /** JSON of the dashboard. */
  readonly json: string;
}

/** As `Checked`. */
export type CheckedJson =
  | { readonly dashboard: DashboardJson; readonly problems: readonly [] }
  | { readonly dashboard: null; readonly problems: readonly Problem[] };

export function checkToJson(text: string): CheckedJson {
  const { dashboard, problems } = checkDashboard(text);
  if (dashboard === null) return { dashboard, problems };
  const { id, title, order } = dashboard;
  return { dashboard: { id, title, order, json: JSON.stringify(dashboard) }, problems };
}
