/** Events by day as bars, and as a table for readers who cannot see them. */
import { made } from './element.ts';
import type { Answer } from './questions.ts';

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface Day {
  readonly name: string;
  readonly events: number;
  readonly users: number;
}

/** The bars and their numbers. The range cuts the first and last day, which are paler. */
export function dayBars({ rows }: Answer): readonly HTMLElement[] {
  const days = rows.map((row) => ({ name: nameOf(row['day']), events: Number(row['count']), users: Number(row['unique']) })); // prettier-ignore
  const most = Math.max(...days.map(({ events }) => events), 1);
  const sum = days.reduce((total, { events }) => total + events, 0);
  const label = `Events by day: ${sum.toLocaleString()} in ${days.length} days, at most ${most.toLocaleString()} in a day.`;
  const bars = made('div', '', { class: 'days', role: 'img', 'aria-label': label });
  bars.append(...days.map((day, index) => bar(day, most, index === 0 || index === days.length - 1)));
  const ends = made('p', '', { class: 'days-ends', 'aria-hidden': 'true' });
  ends.append(
    made('span', days[0]?.name ?? ''),
    made('span', `peak: ${most.toLocaleString()}`),
    made('span', days.at(-1)?.name ?? ''),
  );
  return [bars, ends, numbers(days)];
}

function bar({ name, events, users }: Day, most: number, partial: boolean): HTMLElement {
  const column = made('span', '', {
    title: `${name}: ${events.toLocaleString()} events, ${users.toLocaleString()} users`,
  });
  const value = made('i', '', partial && events > 0 ? { class: 'partial' } : {});
  value.style.height = `${(100 * events) / most}%`;
  column.append(value);
  return column;
}

function numbers(days: readonly Day[]): HTMLElement {
  const head = made('tr');
  head.append(
    made('th', 'day', { scope: 'col' }),
    ...['events', 'users'].map((name) => made('th', name, { scope: 'col', class: 'number' })),
  );
  const lines = days.map(({ name, events, users }) => {
    const line = made('tr');
    line.append(
      made('td', name),
      ...[events, users].map((value) => made('td', value.toLocaleString(), { class: 'number' })),
    );
    return line;
  });
  const table = made('table', '', { class: 'data' });
  table.append(made('thead'), made('tbody'));
  table.tHead?.append(head);
  table.tBodies[0]?.append(...lines);
  const region = made('div', '', {
    class: 'scroll',
    role: 'region',
    'aria-label': 'Events by day, as a table',
    tabindex: '0',
  });
  region.append(table);
  const details = made('details');
  details.append(made('summary', 'Show as a table'), region);
  return details;
}

/** `2026-11-14` → `14 Nov`, in the reader's locale. */
function nameOf(day: unknown): string {
  const time = Date.parse(String(day).slice(0, 10));
  return Number.isNaN(time) ? String(day) : DAY.format(time);
}
