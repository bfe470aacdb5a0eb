import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { ask, at, fill, type Line, lines, linesOf, paged } from '../../support/exports.ts';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const BY = { name: 'test', ip: null };

const ndjson = { 'Content-Type': 'application/x-ndjson' };

/** Stores lines of an export as an import does. */
async function take(test: TestService, all: readonly Line[]): Promise<void> {
  const events = all.filter(({ type }) => type === undefined);
  const identifies = all.filter(({ type }) => type === 'identify');
  expect(events.length + identifies.length).to.equal(all.length);
  const body = (of: readonly Line[]): string => of.map((line) => `${JSON.stringify(line)}\n`).join('');
  const tracked = await jsonOf(await test.post('/track?report=true', body(events), ndjson));
  expect(tracked).to.include({ accepted: events.length });
  expect(tracked['warnings'] ?? []).to.deep.equal([]);
  const bodies = identifies.map(({ type: _type, ...rest }) => rest);
  for (const one of bodies) expect((await test.post('/identify', one)).status).to.equal(200);
}

const QUESTIONS = [
  '* | list',
  '* | count, unique by event_type',
  '* | count by distinct_id, user.plan',
  'users | from "2026-01-01"',
  'users | from "2026-01-01" | count by user.plan',
  'sessions | from "2026-01-01" | by distinct_id',
  '* | sum event_properties.price, mode event_properties.digits, count by event_properties.tags',
  '* | count by _browser, _os, _country, _path_clean, _library, _ingest_origin',
  'funnel view -> signup',
  'retention view returning any | by day',
  '* | latest user_properties.plan per user_id',
  'fields',
  'inspect *',
];

async function answersOf(test: TestService): Promise<unknown> {
  const dated = (q: string): string => (q.includes('from') ? q : `${q} | from "2026-01-01" to "2026-01-20"`);
  const answers = QUESTIONS.map(async (q) => [q, await test.rows(dated(q))]);
  return Promise.all(answers);
}

describe('GET /export', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
    await fill(test);
  });

  it('has the events in order of time, as a server may send them', async () => {
    const response = await ask(test);
    expect(response.headers.get('content-type')).to.equal('application/x-ndjson');
    const events = linesOf(await response.text());
    expect(events.map(({ event_type: type, time }) => [type, time])).to.deep.equal([
      ['view', at(10)],
      ['view', at(10)],
      ['buy', at(20)],
      ['signup', at(30)],
      ['buy', at(40)],
      ['beat', at(50)],
    ]);
    expect(events[2]).to.deep.include({
      ...{ user_id: 'bob', _country: 'NO', _browser: 'Own', library: 'mylib', ip: '203.0.113.0' },
      event_properties: {
        ...{ price: 12, tags: ['a', 'b', null], deep: { x: [1, { y: 'z' }] }, none: null, yes: true },
        ...{ digits: '007', '=1+1': '=2' },
      },
    });
    expect(events[3]).to.include({ insert_id: 'mine', session_id: 's1' });
    expect(events[3]!['user_properties']).to.deep.equal({ plan: 'free', seats: 3 });
  });

  it('gives another project the same answers, to whom its lines are sent', async () => {
    const own = await test.another();
    await take(own, await lines(test, { kind: 'all' }));
    expect(await answersOf(own)).to.deep.equal(await answersOf(test));
    expect(await lines(own, { kind: 'all' })).to.deep.equal(await lines(test, { kind: 'all' }));
    await take(own, await lines(test, { kind: 'events' }));
    expect(await lines(own), 'a second time nothing is stored').to.have.length(6);
  });

  it('has bindings and profiles as identifies', async () => {
    expect(await lines(test, { kind: 'bindings' })).to.deep.equal([
      { type: 'identify', user_id: 'ann', device_id: 'd1', time: at(35) },
    ]);
    expect(await lines(test, { kind: 'profiles' })).to.deep.equal([
      { type: 'identify', user_id: 'ann', time: at(30) },
      {
        ...{ type: 'identify', user_id: 'ann', time: at(35) },
        user_properties: { email: 'ann@example.com', email_domain: 'example.com', plan: 'pro', seats: 3 },
      },
      { type: 'identify', user_id: 'bob', time: at(20) },
      { type: 'identify', user_id: 'bob', time: at(40) },
      { type: 'identify', user_id: 'cid', time: at(5) },
      { type: 'identify', user_id: 'cid', time: at(90), user_properties: { plan: 'free' } },
    ]);
  });

  it('takes a range, a zone and a condition', async () => {
    const types = async (parameters: Readonly<Record<string, string>>): Promise<unknown[]> =>
      (await lines(test, parameters)).map(({ event_type: type }) => type);
    expect(await types({ where: 'distinct_id = "ann"' })).to.deep.equal(['view', 'signup']);
    expect(await types({ where: 'user.plan = "pro" or event_properties.price > 12' })).to.deep.equal(['view', 'signup', 'buy']); // prettier-ignore
    expect(await types({ since: at(20), until: at(40) })).to.deep.equal(['buy', 'signup']);
    expect(await types({ since: '2026-01-10', until: '2026-01-11', timezone: 'Asia/Tokyo' })).to.have.length(6);
    expect(await types({ since: '2026-01-11', timezone: 'Pacific/Auckland' })).to.deep.equal([]);
    expect(await types({ last: '1d' })).to.deep.equal([]);
  });

  it('shows the columns of a list as lines or as CSV, with the person as of now', async () => {
    const rows = await lines(test, { format: 'rows' });
    expect(rows[0]).to.include({ device_id: 'd1', distinct_id: 'ann', _path: '/x' });
    const listed = await test.rows('* | list | from "2026-01-01"');
    expect(rows).to.have.length(listed.length);
    const response = await ask(test, { format: 'csv' });
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    const csv = await response.text();
    expect(csv.split('\r\n')[0]).to.match(/^time,event_type,distinct_id,user_id,/);
    expect(csv).to.contain(`${at(20)},buy,bob,bob,`);
    expect(await paged(test, { format: 'csv' }, 4), 'with one header').to.equal(csv);
  });

  for (const parameters of [
    {},
    { kind: 'all' },
    { order: 'arrival' },
    { where: 'event_type != "view"' },
    { kind: 'profiles' },
  ]) {
    it(`has the same in pages as in a stream: ${JSON.stringify(parameters)}`, async () => {
      const whole = await (await ask(test, parameters as Readonly<Record<string, string>>)).text();
      for (const limit of [1, 2, 10_000])
        expect(await paged(test, parameters as Readonly<Record<string, string>>, limit)).to.equal(whole);
    });
  }

  it('goes on in order of arrival behind the last event that it gave, for good', async () => {
    const own = await test.another();
    const send = (n: number, time: number): Promise<Response> =>
      own.post('/track', { event_type: `e${n}`, time: at(time), user_id: 'u' });
    for (const [n, time] of [[1, 50], [2, 10], [3, 30]] as const) await send(n, time); // prettier-ignore
    const page = async (
      cursor: string | null,
      limit = 2,
    ): Promise<{ types: unknown[]; cursor: string; complete: string | null }> => {
      const response = await ask(own, {
        order: 'arrival',
        limit: String(limit),
        ...(cursor === null ? {} : { cursor }),
      });
      const types = linesOf(await response.text()).map(({ event_type: type }) => type);
      return { types, cursor: response.headers.get('x-next-cursor')!, complete: response.headers.get('x-complete') };
    };
    const first = await page(null);
    expect([first.types, first.complete]).to.deep.equal([['e1', 'e2'], 'false']);
    const second = await page(first.cursor);
    expect(second.types).to.deep.equal(['e3']);
    expect(await page(second.cursor)).to.deep.equal({ types: [], cursor: second.cursor, complete: 'true' });
    await send(4, 1);
    expect((await page(second.cursor)).types, 'an old event that came late').to.deep.equal(['e4']);
    expect((await page(first.cursor, 10)).types).to.deep.equal(['e3', 'e4']);
  });

  const errorOf = async (
    parameters: Readonly<Record<string, string>>,
    key?: string,
  ): Promise<readonly [number, string]> => {
    const response = await ask(test, parameters, key);
    const { error, hints = [] } = await jsonOf(response);
    return [response.status, [error, ...(hints as string[])].join(' ')];
  };

  it('refuses cursors of other projects, of other exports, and what is none', async () => {
    const first = await ask(test, { limit: '1' });
    await first.text();
    const cursor = first.headers.get('x-next-cursor')!;
    const other = await test.another();
    const response = await ask(other, { cursor });
    expect(response.status).to.equal(400);
    expect((await jsonOf(response))['error']).to.equal('The cursor cannot be used: it is of another project.');
    const [, elsewhere] = await errorOf({ cursor, order: 'arrival' });
    expect(elsewhere).to.contain('it goes on in an export in order of time');
    for (const text of ['', 'x', `${cursor}*`, cursor.slice(0, 12), 't'.repeat(9_000), `${cursor.slice(0, 9)}AAAA`])
      expect((await errorOf({ cursor: text }))[0], text).to.equal(400);
    const list = await test.post('/query', { q: '* | list', cursor });
    expect(list.status).to.equal(400);
  });

  for (const [parameters, message] of [
    [{ kinds: 'all' }, /"kinds" is unknown.*kind/],
    [{ kind: 'everything' }, /kind must be events, bindings, profiles, all/],
    [{ kind: '__proto__' }, /kind must be/],
    [{ format: 'parquet' }, /format must be ndjson, rows, csv.*wl export/],
    [{ kind: 'all', format: 'csv' }, /kind=all is for format=ndjson/],
    [{ kind: 'profiles', where: 'user.plan = "pro"' }, /export them alone/],
    [{ kind: 'all', order: 'arrival' }, /order=arrival is for/],
    [{ limit: '0' }, /limit must be/],
    [{ limit: '10001' }, /limit must be/],
    [{ last: '30d', since: '2026-01-01' }, /last excludes/],
    [{ last: '30d | limit 5' }, /last must be/],
    [{ until: '2026-01-01' }, /until takes since/],
    [{ since: '01/02/2026' }, /since must be/],
    [{ since: 'never' }, /expected/],
    [{ where: 'nonsense = ' }, /expected/],
    [{ where: 'event_type = "view" | limit 1' }, /a condition alone/],
    [{ where: 'event_type = "view" | count' }, /expected|alone|list/],
    [{ timezone: 'Nowhere/Else' }, /Nowhere/],
  ] as const) {
    it(`says what is wrong with ${JSON.stringify(parameters)}`, async () => {
      const [status, error] = await errorOf(parameters as Readonly<Record<string, string>>);
      expect([status, error]).to.satisfy(([code, text]: [number, string]) => code === 400 && message.test(text), error);
    });
  }

  it('is for keys that may query, and hides what they may not see', async () => {
    expect((await errorOf({}, test.keys.project.publicKey))[0]).to.equal(403);
    expect((await errorOf({}, 'sk_none'))[0]).to.equal(401);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const wanted = { projectId: test.keys.project.id, name: 'agent', scopes: ['query'], personal: false } as const;
    const { key } = await control.tokens.create(wanted, BY);
    await control.close();
    for (const kind of ['profiles', 'bindings', 'all']) expect((await errorOf({ kind }, key))[0], kind).to.equal(403);
    for (const format of ['ndjson', 'rows', 'csv']) {
      const response = await ask(test, { format }, key);
      const text = await response.text();
      expect(response.status).to.equal(200);
      expect(text.replaceAll('""', '"')).to.contain('"price":12');
      for (const hidden of ['ann', '"d1"', ',d1,', '203.0.113', 'Firefox/128', 'mine'])
        expect(text).to.not.contain(hidden);
    }
  });
});
