/** What a dashboard shows: the answers to its queries. */
import type { Dashboard, Values } from './dashboard.ts';

/** An answer of /query with `"envelope": true`, as sent. */
export interface Envelope {
  readonly columns: readonly string[];
  readonly column_types: readonly EnvelopeColumn[];
  /** Keys are the columns. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows before the limit. */
  readonly total: number;
  /** RFC 3339 in the query's zone; `to` is not included. */
  readonly range: { readonly from: string; readonly to: string; readonly timezone: string };
  readonly rows_scanned: number;
  readonly elapsed_ms: number;
  readonly mode: string;
  readonly notes: readonly string[];
}

export interface EnvelopeColumn {
  readonly name: string;
  readonly type: 'string' | 'number' | 'ratio' | 'seconds' | 'time' | 'json';
  readonly role: 'group' | 'bucket' | 'metric' | 'period' | 'value';
}

/** A card's answers. A markdown card is ready without any. */
export type CardData =
  | {
      readonly state: 'ready';
      /** By the names of the card's queries. */
      readonly queries: Readonly<Record<string, Envelope>>;
    }
  | {
      readonly state: 'error';
      readonly message: string;
      /** What to do; null: unknown. */
      readonly hint: string | null;
    };

/** A dashboard, with the project's annotations among its own, and everything it showed at one moment: the content of a report. */
export interface DashboardData {
  readonly dashboard: Dashboard;
  readonly values: Values;
  /** RFC 3339. */
  readonly at: string;
  /** By card id. */
  readonly cards: Readonly<Record<string, CardData>>;
}

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
