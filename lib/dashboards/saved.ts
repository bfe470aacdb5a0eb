import type { Dashboard, Values } from './dashboard.ts';
import type { DashboardData } from './data.ts';

/** What is saved: the data of one moment, or a dashboard that queries `host` for new data with a token inside the file. */
export type SavedDashboard =
  | { readonly mode: 'report'; readonly data: DashboardData }
  | {
      readonly mode: 'interactive';
      readonly dashboard: Dashboard;
      readonly values: Values;
      /** `https://host`; only this origin may be queried. */
      readonly host: string;
      /** `aat_…` with scope query. */
      readonly token: string;
    };
