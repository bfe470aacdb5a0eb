/** Settings of a project, as bodies and answers have them. */
import type { ProjectChanges } from '../../control/projects/projects.ts';
import { MOST_PERSONAL } from '../../control/projects/settings.ts';
import type { ProjectSettings } from '../../control/types.ts';
import {
  BOT_POLICIES,
  type BotPolicy,
  IP_POLICIES,
  type IpPolicy,
  WEEK_STARTS,
  type WeekStart,
} from '../../base/project.ts';
import { AppError } from '../../base/errors.ts';
import { JsonBody } from '../route/json-body.ts';
import { NAME } from './schemas.ts';

interface SettingsFields {
  readonly retention_days?: number | null;
  readonly ip_policy?: IpPolicy;
  readonly timezone?: string;
  readonly week_start?: WeekStart;
  readonly bots?: BotPolicy;
  readonly personal_properties?: readonly string[];
  readonly events_per_month?: number | null;
}

export const SETTINGS_FIELDS = {
  retention_days: { type: ['integer', 'null'], minimum: 1, maximum: 36_500, description: 'Days to keep events; null: forever.' },
  ip_policy: { enum: IP_POLICIES, description: 'How client addresses are stored.' },
  timezone: { type: 'string', description: 'Time zone for days in queries, an IANA name.' },
  week_start: { enum: WEEK_STARTS, description: 'Day on which weeks in queries begin.' },
  bots: { enum: BOT_POLICIES, description: 'Whether answers have the events of bots; they are stored either way.' },
  personal_properties: {
    type: 'array',
    items: { type: 'string' },
    maxItems: MOST_PERSONAL,
    description: 'Further properties that tokens with `personal` false do not see, such as `phone` and `address.street`.',
  },
  events_per_month: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'Events that the project may store in a UTC month; null: what its organization may.',
  },
}; // prettier-ignore

const RETENTION = '"retention_days" must be a whole number of days from 1 to 36,500, or null to keep events forever.';
const POLICY = `"ip_policy" must be one of ${IP_POLICIES.map((policy) => `"${policy}"`).join(', ')}.`;
const TIMEZONE = '"timezone" must be the name of a time zone, such as "Europe/Berlin".';
const WEEK_START = `"week_start" must be one of ${WEEK_STARTS.map((day) => `"${day}"`).join(', ')}.`;
const BOTS = `"bots" must be one of ${BOT_POLICIES.map((policy) => `"${policy}"`).join(', ')}.`;

const PERSONAL = `"personal_properties" must be a list of at most ${MOST_PERSONAL} names of properties.`;
const MONTH = '"events_per_month" must be a whole number, or null for what the organization may.';

const SETTINGS = { type: 'object', properties: SETTINGS_FIELDS };

/** Messages for the settings under a path. */
const settingsMessages = (path: string): Readonly<Record<string, string>> => ({
  [`${path}/retention_days`]: RETENTION,
  [`${path}/ip_policy`]: POLICY,
  [`${path}/timezone`]: TIMEZONE,
  [`${path}/week_start`]: WEEK_START,
  [`${path}/bots`]: BOTS,
  [`${path}/personal_properties`]: PERSONAL,
  [`${path}/events_per_month`]: MONTH,
});

const SETTINGS_OBJECT = '"settings" must be an object.';

export const PROJECT_BODY = new JsonBody<{ readonly name: string; readonly settings?: SettingsFields }>(
  'project',
  { required: ['name'], properties: { name: NAME, settings: SETTINGS } },
  {
    '': 'The body must be a JSON object with "name".',
    '/name': '"name" must be a string.',
    '/settings': SETTINGS_OBJECT,
    ...settingsMessages('/settings'),
  },
);

interface ChangeBody extends SettingsFields {
  readonly name?: string;
  readonly settings?: SettingsFields;
  readonly confirm?: boolean;
}

const CONFIRM = { type: 'boolean', default: false, description: 'Removes stored events where `retention_days` is shorter; it begins 24 hours later.' }; // prettier-ignore

/** The settings are in `settings`, as projects show them, or at the root. */
export const CHANGE_BODY = new JsonBody<ChangeBody>(
  'change',
  { properties: { name: NAME, settings: SETTINGS, ...SETTINGS_FIELDS, confirm: CONFIRM } },
  {
    '/name': '"name" must be a string.',
    '/confirm': '"confirm" must be true or false.',
    '/settings': SETTINGS_OBJECT,
    ...settingsMessages(''),
    ...settingsMessages('/settings'),
  },
);

/** What a body changes. Throws AppError 400 when that is nothing. */
export function readChanges({ name, settings, confirm: _confirm, ...root }: ChangeBody): ProjectChanges {
  const changes = { ...(name === undefined ? {} : { name }), ...readSettings({ ...root, ...settings }) };
  if (Object.keys(changes).length > 0) return changes;
  throw new AppError('bad_request', 'The body contains nothing to change.', {
    hints: [`There are "name", and the settings ${Object.keys(SETTINGS_FIELDS).map((name) => `"${name}"`).join(', ')}.`], // prettier-ignore
  });
}

export function readSettings({
  retention_days: retentionDays,
  ip_policy: ipPolicy,
  timezone,
  week_start: weekStart,
  bots,
  personal_properties: personalProperties,
  events_per_month: eventsPerMonth,
}: SettingsFields): Partial<ProjectSettings> {
  return {
    ...(retentionDays === undefined ? {} : { retentionDays }),
    ...(ipPolicy === undefined ? {} : { ipPolicy }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(weekStart === undefined ? {} : { weekStart }),
    ...(bots === undefined ? {} : { bots }),
    ...(personalProperties === undefined ? {} : { personalProperties }),
    ...(eventsPerMonth === undefined ? {} : { eventsPerMonth }),
  };
}
