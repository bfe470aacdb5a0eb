/** A stored dashboard as the API shows it. */
import { isoTime } from '../../base/day.ts';
import type { ControlDatabase } from '../../control/database.ts';
import type { StoredDashboard } from '../../control/projects/dashboards.ts';
import { ANY_STRING, DATE_TIME, NATURAL, STRING_OR_NULL } from '../route/schema.ts';

export const ENTRY = {
  id: ANY_STRING,
  title: ANY_STRING,
  order: { type: ['integer', 'null'], description: 'Position in lists, lower first.' },
  version: { ...NATURAL, minimum: 1 },
  visibility: { enum: ['personal', 'project'] },
  owner: { ...STRING_OR_NULL, description: 'The owner of a personal dashboard, who alone sees it.' },
  updated_at: DATE_TIME,
  updated_by: { type: 'string', description: 'As in the audit trail.' },
};

/** A stored dashboard as lists of the API show it. `owner`: the e-mail address of the only person who sees a personal one. */
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
