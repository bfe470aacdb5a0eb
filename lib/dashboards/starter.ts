/** The dashboard that people start with. It works for any project, with or without events. */
import { stringify } from 'yaml';
import { quote } from '../dsl/parse/lex-string.ts';

/** YAML, from the most frequent events, in that order. */
export function starterDashboard(events: readonly string[]): string {
  const chosen = events.slice(0, 4);
  const [first, second] = chosen;
  const about = first === undefined ? '*' : named(first);
  const value = {
    version: 1,
    id: 'starter',
    title: 'Starter',
    order: 1,
    refresh: '5m',
    variables: [
      { name: 'time', kind: 'range', label: 'Time', presets: ['last 7d', 'last 30d', 'last 90d'], default: 'last 30d' },
      { name: 'bucket', kind: 'select', label: 'By', options: [bucket('day'), bucket('week')], default: 'day' },
    ],
    sections: [
      { title: 'Overview', cards: overview() },
      { title: 'Events', cards: [...chosen.map(eventCard), INSPECT] },
      { title: 'People', cards: people(about) },
      ...(second === undefined ? [] : [{ title: 'Steps', cards: steps(about, named(second)) }]),
    ],
  };
  return `# wl dashboard view --file FILE shows it; wl dashboard schema lists every key.\n${stringify(value, { lineWidth: 110 })}`;
}

/** An event in a template, where braces would be holes. */
function named(event: string): string {
  return quote(event).replaceAll('{{', '\\u007b{');
}

function bucket(unit: string): object {
  return { value: unit, label: unit, fragment: `by ${unit}` };
}

function overview(): readonly object[] {
  const number = (id: string, title: string, query: string): object => ({ id, title, kind: 'metric', query, layout: { w: 4, h: 2 } });
  return [
    number('people', 'People', '* | {{time}} | unique distinct_id'),
    number('events', 'Events', '* | {{time}} | count'),
    number('sessions', 'Sessions', 'sessions | {{time}} | count'),
    { id: 'by-time', title: 'Events and people', kind: 'chart', viz: 'line', query: '* | {{time}} | count, unique distinct_id {{bucket}}', layout: { w: 12, h: 4 } },
  ];
} // prettier-ignore

function eventCard(event: string, index: number): object {
  const query = `${named(event)} | {{time}} | count {{bucket}}`;
  return {
    id: `event-${index + 1}`,
    title: event.slice(0, 200),
    kind: 'chart',
    viz: 'bar',
    query,
    layout: { w: 6, h: 4 },
  };
}

const INSPECT = { id: 'all-events', title: 'All events', kind: 'inspect', query: 'inspect * | {{time}}' };

function people(event: string): readonly object[] {
  return [
    { id: 'lifecycle', title: 'New, returning, gone', kind: 'lifecycle', query: `lifecycle ${event} | {{time}} | by week` },
    { id: 'countries', title: 'Countries', kind: 'chart', viz: 'pie', query: '* | {{time}} | unique distinct_id by _country | top 10' },
    { id: 'retention', title: 'Who comes back', kind: 'retention', query: `retention ${event} | last 8w | by week` },
  ];
} // prettier-ignore

function steps(first: string, second: string): readonly object[] {
  return [
    { id: 'funnel', title: 'From one to the next', kind: 'funnel', query: `funnel ${first} -> ${second} | {{time}}` },
    { id: 'paths', title: 'What follows', kind: 'journey', query: `paths from ${first} | {{time}} | depth 4 | top 10` },
  ];
}
