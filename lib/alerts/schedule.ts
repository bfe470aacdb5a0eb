/** When an alert asks: `every 1h`, `daily 09:00`, `weekly monday 09:00`, `cron 0 9 * * 1-5`, the last three with a time zone or without. */
import { Cron } from 'croner';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../base/day.ts';

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

type Schedule =
  | { readonly kind: 'every'; readonly ms: number }
  /** Five fields; `zone` null: the alert's. */
  | { readonly kind: 'cron'; readonly pattern: string; readonly zone: string | null };

/** What is wrong with a schedule; null: nothing. `knowsZone`: whether there is such a time zone. */
export function scheduleProblem(text: string, knowsZone: (name: string) => boolean): string | null {
  const schedule = parsed(text);
  if (schedule === null)
    return `there is no schedule ${JSON.stringify(text)}; write one like \`every 1h\`, \`daily 09:00 Europe/Berlin\`, \`weekly monday 09:00\` or \`cron 0 9 * * 1-5\``;
  if (schedule.kind === 'every')
    return schedule.ms < MINUTE_MS || schedule.ms > 31 * DAY_MS ? 'the period of `every` is from 1m to 31d' : null; // prettier-ignore
  const { pattern, zone } = schedule;
  if (zone !== null && !knowsZone(zone)) return `unknown time zone ${JSON.stringify(zone)}; write one like Europe/Berlin`;
  try {
    return cronOf(pattern, 'UTC').nextRun() === null ? `the schedule ${JSON.stringify(text)} has no time, ever` : null;
  } catch (error) {
    return `the cron fields are wrong: ${error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)}`;
  }
} // prettier-ignore

/**
 * The first time after another, milliseconds since the epoch; null: there is none. Of `every`, times are multiples since 1970. A time
 * of a day that clocks skip in spring comes as much later; one that they show twice in autumn comes once. @param zone IANA name.
 */
export function nextTime(text: string, zone: string, after: number): number | null {
  const schedule = parsed(text);
  if (schedule === null) return null;
  if (schedule.kind === 'every') return (Math.floor(after / schedule.ms) + 1) * schedule.ms;
  try {
    return (
      cronOf(schedule.pattern, schedule.zone ?? zone)
        .nextRun(new Date(after))
        ?.getTime() ?? null
    );
  } catch {
    return null; // no check has seen it: somebody has written the file of a project
  }
}

const cronOf = (pattern: string, timezone: string): Cron =>
  new Cron(pattern, { timezone, mode: '5-part', paused: true });

function parsed(text: string): Schedule | null {
  const [word = '', ...rest] = text.trim().split(/\s+/);
  if (word === 'every') return everyOf(rest);
  if (word === 'daily') return atTime(rest, '*');
  if (word === 'weekly') {
    const weekday = WEEKDAYS.indexOf(rest[0]?.toLowerCase() ?? '');
    return weekday < 0 ? null : atTime(rest.slice(1), String(weekday));
  }
  if (word !== 'cron' || rest.length < 5 || rest.length > 6) return null;
  return { kind: 'cron', pattern: rest.slice(0, 5).join(' '), zone: rest[5] ?? null };
}

function everyOf(words: readonly string[]): Schedule | null {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(words.join(' ')) ?? [];
  const ms = UNITS[unit];
  return count === undefined || ms === undefined ? null : { kind: 'every', ms: Number(count) * ms };
}

function atTime([time = '', zone, ...more]: readonly string[], weekday: string): Schedule | null {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hour === undefined || minute === undefined || more.length > 0) return null;
  return { kind: 'cron', pattern: `${Number(minute)} ${Number(hour)} * * ${weekday}`, zone: zone ?? null };
}
