/** The settings of a project as options of `wl project set` and `wl admin project set`. */
import { IP_POLICIES } from '../../base/project.ts';

export const SETTINGS_OPTIONS = {
  'retention-days': {
    type: 'string',
    requiresArg: true,
    describe: 'Days to keep events, or none to keep them forever',
  },
  'ip-policy': { choices: IP_POLICIES, requiresArg: true, describe: 'How to store client IP addresses' },
  timezone: { type: 'string', requiresArg: true, describe: 'Time zone for days in queries, an IANA name' },
} as const;
