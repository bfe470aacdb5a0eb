import { IncomingMessage, ServerResponse } from 'node:http';
import net from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { AppError, type ErrorData } from '../../../lib/base/errors.ts';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { compileQuery } from '../../../lib/dsl/compile.ts';
import { Deadline } from '../../../lib/router/http/deadline.ts';
import { EventLoopTurns } from '../../../lib/router/limits/event-loop-turns.ts';
import { isReadHere, type ReadBy, readQueryOf } from '../../../lib/router/query/read-query.ts';
import { query } from '../../properties/queries.ts';
import { runs } from '../../properties/settings.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { jsonOf, startTestService, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

/** A pattern of each place where the language takes a condition, of each source. */
const WHERE_PATTERNS_STAND = [
  'signup | where event_type ~ "^s"',
  '* | where event_type !~ "(?i)S|T" | count by day',
  '* | where event_type = "signup" and event_type ~ "up$"',
  'user "u" | where _os ~ "x" | list',
  'users | where user.plan ~ "p" | count by user.plan',
  'sessions | where session.country ~ "D" | by day',
  'funnel signup[event_type ~ "s"] -> buy[event_properties.plan !~ "^p"] | where _os ~ "L"',
  'retention signup returning any | where event_type ~ "s"',
  'paths from signup | where _path ~ "^/"',
  'paths to buy | where not (_path ~ "^/" or _os ~ "y")',
  'lifecycle signup | where event_type ~ "s"',
  'stickiness signup | where event_type ~ "s"',
  'formula count(signup) / count(buy) | where _os ~ "a" | by day',
  'inspect signup | where event_type ~ "s"',
  'inspect * | where event_type ~ "s"',
  'fields | where event_type ~ "s"',
  'choice "k" | where event_type ~ "c"',
  'choice "k" | results buy | where _os ~ "L"',
  'signup | latest event_properties.plan per user_id | where last_value ~ "p" or entity ~ "u" | count',
  '* | where event_properties.plan ~ 404 | all | count',
  '* | where event_type ~ "("',
  '* | where plann ~ "a"',
  `* | where event_type ~ "${'a'.repeat(1_001)}"`,
];

const EVENTS = ['signup', 'buy'].map((event_type) => ({
  event_type,
  user_id: 'u',
  event_properties: { plan: 'pro' },
}));

describe('reading queries', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
    await test.post('/track', { events: EVENTS });
  });

  describe('with regular expressions', () => {
    it('compiles none on the thread of requests: not of queries of any kind, of wrong ones, nor of dashboards', async () => {
      const own = await startTestService();
      await own.post('/track', { events: EVENTS });
      const compile = RE2JS.compile.bind(RE2JS);
      const compiled: string[] = [];
      RE2JS.compile = (...given: Parameters<typeof compile>) => {
        compiled.push(given[0]);
        return compile(...given);
      };
      try {
        const generated = fc.sample(query, runs(120));
        expect(generated.filter((q) => q.includes('~'))).not.to.have.length(0);
        for (const [nth, q] of [...WHERE_PATTERNS_STAND, ...generated].entries()) {
          const { status } = await own.post('/query', { q, explain: nth % 3 === 0 });
          expect(status, q).to.be.oneOf([200, 400]);
        }
        const card = { title: 'T', kind: 'series', query: 'signup | where event_type ~ "s" | count by day' };
        const yaml = JSON.stringify({ version: 1, id: 'p', title: 'D', sections: [{ cards: [card] }] });
        const put = { method: 'PUT', headers: { 'X-API-Key': own.keys.secretKey }, body: yaml };
        const { status } = await fetch(`${own.url}/dashboards/p`, put);
        expect(status, 'a dashboard').to.be.oneOf([200, 201, 400]);
        expect(compiled).to.deep.equal([]);
        compileQuery('* | where event_type ~ "s"', { now: 0, timezone: { project: 'UTC' }, limit: 1, offset: 0 });
        expect(compiled, 'those of this thread are counted').to.have.length(1);
      } finally {
        RE2JS.compile = compile;
        await own.stop();
      }
    });

    it('answers the same as anywhere, and tells the same of mistakes, with what the project has', async () => {
      expect(await test.rows('signup | where event_type ~ "^sign" | count')).to.deep.equal([{ count: 1 }]);
      expect(await test.rows('* | where event_properties.plan ~ "^p" | all | count')).to.deep.equal([{ count: 2 }]);
      const wrong = '* | where event_type ~ "(" | count';
      const { message, ...rest } = mistakeOf(wrong);
      expect(await errorOf(test, wrong)).to.deep.equal({ ...rest, error: message, status: 400 });
      const unknown = await errorOf(test, '* | where plan ~ "a"');
      expect(unknown['error']).to.include('there is `event_properties.plan`');
      expect(unknown['position']).to.equal(10);
    });

    it('explains how a query was read', async () => {
      const explained = await jsonOf(
        await test.post('/query', { q: 'signup | where event_type ~ "s"', explain: true }),
      );
      expect(explained).to.include.keys('tree', 'plan', 'passes', 'parts', 'times', 'rows_scanned', 'notes');
    });

    it('refuses a new one of more than 1,000 characters at its place, with what to do', async () => {
      const q = `* | where event_type ~ "${'😀'.repeat(1_000)}" and event_type ~ "${'a'.repeat(1_001)}" | count`;
      const { position, error } = await errorOf(test, q);
      expect(position).to.equal(q.indexOf('"aaa'));
      expect(error).to.include('it has 1,001 characters and the limit is 1,000; join several shorter ones with `or`');
      expect(await test.rows(`* | where event_type ~ "${'a'.repeat(1_000)}" | count`)).to.deep.equal([{ count: 0 }]);
    });

    it('runs a longer one that a stored dashboard of the project has, in its text or as an option, and no other', async () => {
      const own = await test.another();
      const [inText, asOption, other] = ['t', 'o', 'x'].map((letter) => `signup|\\d|"${letter.repeat(1_200)}`);
      const written = JSON.stringify(inText);
      const checked = JSON.stringify({ template: [{ text: `* | where event_type ~ ${written}` }], value: asOption });
      await store(own, checked);
      const ask = (pattern: string): Promise<unknown> => statusOf(own, `* | where event_type ~ ${JSON.stringify(pattern)} | count`); // prettier-ignore
      expect(await ask(inText!)).to.equal(200);
      expect(await ask(asOption!)).to.equal(200);
      expect(await ask(other!)).to.equal(400);
      expect(
        await statusOf(own, `* | where event_type ~ ${written} or event_type ~ ${JSON.stringify(other)}`),
      ).to.equal(400);
      expect(await statusOf(test, `* | where event_type ~ ${written}`), 'another project').to.equal(400);
    });

    it('of names that are too long to be stored answers empty, without running them over the name', async () => {
      const many = (times: number): string => `event_type ~ "(?:a[ab]?[bc]?[ca]?){${times}}[xy]"`;
      const name = 'a'.repeat(12_000);
      const conditions = [1_000, 999, 998].map(many).join(' or ');
      expect(await test.rows(`"${name}" | where ${conditions} | count`)).to.deep.equal([{ count: 0 }]);
      expect(await test.rows(`* | where event_type = "${name}" and (${conditions}) | count`)).to.deep.equal([
        { count: 0 },
      ]);
    });
  });

  it('ends with the deadline, whatever the thread does', async () => {
    const patterns = Array.from({ length: 13 }, (_, nth) => `_os ~ "(?i)${'\\\\W|'.repeat(300)}${nth}"`);
    const slow = queryOf('a', `* | where ${patterns.join(' or ')}`, 1);
    expect(await readQueryOf(contextOf(), slow).catch(String)).to.include('did not finish within');
    slow.deadline.end();
  });

  describe('in turns', () => {
    const long = `* | where _os in (${'1,'.repeat(1_100)}2)`;
    const pattern = '* | where _os ~ "a{1000}"';

    it('is for those that are long or have a regular expression', () => {
      for (const q of ['*', '* | where _os = "é" | count', 'a'.repeat(2_048)]) expect(isReadHere(q), q).to.equal(true);
      const dates = `* | where ${Array.from({ length: 9 }, (_, nth) => `time > "190${nth}-01-01"`).join(' or ')}`;
      for (const q of [long, pattern, '* | where _os !~ "a"', 'é'.repeat(1_025), '"\\u0031"', dates])
        expect(isReadHere(q), q).to.equal(false);
    });

    it('is done one after the other for an organization', async () => {
      const context = contextOf();
      const order: string[] = [];
      const queries = ([['a', long], ['a', pattern], ['a', '*'], ['a', long], ['b', '* | count']] as const) // prettier-ignore
        .map(([orgId, q], nth) => ({ by: queryOf(orgId, q), name: `${orgId}${nth}` }));
      await Promise.all(queries.map(({ by, name }) => readQueryOf(context, by).then(() => order.push(name))));
      expect(order).to.deep.equal(['a2', 'b4', 'a0', 'a1', 'a3']);
      for (const { by } of queries) by.deadline.end();
    });

    it('does not happen if nobody waits any longer', async () => {
      const context = contextOf();
      const [first, second] = [queryOf('a', long), queryOf('a', '* | where (~')];
      const held = Promise.withResolvers<void>();
      const running = context.reading.run(first.response!.req, 'a', () => held.promise);
      const left = readQueryOf(context, second).catch(String);
      second.response!.emit('close');
      expect(await left).to.include('disconnected');
      held.resolve();
      await running;
      expect(await readQueryOf(context, first)).to.include({ kind: 'read', explained: null });
      for (const { deadline } of [first, second]) deadline.end();
    });
  });
});

function contextOf() {
  const cohorts = { known: () => Promise.resolve({ names: [], conditions: new Map<string, string>() }) };
  const control = { dashboards: { contain: () => Promise.resolve(false) }, cohorts };
  return { reading: new EventLoopTurns('queries', monotonic, 0), store: new MemoryStore(), control };
}

function queryOf(orgId: string, q: string, timeoutMs = 60_000): ReadBy {
  const response = new ServerResponse(new IncomingMessage(new net.Socket()));
  const paging = { limit: 100, offset: 0, cursor: null, timezone: null } as const;
  const wanted = { q, format: 'llm', ...paging, envelope: false, explain: false, notes: [] } as const;
  const settings = {
    timezone: 'UTC',
    weekStart: 'monday',
    bots: 'keep',
    retentionDays: null,
    ipPolicy: 'full',
    personalProperties: [],
    eventsPerMonth: null,
  } as const;
  const named = { id: `prj_${orgId}`, orgId, weight: 1, name: 'P', publicKey: 'pk_', createdAt: 0 };
  const project = { ...named, settings, suspensions: [], retention: { next: null, last: null } };
  const deadline = new Deadline(monotonic(), timeoutMs, response);
  return { project, hashKey: null, seesProfiles: true, wanted, arrival: Date.now(), deadline, response };
}

/** Stores what an earlier version took as a dashboard. */
async function store({ folder, keys }: TestService, checked: string): Promise<void> {
  const control = await ControlDatabase.open(folder, { secret: null });
  const wanted = { projectId: keys.project.id, id: 'd', owner: null, title: 'D', order: null, yaml: '', checked };
  await control.dashboards.write(wanted, { name: 'test', ip: null });
  await control.close();
}

async function statusOf(test: TestService, q: string): Promise<number> {
  return (await test.post('/query', { q })).status;
}

async function errorOf(test: TestService, q: string): Promise<Record<string, unknown>> {
  const response = await test.post('/query', { q });
  return { ...(await jsonOf(response)), status: response.status };
}

function mistakeOf(q: string): ErrorData {
  try {
    compileQuery(q, { now: 0, timezone: { project: 'UTC' }, limit: 1, offset: 0 });
  } catch (error) {
    if (error instanceof AppError) return error.data;
  }
  throw new Error('it has no mistake');
}
