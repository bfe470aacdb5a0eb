/** What words of the language are for, in a few words: beside them where they complete a query. */
import { BUCKETS } from '../parse/keywords.ts';
import type { WordKind } from './complete.ts';

const SOURCES: Readonly<Record<string, string>> = {
  funnel: 'how many go from step to step',
  retention: 'who comes back',
  paths: 'what people do next, or before',
  sessions: 'visits: how many, how long, bounces',
  lifecycle: 'new, returning, resurrected, dormant',
  stickiness: 'on how many days people do it',
  user: 'the events of one person',
  users: 'profiles',
  fields: 'which fields there are',
  inspect: 'which events or properties there are',
  formula: 'arithmetic of counts',
  choice: 'an experiment and its variants',
  attribution: 'which campaigns get the credit',
};

const STAGES: Readonly<Record<string, string>> = {
  where: 'only what meets a condition',
  last: 'the last days, weeks, months',
  from: 'between two dates',
  since: 'from a date until now',
  all: 'everything stored',
  today: 'since midnight',
  yesterday: 'the day before',
  this: 'this week, month, quarter, year',
  by: 'a row per group',
  list: 'single events',
  latest: 'the newest value of a field',
  sort: 'in the order of a column',
  top: 'only the largest',
  limit: 'at most so many rows',
  offset: 'without the first rows',
  window: 'how long it may take',
  depth: 'how many steps',
  tz: 'in a time zone',
  results: 'what an experiment changed',
  unit: 'counted by another field',
  having: 'only rows with such numbers',
  share: 'each row as a part of all',
  compare: 'beside the time before',
  rolling: 'over the days before each',
  cumulative: 'summed up from the start',
  periods: 'how many periods',
  unbounded: 'in a period or any later one',
  order: 'whether steps come in order',
  same: 'steps with the same value',
  as: 'a name for a column',
  weeks: 'the day on which weeks begin',
  model: 'who gets the credit',
  people: 'who they are',
  with: 'with the events of bots',
};

const METRICS: Readonly<Record<string, string>> = {
  count: 'how many events',
  unique: 'how many people, or values',
  sum: 'the total of a field',
  avg: 'the average of a field',
  min: 'the smallest',
  max: 'the largest',
  median: 'half are below it',
  stddev: 'how far values spread',
  mode: 'the most frequent value',
};

const PEOPLE: Readonly<Record<string, string>> = {
  reached: 'who came to a step',
  dropped: 'who stopped behind a step',
  returned: 'who came back in a period',
  lost: 'who did not',
  new: 'for the first time',
  returning: 'as in the period before',
  resurrected: 'after a pause',
  dormant: 'no longer',
};

const OTHERS: Readonly<Record<string, string>> = {
  any: 'any event',
  each: 'each value of a list',
  cohort: 'a saved condition on people',
  'did(': 'what people did',
  bin: 'ranges of numbers',
  within: 'soon after another event',
  bots: 'which the project leaves out',
};

const UNITS: Readonly<Record<string, string>> = { h: 'hours', d: 'days', w: 'weeks', mo: 'months', y: 'years' };

/** What a word of this kind does; null: its kind says it all. */
export function helpOf(text: string, kind: WordKind): string | null {
  switch (kind) {
    case 'source':
      return SOURCES[text] ?? null;
    case 'stage':
    case 'metric':
      return STAGES[text] ?? METRICS[text] ?? null;
    case 'people':
      return PEOPLE[text] ?? null;
    case 'range':
      return rangeHelp(text);
    case 'field':
      return fieldHelp(text);
    case 'bucket':
      return BUCKETS.some((bucket) => bucket === text) ? `a row per ${text}` : (OTHERS[text] ?? null);
    default:
      return OTHERS[text] ?? null;
  }
}

function rangeHelp(text: string): string | null {
  const [, count, unit = ''] = /^(\d+)([a-z]+)$/.exec(text) ?? [];
  const word = UNITS[unit];
  return count === undefined || word === undefined ? null : `${count} ${count === '1' ? word.slice(0, -1) : word}`;
}

function fieldHelp(text: string): string {
  if (text.startsWith('event_properties.')) return 'property of the event';
  if (text.startsWith('user_properties.')) return 'property of the person, then';
  if (text.startsWith('user_last_session.')) return 'of the last session';
  if (text.startsWith('user.')) return 'property of the person, now';
  if (text.startsWith('session.')) return 'of the session';
  return text.startsWith('_') ? 'found by the server' : 'field';
}
