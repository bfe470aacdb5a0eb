import type { Dashboard, Values } from './dashboard.ts';
import type { DashboardData } from './data.ts';

/** What is saved: the data of one moment, or a dashboard that asks `host` for new data with a token that stands in the file. */
export type SavedDashboard =
  | { readonly mode: 'report'; readonly data: DashboardData }
  | {
      readonly mode: 'interactive';
      readonly dashboard: Dashboard;
      readonly values: Values;
      /** `https://host`, of which only the origin may be asked. */
      readonly host: string;
      /** `aat_…` with scope query. */
      readonly token: string;
    };
