/** Settings of a project: what they are at first, how a change is checked, how they are stored. */
import { AppError } from '../../base/errors.ts';
import { BOT_POLICIES, IP_POLICIES, WEEK_STARTS } from '../../base/project.ts';
import { readJson } from '../../base/text/read-json.ts';
import { checkLimit } from '../names.ts';
import { zoneName } from '../../base/zone-name.ts';
import type { ProjectSettings } from '../types.ts';
import { MAX_NAME_LENGTH } from '../names.ts';

export const DEFAULT_SETTINGS: ProjectSettings = {
  retentionDays: null,
  ipPolicy: 'anonymized',
  timezone: 'UTC',
  weekStart: 'monday',
  bots: 'leave out',
  personalProperties: [],
  eventsPerMonth: null,
};

const MAX_RETENTION_DAYS = 36_500;

/** `settings` with `changes`. Throws AppError `bad_request` for an invalid value. */
export function changeSettings(settings: ProjectSettings, changes: Partial<ProjectSettings>): ProjectSettings {
  const { retentionDays, ipPolicy, timezone, weekStart, ...others } = { ...settings, ...changes };
  if (retentionDays !== null && !isRetention(retentionDays)) {
    throw new AppError('bad_request', `The retention must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}.`, {
      field: 'retention_days',
      hints: ['Leave it empty (null, `none`) to keep events forever.'],
    });
  }
  if (!IP_POLICIES.includes(ipPolicy))
    throw new AppError('bad_request', `ip_policy must be one of ${IP_POLICIES.join(', ')}`, { field: 'ip_policy' });
  if (!WEEK_STARTS.includes(weekStart))
    throw new AppError('bad_request', `week_start must be one of ${WEEK_STARTS.join(', ')}`, { field: 'week_start' });
  if (!BOT_POLICIES.includes(others.bots))
    throw new AppError('bad_request', `bots must be one of ${BOT_POLICIES.join(', ')}`, { field: 'bots' });
  checkLimit('events_per_month', others.eventsPerMonth);
  const personalProperties = checkPersonal(others.personalProperties);
  return { ...others, retentionDays, ipPolicy, timezone: checkTimezone(timezone), weekStart, personalProperties };
}

/** Names of properties that a project may call personal. */
export const MOST_PERSONAL = 100;

/** In queries they follow a prefix, which people may write here too. */
const PREFIX = /^(?:event_properties|user_properties|user)\./;

/** Each once, without prefixes. */
function checkPersonal(names: readonly string[]): readonly string[] {
  const bare = [...new Set(names.map((name) => name.trim().replace(PREFIX, '')))];
  const wrong = bare.find((name) => name === '' || name.length > MAX_NAME_LENGTH || /[\p{Cc},]/u.test(name));
  if (wrong === undefined && bare.length <= MOST_PERSONAL) return bare;
  throw new AppError(
    'bad_request',
    `Personal properties are at most ${MOST_PERSONAL} names of at most ${MAX_NAME_LENGTH} characters, without commas.`,
    {
      field: 'personal_properties',
      hints: ['Name the properties as events have them: phone, address.street.'],
    },
  );
}

function checkTimezone(timezone: string): string {
  const name = zoneName(timezone);
  if (name !== null) return name;
  throw new AppError('bad_request', `Unknown time zone "${timezone}".`, {
    field: 'timezone',
    hints: ['Use an IANA name such as Europe/Paris or UTC.'],
  });
}

function isRetention(days: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS;
}

/** As stored. */
export function personalOf(json: string): readonly string[] {
  const list: unknown = readJson(json);
  return Array.isArray(list) ? list.map(String) : [];
}

/** The columns that hold them. */
export const settingsColumns = ({
  retentionDays,
  ipPolicy,
  timezone,
  weekStart,
  bots,
  personalProperties,
  eventsPerMonth,
}: ProjectSettings) => ({
  retention_days: retentionDays,
  ip_policy: ipPolicy,
  timezone,
  week_start: weekStart,
  bots,
  personal_properties: JSON.stringify(personalProperties),
  max_events_per_month: eventsPerMonth,
});
