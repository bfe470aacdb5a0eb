/** The words of the language, in any case; an event with such a name must be quoted. */
import type { BucketWord } from './syntax.ts';
import { METRICS, METRICS_OF_FIELDS, readMetric } from '../plan/metrics.ts';

export const SOURCES = [
  'funnel', 'retention', 'paths', 'sessions', 'lifecycle', 'stickiness', 'user', 'users', 'fields', 'inspect', 'formula',
  'choice',
] as const; // prettier-ignore

/** Sources that later versions gained: elsewhere than at the start of a query events may still be named by these words. */
export const LATER_SOURCES = ['attribution'] as const;

export const STAGES = [
  'where', 'last', 'from', 'since', 'all', 'today', 'yesterday', 'this', 'by', 'list', 'latest', 'sort', 'top', 'limit', 'offset', 'window',
  'depth', 'tz', 'results', 'unit',
] as const; // prettier-ignore

/** Stages that later versions gained: events may still be named by these words without quotes. */
export const LATER_STAGES = [
  'having',
  'share',
  'compare',
  'rolling',
  'cumulative',
  'periods',
  'unbounded',
  'order',
  'same',
  'as',
  'weeks',
  'with',
  'model',
  'people',
] as const;

/** What may follow `people`, by what follows that: a number, or nothing. */
export const PEOPLE_WORDS = {
  counted: ['reached', 'dropped', 'returned', 'lost'],
  states: ['new', 'returning', 'resurrected', 'dormant'],
} as const;

export const BUCKETS: readonly BucketWord[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];

/** Words that may follow a field in a condition. */
export const OPERATOR_WORDS = ['contains', 'starts with', 'ends with', 'has', 'in', 'exists', 'not'] as const;

const CONNECTORS = [
  'to', 'now', 'exclude', 'returning', 'any', 'and', 'or', 'not', 'in', 'exists', 'contains', 'per', 'asc', 'desc', 'true', 'false',
  'null',
] as const; // prettier-ignore

const KEYWORDS: ReadonlySet<string> = new Set([...SOURCES, ...STAGES, ...METRICS, ...BUCKETS, ...CONNECTORS]);

/** Whether a word, in any case, is a keyword. `p1` to `p99` are. */
export function isKeyword(word: string): boolean {
  const lower = word.toLowerCase();
  return KEYWORDS.has(lower) || readMetric(lower) !== null;
}

/** A word behind which a parenthesis is arithmetic: it takes a number. */
export const BEFORE_ARITHMETIC = new RegExp(`^(?:${METRICS_OF_FIELDS.join('|')}|p[1-9][0-9]?|sort)$`, 'i');

/** Whether a stage may start with this word. */
export function startsStage(word: string): boolean {
  const lower = word.toLowerCase();
  return [...STAGES, ...LATER_STAGES].some((stage) => stage === lower) || readMetric(lower) !== null;
}

/** The bucket of a word in any case, or null. */
export function readBucket(word: string): BucketWord | null {
  const lower = word.toLowerCase();
  return BUCKETS.find((bucket) => bucket === lower) ?? null;
}
