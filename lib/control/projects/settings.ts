import { AppError } from '../../base/errors.ts';
import { IP_POLICIES } from '../../base/project.ts';
import { zoneName } from '../../base/zone-name.ts';
import type { ProjectSettings } from '../types.ts';

export const DEFAULT_SETTINGS: ProjectSettings = { retentionDays: null, ipPolicy: 'anonymized', timezone: 'UTC' };

const MAX_RETENTION_DAYS = 36_500;

/** `settings` with `changes`. Throws AppError `bad_request` for an invalid value. */
export function changeSettings(settings: ProjectSettings, changes: Partial<ProjectSettings>): ProjectSettings {
  const { retentionDays, ipPolicy, timezone } = { ...settings, ...changes };
  if (retentionDays !== null && !isRetention(retentionDays)) {
    throw new AppError('bad_request', `retention_days must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}`, {
      hints: ['leave it empty (null, `none`) to keep events forever'],
    });
  }
  if (!IP_POLICIES.includes(ipPolicy))
    throw new AppError('bad_request', `ip_policy must be one of ${IP_POLICIES.join(', ')}`);
  return { retentionDays, ipPolicy, timezone: checkTimezone(timezone) };
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
