/** Notes below an answer: what a reader should know that the rows do not say. Makes sentences of data, without I/O. */
import { zoneOf } from '../plan/columns.ts';
import { quote } from '../parse/lex-string.ts';
import { Effort, nearestWithin } from '../../base/text/nearest.ts';
import { LATER_SOURCES, SOURCES } from '../parse/keywords.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Condition, Plan } from '../plan/plan.ts';
import { fieldName } from '../plan/fields.ts';
import { unitWord, type TimeUnit } from '../time/units.ts';
import { fieldText } from './name-text.ts';
import { inOneOrder, type KnownNames } from './suggest.ts';
import type { Observations } from '../plan/table.ts';
import { formatTime } from '../time/format-time.ts';
import { LONGEST_NAME } from '../../base/text/longest-name.ts';
import { notesOfComparison } from './notes-of-comparison.ts';
import { notesOfExperiment } from './notes-of-experiment.ts';
import { conditionsOf } from '../plan/conditions.ts';
import { didPlans } from '../plan/did.ts';
import { planUses } from '../plan/plan-uses.ts';
import { shownRange } from '../plan/shown-range.ts';
import { isUnstoredEvent, isUnstoredField } from '../plan/unstored.ts';
import { unreachable } from '../../base/unreachable.ts';
import { bucketLabel, bucketStart, nextBucket } from '../time/buckets.ts';
import { shortened } from '../../base/text/shown.ts';

export interface ResultToNote {
  /** How many rows the page has, and how many there are. */
  readonly page: { readonly shown: number; readonly total: number };
  readonly observations: Observations;
}

/** Whether the notes would name the nearest known events or fields; fetch the catalog only then. */
export function wantsCatalog(observations: Observations): boolean {
  const { unseenEvents, unseenFields, undone } = observations;
  return [unseenEvents, unseenFields, undone?.events ?? [], undone?.fields ?? []].some(({ length }) => length > 0);
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

/** Values of a field that a metric left out, as they spell no number: how many, and the most frequent. */
export interface LeftOut {
  readonly field: string;
  readonly count: number;
  readonly example: string;
}

/** Events of the range that have a field, the most frequent first. */
export interface SeenValues {
  readonly field: string;
  readonly events: readonly { readonly name: string; readonly rows: number }[];
}

/** Data fetched for the notes. */
export interface Known {
  readonly names: KnownNames | null;
  readonly elsewhere: readonly Elsewhere[];
  /** A choice that nobody ever saw, and those that somebody did. */
  readonly unseenChoice: { readonly key: string; readonly choices: readonly string[] } | null;
  readonly leftOut?: readonly LeftOut[];
  /** Where fields of metrics without any value have some. */
  readonly valuesOfOthers?: readonly SeenValues[];
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
  const told = new Set(elsewhere.map(({ of }) => (of.kind === 'event' ? of.name : null)));
  return [
    ...observations.unseenEvents.filter((event) => !told.has(event)).map((event) => noteOfEvent(event, guesses)),
    ...elsewhere.map((stored) => noteOfElsewhere(plan, stored)),
    ...(isEmptyProject ? ['The project has no events yet: send one with POST /track or `wl track`.'] : []),
    ...(unseenChoice === null ? [] : [noteOfChoice(unseenChoice, guesses)]),
    ...observations.unseenFields
      .filter((field) => field !== SESSION_ID || !readsNothing(observations))
      .map((field) => noteOfField(field, guesses)),
    ...(observations.undone?.events ?? []).map((event) => noteOfEvent(event, guesses, WHERE_DID_LOOKS)),
    ...(observations.undone?.fields ?? []).map((field) => noteOfField(field, guesses, WHERE_DID_LOOKS)),
    ...(known?.leftOut ?? []).map(noteOfLeftOut),
    ...(known?.valuesOfOthers ?? []).map(noteOfValues),
    ...noteOfBots(observations),
    ...notesOfSessions(observations),
    ...noteOfPage(plan, page),
    ...notesOfExperiment(observations, plan),
  ];
}

/**
 * Notes that a plan gives before any data is read: names that nothing can have, contradictory conditions, buckets that the range
 * cuts. @param bound The plan before the optimizer, which drops such names.
 */
export function notesOfPlan(plan: Plan, bound: Plan): readonly string[] {
  const uses = [bound, ...didPlans(bound).map((did) => did.plan)].map(planUses);
  const isUnstored = uses.some(({ events, fields }) => events.some(isUnstoredEvent) || fields.some(isUnstoredField));
  return [
    ...(isUnstored ? [UNSTORED] : noteOfContradiction(plan)),
    ...noteOfOtherTimes(plan),
    ...noteOfPartialBuckets(plan),
    ...notesOfComparison(plan),
  ];
}

const UNSTORED = `The query asks for a name of more than ${LONGEST_NAME} characters; such names are never stored.`;

function noteOfContradiction(plan: Plan): string[] {
  const impossible = conditionsOf(plan).some((condition) => condition.kind === 'constant' && !condition.value);
  return impossible ? ['The conditions contradict each other: nothing can match.'] : [];
}

/** `users | where last_seen < "2026-01-01"`: the range chooses by the same time, and leaves out all that the condition asks for. */
function noteOfOtherTimes(plan: Plan): string[] {
  const { from, to } = plan.range;
  const terms = plan.where?.kind === 'and' ? plan.where.terms : plan.where === null ? [] : [plan.where];
  const isBeside = (term: Condition): boolean => {
    if (term.kind !== 'test' || fieldName(term.field) !== timeOf(plan)) return false;
    const { test } = term;
    if (test.op === 'equals')
      return test.literal.type === 'time' && (test.literal.value < from || test.literal.value >= to);
    if (test.op !== 'compare' || test.literal.type !== 'time') return false;
    const { value } = test.literal;
    return { '<': value <= from, '<=': value < from, '>': value >= to - 1, '>=': value >= to }[test.sign];
  };
  if (from >= to || !ONLY_OF_RANGE.includes(plan.kind) || !terms.some(isBeside)) return [];
  const zone = zoneOf(plan);
  const what = plan.kind === 'users' ? 'profiles last seen' : 'events';
  return [
    `\`where\` asks for other times than the range, which has ${what} from ${formatTime(from, zone)} to ` +
      `${formatTime(to, zone)}: name a range that has them, such as \`all\`.`,
  ];
}

/** Sources that read nothing outside of their range. */
const ONLY_OF_RANGE: readonly Plan['kind'][] = [
  'aggregate', 'list', 'users', 'formula', 'funnel', 'paths', 'stickiness', 'fields', 'inspect',
]; // prettier-ignore

/** The field by whose times the range chooses. */
const timeOf = ({ kind }: Plan): string => (kind === 'users' ? 'user.last_seen' : 'time');

function noteOfPartialBuckets(plan: Plan): string[] {
  const unit = bucketUnit(plan);
  const { from, to } = shownRange(plan);
  if (unit === null || from >= to) return [];
  const zone = zoneOf(plan);
  const first = bucketStart(zone, unit, from);
  const last = bucketStart(zone, unit, to - 1);
  const partial: number[] = [];
  // Before `all` there is nothing; a window does not begin with its bucket, and what was newest is that of a bucket's end.
  const isOfEnds = ('rolling' in plan && plan.rolling !== undefined) || (plan.kind === 'latest' && plan.asOf !== null);
  const isCut = plan.range.all !== true && !isOfEnds;
  if (first < from && isCut) partial.push(first);
  if (nextBucket(zone, unit, last) > to && !partial.includes(last)) partial.push(last);
  if (partial.length === 0) return [];
  const labels = partial.map((start) => bucketLabel(zone, unit, start)).join(', ');
  return [`Partial ${unitWord(unit)}${partial.length > 1 ? 's' : ''}, cut by the range: ${labels}.`];
}

/** The time bucket of the rows, or null. Of several, the shortest, whose cut shows most. */
function bucketUnit(plan: Plan): TimeUnit | null {
  const { buckets } = traitsOf(plan);
  return BY_LENGTH.find((unit) => buckets.includes(unit)) ?? null;
}

const BY_LENGTH: readonly TimeUnit[] = ['hour', 'day', 'week', 'sunday_week', 'month', 'quarter', 'year'];

const WHERE_DID_LOOKS = 'where `did` looks for it';

function noteOfEvent(event: string, guesses: Guesses, where = 'in this range'): string {
  const unseen = `No event ${quote(event)} ${where}`;
  if (guesses.events.has(event)) return `${unseen}.`;
  const { meant, source } = guesses.event(event);
  const hints = [
    ...(meant === null ? [] : [`the nearest known event is ${quote(meant)}`]),
    ...(source === null ? [] : [`there is the source \`${source}\``]),
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

function noteOfBots({ bots = 0 }: Observations): readonly string[] {
  if (bots === 0) return [];
  const [events, are, them] = bots === 1 ? ['event of a bot', 'is', 'it'] : ['events of bots', 'are', 'them'];
  return [`${bots.toLocaleString('en')} ${events} in this range ${are} left out; \`with bots\` counts ${them}.`];
}

function noteOfChoice({ key, choices }: NonNullable<Known['unseenChoice']>, guesses: Guesses): string {
  const unseen = `No exposure of the choice ${quote(key)}`;
  const meant = guesses.choice(key, choices);
  return meant === null ? `${unseen}.` : `${unseen}; the nearest known is ${quote(meant)}.`;
}

function noteOfField(field: string, guesses: Guesses, where = 'in this range'): string {
  if (field === SESSION_ID) return 'No event of this range has a `session_id`, by which sessions are formed.';
  const unseen = `\`${fieldText(field)}\` has no value ${where}`;
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

  /** The event that a name may have meant, and the source. */
  event(name: string): { readonly meant: string | null; readonly source: string | null } {
    if (this.#made++ >= MOST_GUESSES) return { meant: null, source: null };
    return { source: nearestWithin(name, [...SOURCES, ...LATER_SOURCES], 1), meant: this.#nearest(name, this.events) };
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
  if (offset + shown >= total || isBehind(plan)) return [];
  const asked = plan.limit === null ? '' : ` that the query asks for`;
  const rows = shown === 0 ? 'No rows' : `Rows ${offset + 1} to ${offset + shown}`;
  return [
    `${rows} of the ${total}${asked}: the request's limit of ${limit} cut them; ` +
      'ask for more with its `limit`, or for the next with its `offset`.',
  ];
}

/** Whoever goes on by cursor knows that there are pages. */
const isBehind = (plan: Plan): boolean => plan.kind === 'list' && (plan.onward?.after ?? null) !== null;

function noteOfLeftOut({ field, count, example }: LeftOut): string {
  const left = count === 1 ? '1 value' : `${count} values`;
  const verbs = count === 1 ? 'spells no number and is left out' : 'spell no number and are left out';
  return `${left} of \`${fieldText(field)}\` ${verbs}, such as ${quote(shortened(example))}.`;
}

function noteOfValues({ field, events }: SeenValues): string {
  const having = events.map(({ name, rows }) => `${quote(name)} (${rows})`).join(', ');
  return `\`${fieldText(field)}\` has no value in these rows; of the events of this range, these have it: ${having}.`;
}

const SESSION_ID = 'session_id';

const readsNothing = (observations: Observations): boolean =>
  ownRows(observations) === 0 || observations.sessions?.events === 0;

/** How many rows an answer depends on, without those that its conditions `did` looked at elsewhere. */
export const ownRows = ({ rowsScanned, undone }: Observations): number => rowsScanned - (undone?.rows ?? 0);

function notesOfSessions({ sessions }: Observations): string[] {
  if (sessions === undefined) return [];
  const { events, without, shared } = sessions;
  const notes: string[] = [];
  if (without > 0 && without < events) {
    notes.push(`${without} of ${events} events have no \`session_id\` and are in no session.`);
  }
  if (shared > 0) {
    const found = shared === 1 ? '1 session has' : `${shared} sessions have`;
    notes.push(
      `${found} events of several devices: where an id is unique for its device only (\`ga_session_id\`), ` +
        'send it together with the device id.',
    );
  }
  return notes;
}
