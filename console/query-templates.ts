/** Queries to begin with, of events that the project has. */
import { eventText, fieldText } from '../lib/dsl/hints/name-text.ts';
import type { ProjectNames } from '../lib/dsl/hints/complete.ts';

export interface Template {
  readonly name: string;
  /** What it answers. */
  readonly about: string;
  readonly q: string;
}

/** Events with which people begin to use something. */
const BEGINS = /sign.?(?:ed.?)?up|regist|creat|install|start/i;

export function queryTemplates({ events, fields }: ProjectNames): readonly Template[] {
  const [first = '*', second = first, third = second] = events.map(eventText);
  const begins = events.find((name) => BEGINS.test(name));
  const begin = begins === undefined ? first : eventText(begins);
  const field = fieldText(fields.find((name) => name.startsWith('event_properties.')) ?? '_browser');
  return [
    { name: 'Trend', about: 'How often something happens, day by day', q: `${first} | last 30d | count by day` },
    { name: 'Active people', about: 'How many people there are each day', q: '* | last 30d | unique by day' },
    { name: 'Breakdown', about: 'By a property: which values, and how many people', q: `* | last 30d | unique by ${field} | top 10` },
    ...(first === '*'
      ? []
      : [
          { name: 'Funnel', about: 'How many people go from step to step, and how long it takes', q: `funnel ${[first, second, third].join(' -> ')} | last 30d` },
          { name: 'Retention', about: 'Who comes back in the weeks after', q: `retention ${begin} returning any | last 8w | by week` },
          { name: 'Paths', about: 'What people do next', q: `paths from ${begin} | last 30d` },
        ]),
    { name: 'Sessions', about: 'How many, how long, how many bounce', q: 'sessions | last 30d | by day' },
    { name: 'Change', about: 'This week against the one before', q: '* | last 7d | count, unique | compare previous' },
    { name: 'Latest events', about: 'Single events, the newest first', q: '* | last 7d | list' },
    { name: 'All events', about: 'Which events there are, and how many of each', q: 'inspect *' },
  ];
} // prettier-ignore
