import { projectJson } from '../../control/json.ts';
import { IP_POLICIES } from '../../control/settings.ts';
import { UsageError } from '../command.ts';
import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';
import { numberOrNone } from './number-or-none.ts';

export const projectSet = controlCommand({
  usage: 'set <project>',
  summary: 'Change the settings of a project',
  examples: [
    ['wl admin project set prj_… --retention-days 365', 'forget events that are older than a year'],
    ['wl admin project set prj_… --ip-policy none --timezone Europe/Paris', 'store no addresses, count days in Paris'],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    'retention-days': { type: 'string', requiresArg: true, describe: 'Days that events are kept, or none: for ever' },
    'ip-policy': { choices: IP_POLICIES, requiresArg: true, describe: 'How addresses of clients are stored' },
    timezone: { type: 'string', requiresArg: true, describe: 'IANA name of the zone that queries count days in' },
  },
  run: ({ project, 'retention-days': days, 'ip-policy': ipPolicy, timezone }, control) => {
    if (days === undefined && ipPolicy === undefined && timezone === undefined) {
      throw new UsageError('name a setting to change');
    }
    const changed = control.projects.change(project, {
      ...(days === undefined ? {} : { retentionDays: numberOrNone('retention-days', days) }),
      ...(ipPolicy === undefined ? {} : { ipPolicy }),
      ...(timezone === undefined ? {} : { timezone }),
    });
    const { settings, ...rest } = projectJson(changed);
    return { json: { ...rest, settings }, text: recordText({ id: rest.id, name: rest.name, ...settings }) };
  },
});
