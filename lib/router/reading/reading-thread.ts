/** The program of threads that read what users write: dashboards, alerts, calls of Segment's libraries, and queries that may take long to read. */
import { checkAlert, type CheckedAlert } from '../../alerts/check.ts';
import { AppError, type ErrorData } from '../../base/errors.ts';
import { yieldToOthers } from '../../base/thread-priority.ts';
import { checkDashboard } from '../../dashboards/check.ts';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import type { Problem } from '../../dashboards/problem.ts';
import { readCohort } from '../../dsl/cohort.ts';
import { type Mistake, QueryError } from '../../dsl/errors.ts';
import { type SegmentBody, translate, type Translated } from './segment-calls.ts';
import { type QueryText, type Read, readQuery } from '../../dsl/read.ts';

export type Text =
  | { readonly kind: 'dashboard'; readonly yaml: string }
  | { readonly kind: 'alert'; readonly yaml: string }
  | { readonly kind: 'cohort'; readonly where: string }
  | { readonly kind: 'query'; readonly query: QueryText }
  | { readonly kind: 'segment'; readonly sent: SegmentBody };

/** A checked dashboard as it is stored, so that nobody else need read it or write it out. */
export interface DashboardJson extends Pick<Dashboard, 'id' | 'title' | 'order'> {
  /** JSON of the dashboard. */
  readonly json: string;
}

/** As `Checked`. */
export type CheckedJson =
  | { readonly dashboard: DashboardJson; readonly problems: readonly [] }
  | { readonly dashboard: null; readonly problems: readonly Problem[] };

/** What reading a query or a cohort throws, as data. */
export type Refused =
  { readonly kind: 'mistake'; readonly mistake: Mistake } | { readonly kind: 'error'; readonly error: ErrorData };

/** `cohort`: the names of the cohorts in a condition. */
export type ReadingReply =
  | { readonly kind: 'checked'; readonly checked: CheckedJson }
  | { readonly kind: 'checked_alert'; readonly checked: CheckedAlert }
  | { readonly kind: 'translated'; readonly translated: Translated }
  | { readonly kind: 'cohort'; readonly uses: readonly string[] }
  | Read
  | Refused;

export interface ReadingTask {
  readonly text: Text;
}

// Steps by which it is less urgent: what is slow to read gets a third of a processor that serving requests wants too.
yieldToOthers('little');

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function read({ text }: ReadingTask): ReadingReply {
  if (text.kind === 'dashboard') return { kind: 'checked', checked: checkToJson(text.yaml) };
  if (text.kind === 'alert') return { kind: 'checked_alert', checked: checkAlert(text.yaml) };
  try {
    if (text.kind === 'segment') return { kind: 'translated', translated: translate(text.sent) };
    if (text.kind === 'cohort') return { kind: 'cohort', uses: readCohort(text.where, Date.now()) };
    return readQuery(text.query);
  } catch (error) {
    if (error instanceof QueryError) return { kind: 'mistake', mistake: error.mistake };
    if (error instanceof AppError) return { kind: 'error', error: error.data };
    throw error;
  }
}

function checkToJson(yaml: string): CheckedJson {
  const { dashboard, problems } = checkDashboard(yaml);
  if (dashboard === null) return { dashboard, problems };
  const { id, title, order } = dashboard;
  return { dashboard: { id, title, order, json: JSON.stringify(dashboard) }, problems };
}
