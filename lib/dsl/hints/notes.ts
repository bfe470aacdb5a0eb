/** Notes below an answer: what a reader should know that the rows do not say. Makes sentences of data, without I/O. */
import { zoneOf } from '../plan/columns.ts';
import { quote } from '../parse/lex-string.ts';
import { Effort, nearestWithin } from '../../base/text/nearest.ts';
import { SOURCES } from '../parse/keywords.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Plan } from '../plan/plan.ts';
import type { TimeUnit } from '../time/units.ts';
import { sampleRatioP } from '../plan/sample-ratio.ts';
import { fieldText } from './name-text.ts';
import { inOneOrder, type KnownNames } from './suggest.ts';
import type { Observations } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import { unreachable } from '../../base/unreachable.ts';
import { bucketLabel, bucketStart, nextBucket } from '../time/buckets.ts';

export interface ResultToNote {
  /** How many rows the page has, and how many there are. */
  readonly page: { readonly shown: number; readonly total: number };
  readonly observations: Observations;
}

/** Whether the notes would name the nearest known events or fields; fetch the catalog only then. */
export function wantsCatalog(observations: Observations): boolean {
  return observations.unseenEvents.length > 0 || observations.unseenFields.length > 0;
}

/** Stored data that a query asked for, outside its range. Times are milliseconds since the epoch. */
export interface Elsewhere {
  /** An event by name, any event, one person's events, exposures of a choice, profiles, or sessions. */
  readonly of:
    | { readonly kind: 'event'; readonly name: string }
    | { readonly kind: 'person'; readonly id: string }
    | { readonly kind: 'choice'; readonly key: string }
    | { readonly kind: 'events' | 'users' | 'sessions' };
  readonly rows: number;
  readonly first: number;
  readonly last: number;
}

/** Data fetched for the notes. */
export interface Known {
  readonly names: KnownNames | null;
  readonly elsewhere: readonly Elsewhere[];
  /** A choice that nobody ever saw, and those that somebody did. */
  readonly unseenChoice: { readonly key: string; readonly choices: readonly string[] } | null;
  /** Whether nothing was ever stored that the query could have read. */
  readonly isEmptyProject: boolean;
}

const NOTHING_KNOWN: Known = { names: null, elsewhere: [], unseenChoice: null, isEmptyProject: false };

/**
 * The notes of an answer, besides those that its plan alone gave (`Compiled.notes`).
 * @param known What the project has, for the nearest names, and what lies outside the range; null if not fetched.
 */
export function notesOfResult(plan: Plan, result: ResultToNote, known: Known | null): readonly string[] {
  const { page, observations } = result;
  const { names, elsewhere, unseenChoice, isEmptyProject } = known ?? NOTHING_KNOWN;
  const guesses = new Guesses(plan, names);
  return [
    ...observations.unseenEvents
      .filter((event) => !elsewhere.some(({ of }) => of.kind === 'event' && of.name === event))
      .map((event) => noteOfEvent(event, guesses)),
    ...elsewhere.map((stored) => noteOfElsewhere(plan, stored)),
    ...(isEmptyProject ? ['The project has no events yet: send one with POST /track or `wl track`.'] : []),
    ...(unseenChoice === null ? [] : [noteOfChoice(unseenChoice, guesses)]),
    ...observations.unseenFields.map((field) => noteOfField(field, guesses)),
    ...noteOfPage(plan, page),
    ...notesOfChoice(observations),
  ];
}

/** Notes that a plan gives before any data is read: contradictory conditions, buckets that the range cuts. */
export function notesOfPlan(plan: Plan): readonly string[] {
  return [...noteOfContradiction(plan), ...noteOfPartialBuckets(plan)];
}

function noteOfContradiction(plan: Plan): string[] {
  const conditions = [plan.where, 'having' in plan ? plan.having : null];
  if (plan.kind === 'funnel') conditions.push(...plan.steps.map((step) => step.where));
  const impossible = conditions.some((condition) => condition?.kind === 'constant' && !condition.value);
  return impossible ? ['The conditions contradict each other: nothing can match.'] : [];
}

function noteOfPartialBuckets(plan: Plan): string[] {
  const unit = bucketUnit(plan);
  const { from, to } = plan.range;
  if (unit === null || from >= to) return [];
  const zone = zoneOf(plan);
  const first = bucketStart(zone, unit, from);
  const last = bucketStart(zone, unit, to - 1);
  const partial: number[] = [];
  // A lifecycle's range is widened to the start of its first bucket; before `all` there is nothing.
  if (first < from && plan.kind !== 'lifecycle' && plan.range.all !== true) partial.push(first);
  if (nextBucket(zone, unit, last) > to && !partial.includes(last)) partial.push(last);
  if (partial.length === 0) return [];
  const labels = partial.map((start) => bucketLabel(zone, unit, start)).join(', ');
  return [`Partial ${unit}${partial.length > 1 ? 's' : ''}, cut by the range: ${labels}.`];
}

/** The time bucket of the rows, or null. Of several, the shortest, whose cut shows most. */
function bucketUnit(plan: Plan): TimeUnit | null {
  const { buckets } = traitsOf(plan);
  return BY_LENGTH.find((unit) => buckets.includes(unit)) ?? null;
}

const BY_LENGTH: readonly TimeUnit[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

function noteOfEvent(event: string, guesses: Guesses): string {
  const unseen = `No event ${quote(event)} in this range`;
  if (guesses.events.has(event)) return `${unseen}.`;
  const source = SOURCES.find((word) => word === nearestWithin(event, SOURCES, 1));
  const meant = guesses.event(event);
  const hints = [
    ...(meant === null ? [] : [`the nearest known event is ${quote(meant)}`]),
    ...(source === undefined ? [] : [`there is the source \`${source}\``]),
  ];
  return `${[unseen, ...hints].join('; ')}.`;
}

/** `No event "signup" in this range; 12 are stored at other times, from … to …: `from 2026-01-01 to 2026-02-04` shows them.` */
function noteOfElsewhere(plan: Plan, { of, rows, first, last }: Elsewhere): string {
  const zone = zoneOf(plan);
  const from = bucketLabel(zone, 'day', bucketStart(zone, 'day', first));
  const to = bucketLabel(zone, 'day', nextBucket(zone, 'day', bucketStart(zone, 'day', last)));
  const stored = `${rows} ${rows === 1 ? 'is' : 'are'} stored at other times`;
  const times = `from ${formatTime(first, zone)} to ${formatTime(last, zone)}`;
  return `${missing(of)} in this range; ${stored}, ${times}: \`from ${from} to ${to}\` shows ${rows === 1 ? 'it' : 'them'}.`;
}

function missing(of: Elsewhere['of']): string {
  switch (of.kind) {
    case 'event':
      return `No event ${quote(of.name)}`;
    case 'person':
      return `No event of the user ${quote(of.id)}`;
    case 'choice':
      return `No exposure of the choice ${quote(of.key)}`;
    case 'events':
      return 'No event at all';
    case 'users':
      return 'No user was last seen';
    case 'sessions':
      return 'No session';
    default:
      return unreachable(of);
  }
}

function noteOfChoice({ key, choices }: NonNullable<Known['unseenChoice']>, guesses: Guesses): string {
  const unseen = `No exposure of the choice ${quote(key)}`;
  const meant = guesses.choice(key, choices);
  return meant === null ? `${unseen}.` : `${unseen}; the nearest known is ${quote(meant)}.`;
}

function noteOfField(field: string, guesses: Guesses): string {
  const unseen = `\`${fieldText(field)}\` has no value in this range`;
  const meant = guesses.fields.has(field) ? null : guesses.field(field);
  return meant === null ? `${unseen}.` : `${unseen}; the nearest known is \`${fieldText(meant)}\`.`;
}

/** Names of an answer for which the nearest is looked for: readers need no more, and all share one effort. */
const MOST_GUESSES = 10;
/** Of a longer name half of the characters are too many to guess by. */
const WILD_LENGTH = 20;

/** What names that had no rows may have meant, of those that the project has. */
class Guesses {
  readonly events: ReadonlySet<string>;
  readonly fields: ReadonlySet<string>;
  readonly #effort = new Effort();
  #made = 0;

  constructor({ kind }: Plan, names: KnownNames | null) {
    const isTaken = (name: string): boolean => kind !== 'users' || name.startsWith('user.');
    const known = names === null ? null : inOneOrder(names);
    this.events = new Set(known?.events.map(({ name }) => name));
    this.fields = new Set(known?.fields.filter(isTaken));
  }

  event(name: string): string | null {
    return this.#made++ < MOST_GUESSES ? this.#nearest(name, this.events) : null;
  }

  choice(key: string, choices: readonly string[]): string | null {
    return this.#made++ < MOST_GUESSES ? this.#nearest(key, choices) : null;
  }

  /** One with the same key, or else with the nearest of the same kind. */
  field(name: string): string | null {
    if (this.#made++ >= MOST_GUESSES) return null;
    const dot = name.indexOf('.') + 1;
    const [prefix, key] = [name.slice(0, dot), name.slice(dot)];
    const keys: string[] = [];
    for (const other of this.fields) {
      if (!this.#effort.visit()) return null;
      if (other.indexOf('.') + 1 + key.length === other.length && other.endsWith(key)) return other;
      if (other.startsWith(prefix)) keys.push(other.slice(dot));
    }
    const near = this.#nearest(key, keys);
    return near === null ? null : prefix + near;
  }

  /**
   * The nearest by edits, or else one that contains the name or is part of it. It may guess more wildly than errors do: nothing
   * failed, and the reader sees why it is named.
   */
  #nearest(name: string, candidates: Iterable<string>): string | null {
    const half = name.length > WILD_LENGTH ? 0 : Math.max(1, Math.ceil(name.length / 2));
    return (
      nearestWithin(name, candidates, 2, this.#effort) ??
      this.#related(name.toLowerCase(), candidates) ??
      nearestWithin(name, candidates, half, this.#effort)
    );
  }

  #related(lower: string, candidates: Iterable<string>): string | null {
    for (const candidate of candidates) {
      if (!this.#effort.visit()) return null;
      const other = candidate.toLowerCase();
      if (other.includes(lower) || (other.length > 2 && lower.includes(other))) return candidate;
    }
    return null;
  }
}

function noteOfPage(plan: Plan, { shown, total }: ResultToNote['page']): string[] {
  const { limit, offset } = plan.page;
  if (offset + shown >= total) return [];
  const asked = plan.limit === null ? '' : ` that the query asks for`;
  const rows = shown === 0 ? 'No rows' : `Rows ${offset + 1} to ${offset + shown}`;
  return [
    `${rows} of the ${total}${asked}: the request's limit of ${limit} cut them; ` +
      'ask for more with its `limit` (at most 10000), or for the next with its `offset`.',
  ];
}

/** A usual threshold for a warning: a fair split looks like this once in a hundred times. */
const MISMATCH = 0.01;

function notesOfChoice({ exposures }: Observations): string[] {
  if (exposures === undefined) return [];
  const { variants, several } = exposures;
  const notes: string[] = [];
  if (several > 0) notes.push(`${several} saw several variants and count for none.`);
  const p = sampleRatioP(variants.map(({ users }) => users));
  if (p !== null) {
    const shares = variants.map(({ variant, users }) => `${variant || '""'} ${users}`).join(', ');
    const verdict =
      p < MISMATCH
        ? 'a mismatch: the variants were not handed out evenly, so compare with care'
        : 'no sign of a mismatch';
    notes.push(`Sample ratio (${shares}; equal shares expected): ${verdict} (p = ${p.toPrecision(3)}).`);
  }
  return notes;
}
