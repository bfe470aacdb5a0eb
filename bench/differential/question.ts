/** One random query in both languages. */
import type { Cell, Row } from '../peers/peer.ts';
import type { Dialect } from './dialect.ts';
import type { Random } from './random.ts';
import { DAY } from './world.ts';

export interface Question {
  /** The pipe. */
  readonly pipe: string;
  readonly sql: (dialect: Dialect) => string;
  /** Converts the rows of Windlass's answer to SQL's form; their order does not matter. */
  readonly rows: (answer: readonly Row[]) => Row[];
}

export type MakeQuestion = (random: Random) => Question;

export interface Range {
  readonly from: number;
  readonly to: number;
  /** As a stage. */
  readonly stage: string;
}

/** Whole UTC days, or times that cut them. */
export function randomRange(random: Random): Range {
  const grain = random.one([DAY, DAY, 3_600_000]);
  // Often the whole range, for answers with many rows.
  const { start, days, now, shift, shortest } = random.words;
  const from = random.chance(0.5) ? start : start + Math.floor((random.next() * (days - 15) * DAY) / grain) * grain;
  const to = random.chance(0.5)
    ? start + days * DAY
    : Math.min(from + Math.max(random.whole(1, days * 0.6) * grain, shortest), now);
  const moved = shift * DAY;
  // What that took too much of moves as a whole, to days that have events.
  if (to - from > 4 * moved) return rangeOf(from, to - moved);
  return from - moved < start ? rangeOf(from + moved, to + moved) : rangeOf(from - moved, to - moved);
}

export function rangeOf(from: number, to: number): Range {
  return { from, to, stage: `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}` };
}

/** Zones whose clocks do not change while the events happen, and how far they are ahead of UTC. */
const ZONES = [
  { name: 'UTC', ahead: 0 },
  { name: 'UTC', ahead: 0 },
  { name: 'Asia/Kathmandu', ahead: (5 * 60 + 45) * 60_000 },
  { name: 'America/Bogota', ahead: -5 * 3_600_000 },
] as const;

export interface Calendar {
  /** As a stage. */
  readonly stage: string;
  /** Milliseconds that its clocks are ahead of UTC. */
  readonly ahead: number;
  /** The local start of the bucket of a time, in milliseconds; both as SQL expressions. */
  bucket(unit: BucketUnit, time: string): string;
  /** The same for a number. */
  bucketOf(unit: BucketUnit, time: number): number;
}

export type BucketUnit = 'day' | 'week';
export const LENGTH: Readonly<Record<BucketUnit, number>> = { day: DAY, week: 7 * DAY };
/** A start of each unit: the epoch's day, and the Monday after it. */
const ORIGIN: Readonly<Record<BucketUnit, number>> = { day: 0, week: 4 * DAY };

export function randomCalendar(random: Random): Calendar {
  const { name, ahead } = random.one(ZONES);
  return {
    stage: `tz "${name}"`,
    ahead,
    bucket: (unit, time) => `(${time} + ${ahead} - (${time} + ${ahead} - ${ORIGIN[unit]}) % ${LENGTH[unit]})`,
    bucketOf: (unit, time) => time + ahead - ((time + ahead - ORIGIN[unit]) % LENGTH[unit]),
  };
}

/** The local start, in milliseconds, of a bucket as printed. */
export function bucketCell(cell: Cell | undefined): number {
  return Date.parse(`${String(cell)}T00:00:00Z`);
}

export function pipeOf(...stages: readonly string[]): string {
  return stages.filter((stage) => stage !== '').join(' | ');
}

/** SQL conditions that must all hold. */
export function all(...conditions: readonly string[]): string {
  return conditions.map((condition) => `(${condition})`).join(' AND ');
}

/** The first rows of an answer by an order that both languages have, where it may have very many; else all of them. */
export function firstRows(
  random: Random,
  word: 'top' | 'limit',
  order: (dialect: Dialect) => string,
): Pick<Question, 'pipe' | 'sql'> {
  const { bounds } = random.words;
  if (bounds === null) return { pipe: '', sql: () => '' };
  return { pipe: `${word} ${bounds.rows}`, sql: (dialect) => `ORDER BY ${order(dialect)} LIMIT ${bounds.rows}` };
}

export function inRange({ from, to }: Pick<Range, 'from' | 'to'>): string {
  return `t >= ${from} AND t < ${to}`;
}
