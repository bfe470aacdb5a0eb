/** Groups of other products → properties: Windlass knows the company of a user and no groups besides. */
import { isRecord } from '../../base/is-record.ts';
import type { Goal } from './draft.ts';

export const NO_GROUPS = 'there are no groups, only the company of a user';

/** Kinds of groups that are the company of a user. */
const COMPANY = /^(?:company|organi[sz]ation|account|\[Segment\] Group)$/i;

/** `{company: "acme"}` → the property `groups` of the event, and `user.company_id`. A list counts by its first member. */
export const placeGroups: Goal = (draft, groups, field) => {
  draft.put('properties', 'groups', groups, field);
  if (!isRecord(groups)) return;
  const [, company] = Object.entries(groups).find(([kind]) => COMPANY.test(kind)) ?? [];
  const id: unknown = Array.isArray(company) ? company[0] : company;
  if (typeof id === 'string' || typeof id === 'number') draft.put('user', 'company_id', String(id), field);
};
