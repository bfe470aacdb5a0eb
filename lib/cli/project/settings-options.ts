/** Name and settings of a project as options of `wl project set` and `wl admin project set`. */
import { BOT_POLICIES, IP_POLICIES, WEEK_STARTS } from '../../base/project.ts';
import { type ArgumentsOf, numberOrNone, optional, required, UsageError } from '../command.ts';

export const SETTINGS_OPTIONS = {
  name: optional('New name of the project'),
  'retention-days': optional('Days to keep events, or none to keep them forever'),
  'ip-policy': { choices: IP_POLICIES, requiresArg: true, describe: 'How to store client IP addresses' },
  timezone: optional('Time zone for days in queries, an IANA name'),
  'week-start': { choices: WEEK_STARTS, requiresArg: true, describe: 'Day on which weeks in queries begin' },
  bots: { choices: BOT_POLICIES, requiresArg: true, describe: 'Whether answers have the events of bots' },
  'personal-properties': optional(
    'Further properties that tokens without personal data do not see: their names, separated by commas, or none',
  ),
  'events-per-month': optional(
    'Events that the project may store in a UTC month, or none for what the organization may',
  ),
} as const;

/** The settings that a command line names. Throws UsageError if it names none. */
export function namedSettings(args: Pick<ArgumentsOf<typeof SETTINGS_OPTIONS>, keyof typeof SETTINGS_OPTIONS>) {
  const { name, 'retention-days': days, 'ip-policy': ipPolicy, timezone, 'week-start': weekStart } = args;
  const { bots, 'personal-properties': personal, 'events-per-month': month } = args;
  if ((name ?? days ?? ipPolicy ?? timezone ?? weekStart ?? bots ?? personal ?? month) === undefined)
    throw new UsageError('name a setting to change');
  return {
    ...(name === undefined ? {} : { name }),
    ...(days === undefined ? {} : { retentionDays: numberOrNone('retention-days', days) }),
    ...(ipPolicy === undefined ? {} : { ipPolicy }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(weekStart === undefined ? {} : { weekStart }),
    ...(bots === undefined ? {} : { bots }),
    ...(personal === undefined ? {} : { personalProperties: personal === 'none' ? [] : personal.split(',') }),
    ...(month === undefined ? {} : { eventsPerMonth: numberOrNone('events-per-month', month) }),
  };
}

/** The same as the body of a PATCH. */
export function settingsBody({
  name,
  retentionDays,
  ipPolicy,
  timezone,
  weekStart,
  ...others
}: ReturnType<typeof namedSettings>) {
  const settings = {
    ...{ retention_days: retentionDays, ip_policy: ipPolicy, timezone, week_start: weekStart },
    ...{ bots: others.bots, personal_properties: others.personalProperties, events_per_month: others.eventsPerMonth },
  };
  return { name, settings };
}

/** Of `wl project suspend`, `wl admin project suspend` and `wl admin org suspend`. */
export const SUSPENSION_OPTIONS = {
  what: { choices: ['ingest', 'queries', 'all'], default: 'all', requiresArg: true, describe: 'What to refuse' },
  reason: required('Reason, included in the 403 answers'),
} as const;
