import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import { LATER_SOURCES, LATER_STAGES, OPERATOR_WORDS, SOURCES, STAGES } from '../../../lib/dsl/parse/keywords.ts';
import { CORE_FIELDS, FIXED_FIELDS } from '../../../lib/dsl/plan/fields.ts';
import { METRICS } from '../../../lib/dsl/plan/metrics.ts';
import { hash } from '../../oracle/hidden.ts';
import type { World } from '../../oracle/world.ts';
import { sameAnswer } from '../../properties/same-answer.ts';
import { compile, type CompiledPlans } from '../../support/compile.ts';
import { PLAIN, StoreSubject } from '../../support/store-subject.ts';
import { oracleSubject } from '../../support/subject.ts';

/** What becomes of an id where it stands: it is shown as a hash, it only tells rows apart, or the query is refused. */
type WithId = 'hash' | 'apart' | 'refused';

/** Queries with a field in place of F. */
type Places = readonly (readonly [query: string, withId: WithId])[];

/** No field stands there. */
const NOWHERE: Places = [];

const OF_SOURCES: Readonly<Record<(typeof SOURCES)[number] | (typeof LATER_SOURCES)[number], Places>> = {
  funnel: [
    ['funnel a[F exists] -> b', 'refused'],
    ['funnel a -> b[F exists]', 'refused'],
    ['funnel a -> b | by F', 'hash'],
  ],
  retention: [
    ['retention a returning b | by day, F', 'hash'],
    ['retention a returning b | sum F', 'refused'],
    ['retention first a | where F exists', 'refused'],
  ],
  paths: [['paths from a | by F', 'refused']],
  sessions: [
    ['sessions | by F', 'hash'],
    ['sessions | count, unique F', 'apart'],
    ['sessions | mode F', 'refused'],
    ['sessions | where F exists', 'refused'],
  ],
  attribution: [
    ['attribution b | by F', 'hash'],
    ['attribution b | by event_properties.open | sum F', 'refused'],
  ],
  lifecycle: [['lifecycle a | where F exists', 'refused']],
  stickiness: [['stickiness a | where F exists', 'refused']],
  user: NOWHERE, // it is refused itself
  users: NOWHERE, // its fields are others: OF_PROFILES
  fields: [['fields | where F exists', 'refused']],
  inspect: [['inspect a | where F exists', 'refused']],
  formula: [
    ['formula count(a) / count(b) by F', 'hash'],
    ['formula unique(a, F) / 2', 'apart'],
    ['formula sum(a, F)', 'refused'],
    ['formula count(a[F exists])', 'refused'],
  ],
  choice: [
    ['choice "k" | count by F', 'hash'],
    ['choice "k" | where F exists', 'refused'],
    ['choice "k" | results b | by F', 'hash'],
  ],
};

const OF_STAGES: Readonly<Record<(typeof STAGES)[number] | (typeof LATER_STAGES)[number], Places>> = {
  where: [
    ['* | where F = "x" | count', 'refused'],
    ['* | where not F exists | count', 'refused'],
    ['* | where F in ("x", "y") or event_properties.open = 1 | count', 'refused'],
    ['* | where did(a[F exists]) | count', 'refused'],
    ['* | where not did(a[event_properties.open = 1 or F != "x"]) >= 2 in all | count', 'refused'],
  ],
  by: [
    ['* | count by F', 'hash'],
    ['* | count, sum event_properties.open by day, F', 'hash'],
    ['* | count by F bin 10', 'refused'],
    ['* | count by each F', 'refused'],
  ],
  list: [['* | list time, F', 'hash']],
  latest: [
    ['* | latest F per event_properties.open', 'hash'],
    ['* | latest event_properties.open per F', 'hash'],
    ['* | latest F per event_properties.open | count by last_value', 'hash'],
    ['* | latest event_properties.open per F | count by entity', 'hash'],
    ['* | latest F per event_properties.open | unique last_value', 'apart'],
    ['* | latest F per event_properties.open | max last_value', 'refused'],
    ['* | latest event_properties.open per F | mode entity', 'refused'],
    ['* | latest F per event_properties.open | where last_value = "x"', 'refused'],
    ['* | latest event_properties.open per F | where entity exists', 'refused'],
    ['* | latest F per event_properties.open | sort last_value', 'refused'],
    ['* | latest event_properties.open per F | having entity exists', 'refused'],
  ],
  sort: [
    ['* | count by F | sort count', 'hash'],
    ['* | count by F | sort F', 'refused'],
    ['* | list time, F | sort F desc', 'refused'],
    ['* | list time | sort (event_properties.open * F) desc', 'refused'],
  ],
  top: [['* | count by F | top 2', 'hash']],
  limit: [['* | count by F | limit 2', 'hash']],
  offset: [['* | count by F | offset 1 | limit 2', 'hash']],
  unit: [
    ['funnel a -> b | unit F', 'apart'],
    ['choice "k" | results b | unit F', 'apart'],
  ],
  model: [['attribution b | by F | model first', 'hash']],
  same: [['funnel a -> b | same F', 'apart']],
  having: [
    ['* | count by F | having count > 0', 'hash'],
    ['* | count by F | having F = "x"', 'refused'],
    ['* | list time, F | having F exists', 'refused'],
  ],
  share: [['* | count by F | share', 'hash']],
  compare: [['* | count by F | today | compare previous', 'hash']],
  rolling: [['* | count by day, F | rolling 2d', 'hash']],
  cumulative: [['* | count by day, F | cumulative', 'hash']],
  results: [
    ['choice "k" | results sum F of b', 'refused'],
    ['choice "k" | results avg F', 'refused'],
  ],
  as: [['* | unique F as persons', 'apart']],
  ...{ last: NOWHERE, from: NOWHERE, since: NOWHERE, all: NOWHERE, today: NOWHERE, yesterday: NOWHERE, this: NOWHERE },
  ...{ window: NOWHERE, depth: NOWHERE, tz: NOWHERE, periods: NOWHERE, unbounded: NOWHERE },
  ...{ order: NOWHERE, weeks: NOWHERE, with: NOWHERE },
  people: [['* | where F exists | people', 'refused']],
};

const takesText = (word: string): boolean => ['contains', 'starts with', 'ends with', 'has'].includes(word);

const ELSEWHERE: Places = [
  // Every operator, and every metric.
  ...OPERATOR_WORDS.flatMap((word): Places =>
    takesText(word) ? [[`* | where F ${word} "x" | count`, 'refused']] : [],
  ),
  ...['=', '!=', '<', '>=', '~', '!~'].map((sign) => [`* | where F ${sign} "x" | count`, 'refused'] as const),
  ...METRICS.filter((word) => word !== 'count').map(
    (word) => [`* | ${word} F by event_type`, word === 'unique' ? 'apart' : 'refused'] as const,
  ),
  ['* | p90 F', 'refused'],
  ['* | count[F exists]', 'refused'],
  ['* | max of count per F', 'apart'],
  ['* | max of unique F per event_type', 'apart'],
  ['* | avg of max F per event_type', 'refused'],
  ['* | max of count[F exists] per event_type', 'refused'],
  ['* | sum (F * 2)', 'refused'],
  ['* | count by (F + 1) bin 10', 'refused'],
  ['* | where (F * 2) > 1 | count', 'refused'],
];

const OF_PROFILES: Places = [
  ['users | count by F', 'hash'],
  ['users | list F', 'hash'],
  ['users | list user.open, F | limit 2', 'hash'],
  ['users | unique F', 'apart'],
  ['users | max of count per F', 'apart'],
  ['users | max F', 'refused'],
  ['users | where F exists', 'refused'],
  ['users | count by F | sort F', 'refused'],
  ['users | count by F | having F exists', 'refused'],
  ['users | where did(a[F exists])', 'refused'],
];

const OF_EVENTS: Places = [...Object.values(OF_SOURCES).flat(), ...Object.values(OF_STAGES).flat(), ...ELSEWHERE];

const HIDES = { key: 'a key', personal: ['phone', 'cart.owner', '_city', 'utm_term', 'email_domain'] };

const PERSONAL = [
  ...[
    'user.email',
    'user.name',
    '_ip',
    '_ua',
    'event_properties.email',
    'user_properties.email',
    'user_properties.name',
  ],
  ...['event_properties.phone', 'user_properties.Phone', 'user.phone', 'user.phone.home', 'event_properties."PHONE"'],
  ...['event_properties.cart', 'event_properties.cart.owner', 'user.cart.owner.phone', 'user_properties.cart'],
  ...['_city', '_geo_city', 'session.city', 'user_last_session.city', 'session.utm_term', 'user.email_domain'],
];
const IDS = ['user_id', 'device_id', 'session_id', 'distinct_id', 'insert_id'];
const OPEN = [
  ...['event_properties.open', 'user_properties.open', 'user.open', 'event_properties.name', 'event_properties.phones'],
  ...['event_properties.cart.size', 'user.cart.owners'],
  ...[...FIXED_FIELDS.events.keys()].filter((name) => !PERSONAL.includes(name) && !IDS.includes(name)),
].filter((name) => name !== 'user_last_session.utm_term');

const NOW = Date.UTC(2026, 2, 10, 12);
const CONTEXT = { now: NOW, timezone: null, limit: 100, offset: 0, hides: HIDES };

/** In all that nobody may see. */
const SECRET = 'secret';

const at = (hour: number): string => new Date(NOW - hour * 3600_000).toISOString();
const PROPERTIES = { email: `${SECRET}@e`, phone: SECRET, Phone: [SECRET], open: 1 };
const SENT = {
  email: `${SECRET}@e`,
  name: SECRET,
  phone: { home: SECRET },
  cart: { owner: SECRET, owners: 2 },
  open: 'x',
};

function event(nth: number, type: string) {
  const ids = {
    ...{ device_id: `${SECRET}-d${nth % 3}`, session_id: `${SECRET}-s${nth % 4}`, insert_id: `${SECRET}-i${nth}` },
    ...(nth % 4 === 0 ? {} : { user_id: `${SECRET}-u${nth % 2}` }),
  };
  const cart = { owner: { phone: SECRET }, size: nth };
  const choice = { choice_key: 'k', variant_key: nth % 2 === 0 ? 'control' : 'b' };
  const event_properties = { ...PROPERTIES, cart, utm_term: SECRET, ...choice };
  return { event_type: type, timestamp: at(nth), ...ids, event_properties, user_properties: SENT };
}

const WORLD: World = [
  { at: NOW - 20 * 3600_000, identify: { user_id: `${SECRET}-u1`, device_id: `${SECRET}-d1`, user_properties: SENT } },
  { at: NOW - 20 * 3600_000, identify: { user_id: `${SECRET}-u9`, user_properties: SENT } },
  {
    at: NOW - 3600_000,
    track: Array.from({ length: 12 }, (_, nth) => event(nth + 1, ['a', 'b', 'choice.exposure'][nth % 3]!)),
  },
];

const HASHES = new Set(
  WORLD.flatMap((request) => JSON.stringify(request).match(/secret-\w+/g) ?? []).map((id) => hash(id, HIDES.key)),
);

const filled = (query: string, field: string): string => query.replaceAll('F', field);

/** The message that refuses a query; null: it is answered. */
function refusal(query: string): string | null {
  try {
    compile(query, CONTEXT, WORLD);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

describe('queries of who sees no personal data', () => {
  const oracle = oracleSubject();
  let store: StoreSubject;
  before(async () => {
    store = new StoreSubject(PLAIN);
    await Promise.all([store.load(WORLD), oracle.load(WORLD)]);
  });
  after(() => store.close());

  /** The same rows by the engine and the oracle, with no secret in them. */
  async function answered(query: string): Promise<string> {
    const plans: CompiledPlans = compile(query, CONTEXT, WORLD);
    const [own, expected] = await Promise.all([store.query(plans), oracle.query(plans)]);
    expect(sameAnswer(own, expected), `${query}\n${JSON.stringify(own)}\n${JSON.stringify(expected)}`).to.equal(true);
    const text = JSON.stringify(own);
    expect(text, query).to.not.include(SECRET);
    return text;
  }

  it('decide for every source, stage and core field', () => {
    expect(Object.keys(OF_SOURCES)).to.have.members([...SOURCES, ...LATER_SOURCES]);
    expect(Object.keys(OF_STAGES)).to.have.members([...STAGES, ...LATER_STAGES]);
    expect(CORE_FIELDS.filter((name) => !IDS.includes(name))).to.deep.equal(['event_type', 'time']);
  });

  for (const [query, withId] of OF_EVENTS) {
    it(`\`${query}\`: ids are ${withId === 'refused' ? withId : withId === 'hash' ? 'hashes' : 'told apart'}`, async () => {
      for (const field of PERSONAL) {
        const error = refusal(filled(query, field)) ?? '';
        expect(error, filled(query, field)).to.match(/is personal, and this token sees none|another column than/);
      }
      for (const field of IDS) {
        const asked = filled(query, field);
        if (withId === 'refused') {
          expect(refusal(asked) ?? '', asked).to.include('ids only as hashes');
          continue;
        }
        const text = await answered(asked);
        const shown = text.match(/h_[0-9a-f]+/g) ?? [];
        for (const one of shown) expect(HASHES.has(one), `${asked}: ${one}`).to.equal(true);
        if (withId === 'apart') expect(shown, asked).to.deep.equal([]);
        else expect(shown, asked).to.not.deep.equal([]);
      }
      for (const field of OPEN) {
        expect(refusal(filled(query, field)) ?? '', filled(query, field)).to.not.match(/personal|hashes/);
      }
    }).timeout(60_000);
  }

  for (const [query, withId] of OF_PROFILES) {
    it(`\`${query}\`: ids are ${withId === 'refused' ? withId : 'hashes, or told apart'}`, async () => {
      const isOfEvents = query.includes('did(');
      for (const field of isOfEvents ? PERSONAL : ['email', 'user.email', 'email_domain', 'user.name', 'user.phone'])
        expect(refusal(filled(query, field)) ?? '', field).to.include('is personal, and this token sees none');
      if (withId === 'refused') expect(refusal(filled(query, 'user_id'))).to.include('ids only as hashes');
      else await answered(filled(query, 'user_id'));
      for (const field of ['first_seen', 'user.open'])
        expect(refusal(filled(query, field)) ?? '', field).to.not.match(/personal|hashes/);
    });
  }

  for (const query of ['* | list', 'users', 'inspect a', 'inspect *', 'fields', 'users | list user.open, first_seen'])
    it(`\`${query}\` shows nothing of anybody`, () => answered(query));

  for (const column of ['_ip', 'event_properties', 'user_properties', 'distinct_id']) {
    it(`rows are neither sorted nor chosen by ${column}`, () => {
      for (const stage of [`sort ${column}`, `having ${column} exists`])
        expect(refusal(`* | list | ${stage}`)).to.include('another column than');
    });
  }

  it('no single user is asked for', () => {
    for (const query of ['user "a"', 'user "a" | count', 'user "a" | latest event_properties.open per event_type'])
      expect(refusal(query)).to.include('it asks for no single user');
  });
});
