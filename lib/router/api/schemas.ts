/** Parts of bodies and answers that several groups of the management APIs have. */
import { ROLES, SUSPENDABLE, type Suspension } from '../../control/types.ts';
import { JsonBody } from '../route/json-body.ts';
import { also, component, NATURAL, DATE, LIMIT, ORG, ANY_STRING, DATE_TIME, objectOf } from '../route/schema.ts';

export const NAME = { type: 'string', description: '1 to 200 characters, none of them a control character.' };

export const ROLE = { enum: ROLES };

export const DELETED = component('Deleted', objectOf({ deleted: { const: true }, id: ANY_STRING }));

const SUSPENSION = {
  suspension: {
    ...objectOf({ what: { enum: SUSPENDABLE }, reason: ANY_STRING }),
    description: 'What the operator has switched off of all of its projects; missing: nothing.',
  },
};

export const WEIGHT = {
  type: 'integer',
  minimum: 1,
  description: 'Share of rate limits and turns, as a multiple of an ordinary organization.',
};

const ORGANIZATION = {
  id: ORG,
  name: ANY_STRING,
  created_at: DATE_TIME,
  limits: objectOf({ projects: LIMIT, events_per_month: LIMIT, weight: WEIGHT }),
};

/** An organization as its members see it. */
export const MEMBERSHIP = component(
  'Organization',
  also(SUSPENSION, objectOf({ ...ORGANIZATION, role: { ...ROLE, description: 'Role of the current account.' } })),
);

/** An organization as its admin key sees it. */
export const ADMIN_ORGANIZATION = component('AdminOrganization', also(SUSPENSION, objectOf(ORGANIZATION)));

/** What is switched off, and why. */
export const SUSPENDING = new JsonBody<{ readonly what?: Suspension['what']; readonly reason: string }>(
  'suspension',
  {
    required: ['reason'],
    properties: {
      what: { enum: SUSPENDABLE, default: 'all', description: 'What is refused: events, queries or both.' },
      reason: { type: 'string', description: 'Included in the 403 answers; 1 to 200 characters.' },
    },
  },
  {
    '': 'The body must be a JSON object with "reason".',
    '/what': `"what" must be one of ${SUSPENDABLE.map((what) => `"${what}"`).join(', ')}.`,
    '/reason': '"reason" must be a string.',
  },
);

const COUNTERS = {
  events_ingested: 'Accepted.',
  events_stored: 'Accepted, less duplicates and dropped.',
  events_rejected: 'Invalid and skipped.',
  events_duplicate: 'Accepted and not stored: their insert_id was known.',
  events_dropped: 'Accepted and not stored: older than the project keeps events.',
  times_replaced: 'Times that could not be read or lay over 24 hours ahead: the time of arrival was taken.',
  fields_ignored: 'Fields at the root of an event that no event has.',
  values_trimmed: 'Values that were cut or left out.',
  ids_ignored: 'Ids that stand for nothing, such as "null".',
  queries_run: 'Queries answered.',
  query_ms: 'Milliseconds that they took.',
  bytes_stored: 'Bytes on disk at the end of the day.',
};

/** What was used on a day. */
export const USAGE_ROW = component(
  'UsageRow',
  objectOf({
    date: DATE,
    ...Object.fromEntries(Object.entries(COUNTERS).map(([name, description]) => [name, { ...NATURAL, description }])),
  }),
);
