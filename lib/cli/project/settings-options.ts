/** The settings of a project as options of `wl project set` and `wl admin project set`. */
import { IP_POLICIES } from '../../base/project.ts';
import { optional } from '../command.ts';

export const SETTINGS_OPTIONS = {
  'retention-days': optional('Days to keep events, or none to keep them forever'),
  'ip-policy': { choices: IP_POLICIES, requiresArg: true, describe: 'How to store client IP addresses' },
  timezone: optional('Time zone for days in queries, an IANA name'),
} as const;
