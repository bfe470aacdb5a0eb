/** Settings of a project: what they are at first, how a change is checked, how they are stored. */
import { AppError } from '../../base/errors.ts';
import { IP_POLICIES, WEEK_STARTS } from '../../base/project.ts';
import { readJson } from '../../base/text/read-json.ts';
import { zoneName } from '../../base/zone-name.ts';
import type { ProjectSettings } from '../types.ts';

export const DEFAULT_SETTINGS: ProjectSettings = {
  retentionDays: null,
  ipPolicy: 'anonymized',
  timezone: 'UTC',
  weekStart: 'monday',
  personalProperties: [],
};

const MAX_RETENTION_DAYS = 36_500;

/** `settings` with `changes`. Throws AppError `bad_request` for an invalid value. */
export function changeSettings(settings: ProjectSettings, changes: Partial<ProjectSettings>): ProjectSettings {
  const { retentionDays, ipPolicy, timezone, weekStart, personalProperties } = { ...settings, ...changes };
  if (retentionDays !== null && !isRetention(retentionDays)) {
    throw new AppError('bad_request', `retention_days must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}`, {
      hints: ['leave it empty (null, `none`) to keep events forever'],
    });
  }
  if (!IP_POLICIES.includes(ipPolicy))
    throw new AppError('bad_request', `ip_policy must be one of ${IP_POLICIES.join(', ')}`);
  if (!WEEK_STARTS.includes(weekStart))
    throw new AppError('bad_request', `week_start must be one of ${WEEK_STARTS.join(', ')}`);
  const personal = checkPersonal(personalProperties);
  return { retentionDays, ipPolicy, timezone: checkTimezone(timezone), weekStart, personalProperties: personal };
}

/** Names of properties that a project may call personal, and characters of each. */
export const MOST_PERSONAL = 100;
const LONGEST_PERSONAL = 200;

/** In queries they follow a prefix, which people may write here too. */
const PREFIX = /^(?:event_properties|user_properties|user)\./;

/** Each once, without prefixes. */
function checkPersonal(names: readonly string[]): readonly string[] {
  const bare = [...new Set(names.map((name) => name.trim().replace(PREFIX, '')))];
  const wrong = bare.find((name) => name === '' || name.length > LONGEST_PERSONAL || /[\p{Cc},]/u.test(name));
  if (wrong === undefined && bare.length <= MOST_PERSONAL) return bare;
  throw new AppError(
    'bad_request',
    `personal_properties must be at most ${MOST_PERSONAL} names of at most ${LONGEST_PERSONAL} characters, without commas`,
    {
      hints: ['name the properties as events have them: phone, address.street'],
    },
  );
}

function checkTimezone(timezone: string): string {
  const name = zoneName(timezone);
  if (name !== null) return name;
  throw new AppError('bad_request', `unknown timezone "${timezone}"`, {
    hints: ['use an IANA name such as Europe/Paris or UTC'],
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
  personalProperties,
}: ProjectSettings) => ({
  retention_days: retentionDays,
  ip_policy: ipPolicy,
  timezone,
  week_start: weekStart,
  personal_properties: JSON.stringify(personalProperties),
});
