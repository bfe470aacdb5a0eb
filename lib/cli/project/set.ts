import { clientCommand } from '../client/client-command.ts';
import { asRecord } from '../client/records.ts';
import { UsageError } from '../command.ts';
import { adminRequest, projectPath } from './admin-api.ts';
import { SETTINGS_OPTIONS } from './settings-options.ts';

export const projectSet = clientCommand({
  usage: 'set <id>',
  summary: 'Change the settings of a project',
  examples: [
    ['wl project set prj_… --retention-days 365', 'delete events older than a year'],
    ['wl project set prj_… --ip-policy none --timezone Europe/Paris', 'store no IP addresses; days follow Paris time'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'Id of the project' },
    ...SETTINGS_OPTIONS,
  },
  run: async ({ id, 'retention-days': days, 'ip-policy': policy, timezone }, { api, output }) => {
    if (days === undefined && policy === undefined && timezone === undefined) {
      throw new UsageError('name a setting to change');
    }
    const settings = {
      ...(days === undefined ? {} : { retention_days: daysOf(days) }),
      ...(policy === undefined ? {} : { ip_policy: policy }),
      ...(timezone === undefined ? {} : { timezone }),
    };
    const changed = asRecord(await api.json(adminRequest('PATCH', projectPath(id), { body: { settings } })));
    await output.record({ id: changed['id'], name: changed['name'], settings: changed['settings'] });
  },
});

function daysOf(text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--retention-days must be a whole number or "none", not "${text}"`);
}
