/** Random events of a few persons over a few weeks: late ones, duplicates, devices that become persons, missing values. */
import type { Random } from './random.ts';
import type { Vocabulary } from './vocabulary.ts';

export const DAY = 86_400_000;
/** Start of the events. A Friday, so that weeks are cut. */
export const START = Date.parse('2024-02-23T00:00:00Z');
export const DAYS = 40;
/** When requests arrive and queries run. */
export const NOW = START + (DAYS + 2) * DAY;

export const EVENTS = ['signup', 'view', 'click', 'buy', 'cancel'] as const;
const BROWSERS = ['Chrome', 'Firefox', 'Safari', 'ブラウザ', "O'pera"] as const;
const PATHS = ['/docs/a', '/docs/b', '/shop/42', '/shop/7?x=1', '/Docs', '/', '😀'] as const;
export const VARIANTS = ['control', 'red', 'blue'] as const;

const PARTS = {
  parts: ['o', '/docs', 'D', '42', "'", 'ラ', '?x'],
  patterns: ['^/docs/[ab]$', '[0-9]+', '(?i)docs', 'o.*e|ラ', '^$', '.'],
} as const;

export const WORDS: Vocabulary = {
  events: EVENTS,
  texts: [
    { pipe: 'event_properties.browser', column: 'browser', values: BROWSERS, ...PARTS },
    { pipe: 'event_properties.path', column: 'path', values: [...PATHS, ''], ...PARTS },
  ],
  numbers: [{ pipe: 'event_properties.n', column: 'n', limits: [0, 5, -3, 12.5] }],
  ...{
    isComplete: false,
    hasCohorts: true,
    start: START,
    days: DAYS,
    now: NOW,
    shift: 0,
    shortest: DAY / 24,
    bounds: null,
  },
};

export interface TrackedEvent {
  readonly event_type: string;
  readonly time: number;
  readonly user_id: string | null;
  readonly device_id: string | null;
  readonly session_id: string | null;
  readonly insert_id: string;
  readonly event_properties: {
    readonly browser?: string;
    readonly path?: string;
    readonly n?: number;
    readonly choice_key?: string;
    readonly variant_key?: string;
  };
}

/** A request, sent in order. */
export type SentRequest =
  | { readonly kind: 'track'; readonly events: readonly TrackedEvent[] }
  | { readonly kind: 'identify'; readonly user_id: string; readonly device_id: string };

export type World = readonly SentRequest[];

export function makeWorld(random: Random): World {
  const persons = random.one([2, 6, 25]);
  const rows = random.one([5, 60, 300, 900]);
  const requests: SentRequest[] = [];
  let made = 0;
  let clock = START;
  while (made < rows) {
    if (random.chance(0.25)) requests.push(makeIdentify(random, persons));
    const size = random.whole(1, Math.min(120, rows - made));
    // Most requests follow each other in time; some are weeks late.
    const from = random.chance(0.2) ? START : clock;
    const span = random.one([DAY / 24, DAY, 10 * DAY]);
    requests.push({
      kind: 'track',
      events: Array.from({ length: size }, (_, n) => makeEvent(random, { persons, from, span, id: made + n })),
    });
    made += size;
    clock = Math.min(clock + span, START + (DAYS - 10) * DAY);
  }
  return requests;
}

function makeIdentify(random: Random, persons: number): SentRequest {
  return { kind: 'identify', user_id: `u${random.whole(1, persons)}`, device_id: `d${random.whole(1, persons)}` };
}

/** Some people's sessions are longer than the day by which a range is widened for them. */
const sessionLength = (person: number): number => (person % 3 === 0 ? 2 * DAY : DAY / 2);

interface EventOptions {
  readonly persons: number;
  readonly from: number;
  readonly span: number;
  readonly id: number;
}

function makeEvent(random: Random, { persons, from, span, id }: EventOptions): TrackedEvent {
  const person = random.whole(1, persons);
  const isExposure = random.chance(0.12);
  // Times in whole seconds or minutes often coincide.
  const grain = random.one([1, 1000, 60_000, 3_600_000]);
  const time = from + Math.floor((random.next() * span) / grain) * grain;
  return {
    event_type: isExposure ? 'choice.exposure' : random.one(EVENTS),
    time,
    user_id: random.chance(0.6) ? `u${person}` : null,
    device_id: random.chance(0.7) ? `d${person}` : null,
    session_id: random.chance(0.8) ? `s${person}.${Math.floor(time / sessionLength(person))}` : null,
    insert_id: `i${random.chance(0.03) ? random.whole(0, id) : id}`,
    event_properties: {
      ...(random.chance(0.8) ? { browser: random.one(BROWSERS) } : {}),
      ...(random.chance(0.8) ? { path: random.chance(0.1) ? '' : random.one(PATHS) } : {}),
      ...(random.chance(0.6) ? { n: random.one([random.whole(-5, 20), random.whole(0, 1000) / 8, 0]) } : {}),
      ...(isExposure ? { choice_key: random.one(['k', 'k', 'other']), variant_key: random.one(VARIANTS) } : {}),
    },
  };
}
