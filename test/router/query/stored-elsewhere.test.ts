import { monotonic } from '../../../lib/base/monotonic.ts';
import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import { compileTree, parseQuery, readsAll } from '../../../lib/dsl/compile.ts';
import { askedMetrics } from '../../../lib/dsl/plan/columns.ts';
import { formatPage } from '../../../lib/dsl/format/page.ts';
import { notesOfResult, type Known } from '../../../lib/dsl/hints/notes.ts';
import { withSuggestions } from '../../../lib/dsl/hints/suggest.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { silentLog } from '../../../lib/base/log.ts';
import type { ProjectRef } from '../../../lib/base/project.ts';
import { storedElsewhere, wantsMore } from '../../../lib/router/query/stored-elsewhere.ts';
import { openStore } from '../../../lib/server/open-store.ts';
import type { EventStore, PageResult } from '../../../lib/store/event-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 10, 20, 18);
const TENANT = { orgId: 'org_test', weight: 1 };
const OLD: ProjectRef = { id: 'prj_old', ...TENANT, retentionDays: null, ipPolicy: 'none' };
const NEW: ProjectRef = { id: 'prj_new', ...TENANT, retentionDays: null, ipPolicy: 'none' };
const PENDING: ProjectRef = { id: 'prj_pending', ...TENANT, retentionDays: null, ipPolicy: 'none' };

const CHOICE: ProjectRef = { id: 'prj_choice', ...TENANT, retentionDays: null, ipPolicy: 'none' };

const PRICES: ProjectRef = { id: 'prj_prices', ...TENANT, retentionDays: null, ipPolicy: 'none' };
const SHARED: ProjectRef = { id: 'prj_shared', ...TENANT, retentionDays: null, ipPolicy: 'none' };

describe('empty answers', () => {
  let store: EventStore;

  async function send(project: ProjectRef, kind: 'track' | 'identify', sent: unknown, receivedAt: number) {
    const body = new Uint8Array(Buffer.from(JSON.stringify(sent)));
    const context = { receivedAt, keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
    await store.append({ project, kind, context, body, encoding: 'identity' });
  }

  /** The rows of an answer, with plan and notes. */
  async function ask(q: string, project = OLD) {
    const tree = parseQuery(q);
    const extent = readsAll(tree) ? await store.extent(project) : null;
    const context = { now: NOW, timezone: { project: 'UTC' }, limit: 100, offset: 0, earliest: extent?.first ?? null };
    const { plan, notes } = compileTree(q, tree, context);
    const options = { deadline: monotonic() + 300_000 };
    const { table, ...rest } = await store.query(project, plan, options);
    const result = { ...rest, page: formatPage('json', table, plan.zone, askedMetrics(plan)) };
    const known = wantsMore(plan, result) ? await storedElsewhere(store, { project, plan, result }, options) : null;
    return { rows: table.rows, plan, notes: [...notes, ...notesOfResult(plan, result, known)] };
  }

  before(async () => {
    const folder = temporaryFolder();
    store = await openStore(readConfig({ WINDLASS_DATA: folder, WINDLASS_THREADS: '1' }), silentLog());
    const long = Date.UTC(2026, 0, 31, 12);
    const events = [
      { event_type: 'signup', user_id: 'ann', time: '2026-01-03T10:00:00Z' },
      { event_type: 'signup', user_id: 'ann', time: '2026-01-05T23:59:59.999Z' },
      { event_type: 'purchase', user_id: 'bob', session_id: 's', time: '2026-01-10T10:00:00Z' },
    ];
    await send(OLD, 'track', { events }, long);
    await ask('*'); // seals them: later events stay pending
    await send(OLD, 'track', { event_type: 'purchase', user_id: 'bob', time: '2026-01-02T10:00:00Z' }, long);
    await send(PENDING, 'track', { event_type: 'e', user_id: 'u', event_properties: { plan: 1, amount: 2 } }, NOW);
    const exposure = { choice_key: 'k', variant_key: 'a' };
    await send(CHOICE, 'track', { event_type: 'choice.exposure', user_id: 'u', event_properties: exposure }, long);
    await send(CHOICE, 'track', { ...events[2], time: NOW - 1_000 }, NOW);
    await send(PENDING, 'identify', { user_id: 'u', user_properties: { plan: 'pro' } }, NOW);
  });
  after(() => store.close());

  it('of all there is begin with the first event, sealed or not', async () => {
    expect(await store.extent(OLD)).to.deep.equal({
      rows: 4,
      first: Date.UTC(2026, 0, 2, 10),
      last: Date.UTC(2026, 0, 10, 10),
    });
    expect(await store.extent(NEW)).to.equal(null);
    const { rows, notes } = await ask('* | count by month | all');
    expect(rows[0]).to.deep.equal(['2026-01-01', 4]);
    expect(notes).to.deep.equal(['Partial month, cut by the range: 2026-11-01.']);
    expect((await ask('* | all', NEW)).plan.range.from).to.equal(NOW - 7 * 86_400_000);
  });

  it('of an event say how many there are, from when to when, and the range that shows them', async () => {
    const { notes } = await ask('signup');
    expect(notes).to.deep.equal([
      'No event "signup" in this range; 2 are stored at other times, from 2026-01-03T10:00:00.000Z to 2026-01-05T23:59:59.999Z: `from 2026-01-03 to 2026-01-06` shows them.',
    ]);
    expect((await ask('signup | from 2026-01-03 to 2026-01-06')).rows).to.deep.equal([[2]]);
    expect((await ask('formula count(signup) / count(sign_up)')).notes).to.have.length(2);
  });

  const ALL_OF_IT =
    'No event at all in this range; 4 are stored at other times, from 2026-01-02T10:00:00.000Z to 2026-01-10T10:00:00.000Z: `from 2026-01-02 to 2026-01-11` shows them.';
  for (const q of ['*', '* | list', 'inspect', 'fields', 'sessions', 'retention *', 'stickiness *', 'paths from *'])
    it(`of a project say the same: ${q}`, async () => {
      expect((await ask(`${q} | last 7d`)).notes).to.include(ALL_OF_IT);
      const notes = (await ask(`${q} | last 7d`, NEW)).notes.join();
      expect(notes).to.not.include('stored');
      expect(notes).to.include('The project has no events yet: send one with POST /track');
      expect((await ask(`${q} | from 2026-01-02 to 2026-01-11`)).notes.join()).to.not.include('stored');
    });

  it('say it whatever conditions on what persons did look at, and what these do not find', async () => {
    expect((await ask('* | where did(signup) in all | last 7d')).notes).to.include(ALL_OF_IT);
    const { notes } = await ask('* | where did(signpu[event_properties.nowhere = 1]) | from 2026-01-02 to 2026-01-11');
    expect(notes).to.deep.equal([
      'No event "signpu" where `did` looks for it; the nearest known event is "signup".',
      '`event_properties.nowhere` has no value where `did` looks for it.',
    ]);
  });

  it('say it of inspect e, of an unknown event, of users and of one user', async () => {
    expect((await ask('inspect signup')).notes.join()).to.include('2 are stored at other times');
    expect((await ask('signpu')).notes).to.deep.equal([
      'No event "signpu" in this range; the nearest known event is "signup".',
      ALL_OF_IT,
    ]);
    expect((await ask('users')).notes).to.deep.equal([
      'No user was last seen in this range; 2 are stored at other times, from 2026-01-05T23:59:59.999Z to 2026-01-10T10:00:00.000Z: `from 2026-01-05 to 2026-01-11` shows them.',
    ]);
    expect((await ask('user "ann" | from 2026-01-06 to 2026-01-12')).notes.join()).to.include(
      'No event of the user "ann" in this range; 2 are stored at other times',
    );
  });

  it('tell of events without a session_id, also of the fields of their sessions', async () => {
    const note = 'No event of this range has a `session_id`, by which sessions are formed.';
    expect((await ask('signup | count by session.utm_source | from 2026-01-02 to 2026-01-06')).notes).to.include(note);
    expect((await ask('signup | count by session.utm_source | from 2026-01-02 to 2026-01-12')).notes).to.deep.equal([]);
  });

  it('tell how many values of a metric spell no number, with one of them', async () => {
    const price = (value: unknown, event_type = 'purchase', user_id = 'u') => {
      return { event_type, user_id, time: NOW - 60_000, event_properties: { price: value, plan: 'pro' }, user_properties: { mrr: value } }; // prettier-ignore
    };
    const texts = ['1,234.50', '$19.99', '1,234.50', '20', 5, '', null, true].map((value) => price(value));
    await send(PRICES, 'track', { events: [...texts, price('x'.repeat(80), 'refund', 'v'), price(7, 'fee')] }, NOW);
    const left = (count: string, example: string, field = 'event_properties.price'): string =>
      `${count} of \`${field}\` spell no number and are left out, such as "${example}".`;
    expect((await ask('purchase | sum event_properties.price', PRICES)).notes).to.deep.equal([
      left('4 values', '1,234.50'),
    ]);
    expect((await ask('* | max event_properties.price by event_type', PRICES)).notes).to.deep.equal([
      left('5 values', '1,234.50'),
    ]);
    expect((await ask('purchase | avg event_properties.price | where event_properties.price != "1,234.50"', PRICES)).notes)
      .to.deep.equal([left('2 values', '$19.99')]); // prettier-ignore
    expect((await ask('refund | sum event_properties.price', PRICES)).notes).to.deep.equal([
      `1 value of \`event_properties.price\` spells no number and is left out, such as "${'x'.repeat(59)}…".`,
    ]);
    expect((await ask('formula sum(purchase, event_properties.price) / count(fee)', PRICES)).notes).to.deep.equal([
      left('4 values', '1,234.50'),
    ]);
    const credit = await ask('attribution purchase | by event_properties.plan | sum event_properties.price', PRICES);
    expect(credit.notes).to.deep.equal([left('4 values', '1,234.50')]);
    expect((await ask('users | sum user.mrr', PRICES)).notes.join()).to.include('`user.mrr` spells no number');
    expect((await ask('purchase | sum event_properties.price by day | rolling 7d | last 2d', PRICES)).notes).to.include(
      left('4 values', '1,234.50'),
    );
    expect((await ask('users | sum user.mrr by day | cumulative | last 2d', PRICES)).notes.join()).to.include(
      '`user.mrr` spells no number',
    );
    const latest = await ask('* | latest event_properties.price per event_type | sum last_value', PRICES);
    expect(latest.notes.join()).to.include('2 values of `event_properties.price` spell no number');
    for (const q of ['fee | sum event_properties.price', 'purchase | count, unique event_properties.price', 'purchase | mode event_properties.price'])
      expect((await ask(q, PRICES)).notes, q).to.deep.equal([]); // prettier-ignore
  });

  it('tell of a metric without any value which events have the field', async () => {
    const paid = { event_type: 'paid', user_id: 'u', time: NOW - 60_000, event_properties: { cents: 5 } };
    await send(PRICES, 'track', { events: [paid, paid, { ...paid, event_type: 'fee' }] }, NOW);
    expect((await ask('refund | sum event_properties.cents by event_type', PRICES)).notes).to.deep.equal([
      '`event_properties.cents` has no value in these rows; of the events of this range, these have it: "paid" (2), "fee" (1).',
    ]);
    expect(
      (await ask('formula sum(refund, (event_properties.cents / 100)) by event_type', PRICES)).notes,
    ).to.deep.equal([
      '`event_properties.cents` has no value in these rows; of the events of this range, these have it: "paid" (2), "fee" (1).',
    ]);
    expect((await ask('* | sum event_properties.cents', PRICES)).notes).to.deep.equal([]);
    expect((await ask('paid | avg (event_properties.cents / 0)', PRICES)).notes).to.deep.equal([]);
    expect(
      (await ask('purchase | sum event_properties.price[event_properties.price contains "$"]', PRICES)).notes.join(),
    ).to.include('spells no number and is left out, such as "$19.99"');
  });

  it('tell how many sessions have events of several devices', async () => {
    const at = (minute: number): string => new Date(NOW - (100 - minute) * 60_000).toISOString();
    const sent = (session_id: string, device_id: string | null, minute: number) => {
      return { event_type: 'e', session_id, time: at(minute), ...(device_id === null ? {} : { device_id }) };
    };
    const first = [sent('ga', 'd1', 1), sent('ga', 'd2', 2), sent('ga', 'd1', 3), sent('own', 'd1', 4)];
    const second = [sent('own', 'd1', 5), sent('own', null, 6), sent('late', 'd1', 7), sent('gb', 'd3', 8)];
    const third = [sent('late', 'd2', 9), sent('gb', 'd3', 10), sent('gb', 'd4', 11)];
    for (const events of [first, second, third]) {
      await send(SHARED, 'track', { events }, NOW);
      await ask('*', SHARED); // a segment each
    }
    const note = (count: string): string =>
      `${count} events of several devices: where an id is unique for its device only (\`ga_session_id\`), send it together with the device id.`;
    expect((await ask('sessions | count', SHARED)).notes).to.deep.equal([note('3 sessions have')]);
    expect((await ask('sessions | count | where device_id != "d2"', SHARED)).notes).to.deep.equal([
      note('1 session has'),
    ]);
    expect((await ask(`sessions | count | from ${at(4)} to ${at(8)}`, SHARED)).notes).to.deep.equal([
      note('1 session has'),
    ]);
  });

  it('say it of sessions where the range has events without any, unless a condition hides them', async () => {
    expect((await ask('sessions | count | from 2026-01-02 to 2026-01-06')).notes).to.deep.equal([
      'No session in this range; 1 is stored at other times, from 2026-01-10T10:00:00.000Z to 2026-01-10T10:00:00.000Z: `from 2026-01-10 to 2026-01-11` shows it.',
      'No event of this range has a `session_id`, by which sessions are formed.',
    ]);
    expect(
      (await ask('sessions | count | where session.event_count > 9 | from 2026-01-02 to 2026-01-12')).notes,
    ).to.deep.equal(['3 of 4 events have no `session_id` and are in no session.']);
  });

  it('do not deny sessions that only have no value to show', async () => {
    const { rows, notes } = await ask('sessions | sum session.utm_source | from 2026-01-02 to 2026-01-12');
    expect([rows, notes.join()]).to.satisfy(([values, said]: [unknown[][], string]) => values[0]![0] === null && !said.includes('No session')); // prettier-ignore
  });

  it('of one user tell of nobody else', async () => {
    expect((await ask('user "ann" | last 7d')).notes.join()).to.include(
      'No event of the user "ann" in this range; 2 are',
    );
    expect((await ask('user "zz" | last 7d')).notes).to.deep.equal([]);
    for (const q of ['where event_type = "x" | count', 'sum event_properties.none', 'offset 5'])
      expect((await ask(`user "ann" | ${q} | from 2026-01-03 to 2026-01-06`)).notes.join(), q).to.not.include('other times'); // prettier-ignore
  });

  it('of a choice that nobody saw name the nearest, and of one seen at other times say when', async () => {
    const project: ProjectRef = { id: 'prj_choices', ...TENANT, retentionDays: null, ipPolicy: 'none' };
    const seen = (choice_key: string, day: number) => ({
      ...{ event_type: 'choice.exposure', user_id: 'u', time: Date.UTC(2026, 0, day, 12) },
      event_properties: { choice_key, variant_key: 'a' },
    });
    await send(project, 'track', { events: [seen('checkout', 10), seen('checkout', 11), seen('old', 2)] }, NOW);
    for (const rest of ['', ' | count', ' | results buy', ' | where variant_key = "a"']) {
      const notes = async (key: string): Promise<string | undefined> =>
        (await ask(`choice ${key}${rest} | from 2026-01-05 to 2026-01-20`, project)).notes.find((note) => note.includes('choice "'));
      expect(await notes('chekout'), rest).to.equal('No exposure of the choice "chekout"; the nearest known is "checkout".');
      expect(await notes('zzzzzzzzz'), rest).to.equal('No exposure of the choice "zzzzzzzzz".');
      expect(await notes('old'), rest).to.match(/^No exposure of the choice "old" in this range; 1 is stored .*from 2026-01-02 to 2026-01-03/);
      expect(await notes('checkout'), rest).to.equal(undefined);
    }
    const unlike = 'choice checkout | where variant_key = "b" | from 2026-01-05 to 2026-01-20';
    expect((await ask(unlike, project)).notes).to.deep.equal([]);
  }); // prettier-ignore

  it('of a choice tell of its exposures', async () => {
    for (const q of ['choice k', 'choice k | results purchase | from 2026-01-10 to 2026-01-11'])
      expect((await ask(q, CHOICE)).notes.join(), q).to.include(
        'No event "choice.exposure" in this range; 1 is stored',
      );
  });

  it('of a lifecycle tell of what its first bucket lacks, too', async () => {
    const { rows, notes } = await ask('lifecycle signup | by month | from 2026-01-20 to 2026-01-27');
    expect(rows).to.deep.equal([['2026-01-01', 1, 0, 0, 0]]);
    expect(notes).to.deep.equal(['Partial month, cut by the range: 2026-01-01.']);
  });

  it('propose no field that the source does not take', async () => {
    expect((await ask('users | where user.amount = "x" | from 2026-11-01 to 2026-11-30', PENDING)).notes).to.deep.equal(
      ['`user.amount` has no value in this range.'],
    );
  });

  it('are not told where a condition, not the range, lets nothing through', async () => {
    expect((await ask('signup | where user_id = "x" | from 2026-01-03 to 2026-01-06')).notes).to.deep.equal([]);
  });

  it('of a misspelt name propose what only waiting events and profiles have', async () => {
    const wrong = async (q: string): Promise<readonly string[]> => {
      try {
        compileTree(q, parseQuery(q), { now: NOW, timezone: { project: 'UTC' }, limit: 100, offset: 0 });
      } catch (error) {
        if (error instanceof AppError) return withSuggestions(error, await store.catalog(PENDING)).data.hints ?? [];
        throw error;
      }
      return [];
    };
    expect(await wrong('users | count by plan')).to.deep.equal(['there is `user.plan`']);
    expect(await wrong('* | count by plan')).to.deep.equal([
      'there is `event_properties.plan`',
      'there is `user.plan`',
    ]);
  });

  it('bring the spans of stored events with them, from which the notes are the same as from queries', async () => {
    const q = 'formula count(signup) / count(purchase) + count(nothing) | last 7d';
    const { plan } = compileTree(q, parseQuery(q), {
      now: NOW,
      timezone: { project: 'UTC' },
      limit: 100,
      offset: 0,
    });
    const options = { deadline: monotonic() + 300_000 };
    const result = await store.answer(OLD, plan, { format: 'json', ...options });
    const asked = (spans: PageResult['spans']): Promise<Known> =>
      storedElsewhere(store, { project: OLD, plan, result: { ...result, spans: spans ?? [] } }, options);
    const { elsewhere } = await asked(result.spans);
    expect(elsewhere.map(({ of, rows }) => [of, rows])).to.deep.equal([
      [{ kind: 'event', name: 'signup' }, 2],
      [{ kind: 'event', name: 'purchase' }, 2],
    ]);
    expect(result.spans).to.have.length(2);
    expect(await asked([])).to.deep.equal(await asked(result.spans));
    expect(await asked([{ name: 'signup', rows: 7, first: 1, last: 2 }])).to.not.deep.equal(await asked([]));
  });

  it('bring the names in the project with them, as the catalog has them; others do not', async () => {
    const answer = async (q: string): Promise<PageResult> => {
      const { plan } = compileTree(q, parseQuery(q), {
        now: NOW + 1,
        timezone: { project: 'UTC' },
        limit: 100,
        offset: 0,
      });
      return store.answer(PENDING, plan, { format: 'json', deadline: monotonic() + 300_000 });
    };
    const names = {
      events: [{ name: 'e', rows: 1 }],
      fields: ['event_properties.plan', 'event_properties.amount', 'user.plan'],
    };
    expect((await answer('nothing | count | last 7d')).names).to.deep.equal(names);
    expect((await answer('* | count by event_properties.nowhere | last 7d')).names).to.deep.equal(names);
    expect(await store.catalog(PENDING)).to.deep.equal(names);
    expect((await answer('e | count by event_properties.plan | last 7d')).names).to.equal(null);
  });
});
