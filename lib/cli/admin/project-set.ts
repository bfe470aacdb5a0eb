import { projectJson } from '../../control/json.ts';
import { UsageError } from '../command.ts';
import { SETTINGS_OPTIONS } from '../project/settings-options.ts';
import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';
import { numberOrNone } from './number-or-none.ts';

export const projectSet = controlCommand({
  usage: 'set <project>',
  summary: 'Change the settings of a project',
  examples: [
    ['wl admin project set prj_… --retention-days 365', 'delete events older than a year'],
    [
      'wl admin project set prj_… --ip-policy none --timezone Europe/Paris',
      'store no IP addresses; days follow Paris time',
    ],
  ],
  options: {
    project: { type: 'string', demandOption: true, describe: 'Id of the project' },
    ...SETTINGS_OPTIONS,
  },
  run: async ({ project, 'retention-days': days, 'ip-policy': ipPolicy, timezone }, control) => {
    if (days === undefined && ipPolicy === undefined && timezone === undefined) {
      throw new UsageError('name a setting to change');
    }
    const changed = await control.projects.change(project, {
      ...(days === undefined ? {} : { retentionDays: numberOrNone('retention-days', days) }),
      ...(ipPolicy === undefined ? {} : { ipPolicy }),
      ...(timezone === undefined ? {} : { timezone }),
    });
    const { settings, ...rest } = projectJson(changed);
    return { json: { ...rest, settings }, text: recordText({ id: rest.id, name: rest.name, ...settings }) };
  },
});
