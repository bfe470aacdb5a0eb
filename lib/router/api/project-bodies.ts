/** Bodies of requests about projects and their tokens. /openapi.json uses the same schemas. */
import { SUSPENDABLE, type ProjectSettings, type Suspension } from '../../control/types.ts';
import { IP_POLICIES, type IpPolicy } from '../../base/project.ts';
import { AppError } from '../../base/errors.ts';
import { JsonBody } from './json-body.ts';

const NAME = { type: 'string', description: '1 to 200 characters, none of them a control character.' };

export const NAMED = { required: ['name'], properties: { name: NAME } };

export const NAME_BODY = new JsonBody<{ readonly name: string }>(NAMED, {
  '': 'The body must be a JSON object with "name".',
  '/name': '"name" must be a string.',
});

interface SettingsFields {
  readonly retention_days?: number | null;
  readonly ip_policy?: IpPolicy;
  readonly timezone?: string;
}

export const SETTINGS_FIELDS = {
  retention_days: { type: ['integer', 'null'], minimum: 1, maximum: 36_500, description: 'Days to keep events; null: forever.' },
  ip_policy: { enum: IP_POLICIES, description: 'How client addresses are stored.' },
  timezone: { type: 'string', description: 'Time zone for days in queries, an IANA name.' },
}; // prettier-ignore

const RETENTION = '"retention_days" must be a whole number of days from 1 to 36,500, or null to keep events forever.';
const POLICY = `"ip_policy" must be one of ${IP_POLICIES.map((policy) => `"${policy}"`).join(', ')}.`;
const TIMEZONE = '"timezone" must be the name of a time zone, such as "Europe/Berlin".';

/** The fields are in `settings`, as projects show them, or at the root. */
export const SETTINGS_BODY = new JsonBody<SettingsFields & { readonly settings?: SettingsFields }>(
  { properties: { settings: { type: 'object', properties: SETTINGS_FIELDS }, ...SETTINGS_FIELDS } },
  {
    '/settings': '"settings" must be an object.',
    ...{ '/retention_days': RETENTION, '/settings/retention_days': RETENTION },
    ...{ '/ip_policy': POLICY, '/settings/ip_policy': POLICY },
    ...{ '/timezone': TIMEZONE, '/settings/timezone': TIMEZONE },
  },
);

/** The settings that a body names. Throws AppError 400 when it names none. */
export function readSettings({
  settings,
  ...root
}: SettingsFields & { readonly settings?: SettingsFields }): Partial<ProjectSettings> {
  const { retention_days: retentionDays, ip_policy: ipPolicy, timezone } = { ...root, ...settings };
  const changes = {
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(ipPolicy === undefined ? {} : { ipPolicy }),
    ...(timezone === undefined ? {} : { timezone }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError('bad_request', 'The body contains no setting.', {
    hints: ['Settings are "retention_days", "ip_policy" and "timezone".'],
  });
}

export const DELETE_BODY = new JsonBody<{ readonly project_name: string; readonly project_name_confirm: string }>(
  {
    required: ['project_name', 'project_name_confirm'],
    properties: {
      project_name: { type: 'string', description: 'The exact name of the project.' },
      project_name_confirm: { type: 'string', description: 'The same name again.' },
    },
  },
  {
    '/project_name': 'Nothing was deleted: "project_name" must be the name of the project.',
    '/project_name_confirm': 'Nothing was deleted: "project_name_confirm" must be the name of the project, once more.',
  },
);

const GRACE = 'How long the old key keeps working, such as `24h`, at most 30 days; defaults to not at all.';

export const ROTATE_BODY = new JsonBody<{ readonly grace?: string }>(
  { properties: { grace: { type: 'string', description: GRACE } } },
  { '/grace': '"grace" must be a duration such as "24h".' },
);

export const SUSPEND_BODY = new JsonBody<{ readonly what?: Suspension['what']; readonly reason: string }>(
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

const SCOPES = { type: 'array', items: { type: 'string' }, description: 'At least one of track, query, admin, dashboards.' }; // prettier-ignore
const LIFETIME = { type: 'string', default: '90d', description: 'A number and m (minutes), h, d or w; at most 10 years.' }; // prettier-ignore

export const TOKEN_BODY = new JsonBody<{
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_in?: string;
}>(
  { required: ['name', 'scopes'], properties: { name: NAME, scopes: SCOPES, expires_in: LIFETIME } },
  {
    '': 'The body must be a JSON object with "name" and "scopes".',
    '/name': '"name" must be a string.',
    '/scopes': '"scopes" must be a list of strings: track, query, admin, dashboards.',
    '/expires_in': '"expires_in" must be a duration such as "720h".',
  },
);
