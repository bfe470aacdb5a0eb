import { organizationJson } from '../../control/json.ts';
import { recordText } from '../text.ts';
import { controlCommand } from './admin-command.ts';
import { numberOrNone, wholeNumber } from './number-or-none.ts';

export const limits = controlCommand({
  usage: 'limits <org>',
  summary: 'Show or change the limits of an organization',
  examples: [
    ['wl admin limits org_…', 'the limits'],
    ['wl admin limits org_… --projects 10 --events-per-month none', 'ten projects, any number of events'],
    ['wl admin limits org_… --weight 20', 'gives it the share of twenty organizations'],
  ],
  options: {
    org: { type: 'string', demandOption: true, describe: 'Id of the organization' },
    projects: { type: 'string', requiresArg: true, describe: 'Maximum number of projects, or none' },
    'events-per-month': { type: 'string', requiresArg: true, describe: 'Maximum events stored per UTC month, or none' },
    weight: {
      type: 'string',
      requiresArg: true,
      describe: 'Share of rate limits and turns, as a multiple of an ordinary organization',
    },
  },
  run: async ({ org, projects, 'events-per-month': events, weight }, control) => {
    const asked = {
      ...(projects === undefined ? {} : { projects: numberOrNone('projects', projects) }),
      ...(events === undefined ? {} : { eventsPerMonth: numberOrNone('events-per-month', events) }),
      ...(weight === undefined ? {} : { weight: wholeNumber('weight', weight) }),
    };
    const unchanged = Object.keys(asked).length === 0;
    const json = organizationJson(
      unchanged ? await control.organizations.get(org) : await control.organizations.setLimits(org, asked),
    );
    const { id, name } = json;
    const text = recordText({
      id,
      name,
      projects: json.limits.projects ?? 'none',
      events_per_month: json.limits.events_per_month ?? 'none',
      weight: json.limits.weight,
    });
    return { json, text };
  },
});
