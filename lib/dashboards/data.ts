/** What a dashboard shows: the answers to its queries. */
import type { Dashboard, Values } from './dashboard.ts';

/** An answer of /query with `"envelope": true`, as it is on the wire. */
export interface Envelope {
  readonly columns: readonly string[];
  readonly column_types: readonly EnvelopeColumn[];
  /** Keys are the columns. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows before the limit cut. */
  readonly total: number;
  /** RFC 3339 in the zone of the query; `to` is not included. */
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

/** A card's answers. A markdown card is ready with none. */
export type CardData =
  | {
      readonly state: 'ready';
      /** By the names of the card's queries. */
      readonly queries: Readonly<Record<string, Envelope>>;
      /** The same of the time before, where the card compares and there is such a time; else null. */
      readonly previous: Readonly<Record<string, Envelope>> | null;
    }
  | {
      readonly state: 'error';
      /** A sentence. */
      readonly message: string;
      /** What to do; null: nobody knows. */
      readonly hint: string | null;
    };

/** A dashboard and all it showed at one moment: what a report holds. */
export interface DashboardData {
  readonly dashboard: Dashboard;
  readonly values: Values;
  /** RFC 3339. */
  readonly at: string;
  /** By the ids of cards. */
  readonly cards: Readonly<Record<string, CardData>>;
}
