/** What random questions about the bench's data set are made of. */
import { DAY, SPAN, START } from '../dataset/sessions.ts';
import { countries, paths, VALUES } from '../dataset/vocabulary.ts';
import type { Some, TextField, Vocabulary } from '../differential/vocabulary.ts';

/** @param shift Days by which ranges move. */
export function wordsOf(shift: number): Vocabulary {
  return { ...WORDS, shift };
}

/** Later than all events. The clock of the service is years ahead, which makes no difference. */
const NOW = START + SPAN + DAY;

const WORDS: Omit<Vocabulary, 'shift'> = {
  events: some(VALUES.event_type),
  texts: [
    textOf('plan', VALUES.plan, ['r', 'free', 'ent'], ['^(free|pro)$', 'r.*e', '(?i)STARTER']),
    textOf('browser', VALUES.browser, ['o', 'Safari', 'Int'], ['^(Chrome|Edge)$', 'r.*e', '^[A-F]']),
    textOf('country', countries, ['A', 'S', 'U'], ['^[A-G]', 'S$', 'US|GB|DE']),
    textOf('path', paths, ['/docs', '/app', 'page-1', '42'], ['^/docs/page-[0-9]+$', '(?i)DOCS', '/page-1.*7$']),
  ],
  numbers: [
    { pipe: 'event_properties.duration_ms', column: 'duration_ms', limits: [20, 100, 800, 1500.5, 4000] },
    { pipe: 'event_properties.amount', column: 'amount', limits: [10, 99.5, 250, 400] },
  ],
  ...{ isComplete: true, hasCohorts: false, start: START, days: SPAN / DAY, now: NOW, shortest: DAY },
  bounds: { groups: 500_000, rows: 20 },
};

function textOf(column: string, values: readonly string[], parts: Some<string>, patterns: Some<string>): TextField {
  return { pipe: `event_properties.${column}`, column, values: some(values), parts, patterns };
}

function some<T>([first, ...others]: readonly T[]): Some<T> {
  if (first === undefined) throw new Error('a field of the data set has no values');
  return [first, ...others];
}
