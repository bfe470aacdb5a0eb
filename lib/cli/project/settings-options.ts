/** Name and settings of a project as options of `wl project set` and `wl admin project set`. */
import { IP_POLICIES, WEEK_STARTS } from '../../base/project.ts';
import { type ArgumentsOf, numberOrNone, optional, required, UsageError } from '../command.ts';

export const SETTINGS_OPTIONS = {
  name: optional('New name of the project'),
  'retention-days': optional('Days to keep events, or none to keep them forever'),
  'ip-policy': { choices: IP_POLICIES, requiresArg: true, describe: 'How to store client IP addresses' },
  timezone: optional('Time zone for days in queries, an IANA name'),
  'week-start': { choices: WEEK_STARTS, requiresArg: true, describe: 'Day on which weeks in queries begin' },
  'personal-properties': optional(
    'Further properties that tokens without personal data do not see: their names, separated by commas, or none',
  ),
} as const;

/** The settings that a command line names. Throws UsageError if it names none. */
export function namedSettings(args: Pick<ArgumentsOf<typeof SETTINGS_OPTIONS>, keyof typeof SETTINGS_OPTIONS>) {
  const { name, 'retention-days': days, 'ip-policy': ipPolicy, timezone, 'week-start': weekStart } = args;
  const { 'personal-properties': personal } = args;
  if ((name ?? days ?? ipPolicy ?? timezone ?? weekStart ?? personal) === undefined)
    throw new UsageError('name a setting to change');
  return {
    ...(name === undefined ? {} : { name }),
    ...(days === undefined ? {} : { retentionDays: numberOrNone('retention-days', days) }),
    ...(ipPolicy === undefined ? {} : { ipPolicy }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(weekStart === undefined ? {} : { weekStart }),
    ...(personal === undefined ? {} : { personalProperties: personal === 'none' ? [] : personal.split(',') }),
  };
}

/** Of `wl project suspend`, `wl admin project suspend` and `wl admin org suspend`. */
export const SUSPENSION_OPTIONS = {
  what: { choices: ['ingest', 'queries', 'all'], default: 'all', requiresArg: true, describe: 'What to refuse' },
  reason: required('Reason, included in the 403 answers'),
} as const;
