import { expect } from 'chai';
import { jsonOf, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';

const START = Date.now() - 3 * 86_400_000;
const EVENTS = 57;

describe('pages of a list by cursor', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
    // Three requests whose times overlap, several events of one millisecond in each.
    for (const nth of [0, 1, 2]) {
      const events = Array.from({ length: EVENTS / 3 }, (_, n) => ({
        event_type: n % 4 === 0 ? 'rare' : 'view',
        device_id: `d${n % 5}`,
        time: new Date(START + Math.floor(n / 4) * 1_000).toISOString(),
        event_properties: { n: nth * 100 + n },
      }));
      await test.post('/track', { events });
      await test.post('/query', { q: '* | count' }); // seals them, as a segment of its own
    }
  });

  interface Answer {
    readonly rows: readonly unknown[];
    readonly total: number;
    readonly next_cursor?: string;
  }

  const ask = async (q: string, more: object): Promise<Answer> =>
    (await jsonOf(await test.post('/query', { q, format: 'json', envelope: true, ...more }))) as unknown as Answer;

  /** All rows by cursor, and the totals that the pages told. */
  async function paged(q: string, limit: number): Promise<{ rows: unknown[]; totals: Set<number>; pages: number }> {
    const found = { rows: [] as unknown[], totals: new Set<number>(), pages: 0 };
    for (let cursor: string | undefined = undefined, more = true; more;) {
      const {
        rows,
        total,
        next_cursor: next,
      }: Answer = await ask(q, cursor === undefined ? { limit } : { limit, cursor });
      found.rows.push(...rows);
      found.totals.add(total);
      found.pages++;
      cursor = next;
      more = next !== undefined;
    }
    return found;
  }

  for (const q of [
    '* | list',
    'view | list event_properties.n, time',
    '* | where event_properties.n > 104 | list event_properties.n',
    '* | list event_properties.n | offset 3 | limit 29',
    '* | list event_properties.n | offset 30',
    '* | list event_properties.n | having event_properties.n < 10',
    'user "d1" | list',
  ]) {
    it(`have the rows and the total of one page of all, each once: \`${q}\``, async () => {
      const whole = await ask(q, { limit: 1_000 });
      expect(whole.rows).to.have.length.above(7);
      expect(whole).to.not.have.property('next_cursor');
      for (const limit of [1, 7, whole.rows.length]) {
        const { rows, totals, pages } = await paged(q, limit);
        expect(rows).to.deep.equal(whole.rows);
        expect([...totals]).to.deep.equal([whole.total]);
        expect(pages).to.equal(Math.ceil(whole.rows.length / limit));
      }
    });
  }

  it('name the next one in a header, whatever the format', async () => {
    for (const format of ['llm', 'csv', 'json']) {
      const response = await test.post('/query', { q: '* | list', format, limit: 5 });
      expect(response.headers.get('x-next-cursor')).to.match(/^l[\w-]+$/);
    }
    const last = await test.post('/query', { q: '* | list', limit: EVENTS });
    expect(last.headers.has('x-next-cursor')).to.equal(false);
  });

  it('are noted on the first one alone', async () => {
    const first = (await ask('* | list', { limit: 5 })) as Answer & { readonly notes: readonly string[] };
    expect(first.notes.join()).to.contain('Rows 1 to 5 of the 57');
    const second = await ask('* | list', { limit: 5, cursor: first.next_cursor });
    expect(second).to.deep.include({ total: EVENTS, notes: [] });
  });

  it('go on where they were although newer events have arrived', async () => {
    const own = await test.another();
    const send = (n: number, time: number): Promise<Response> =>
      own.post('/track', { event_type: 'e', time: new Date(time).toISOString(), event_properties: { n } });
    for (const n of [1, 2, 3]) await send(n, START + n);
    const q = { q: 'e | list event_properties.n', format: 'json', limit: 2 };
    const first = await own.post('/query', q);
    expect(await first.json()).to.deep.equal([{ 'event_properties.n': 3 }, { 'event_properties.n': 2 }]);
    await send(4, START + 4);
    const second = await own.post('/query', { ...q, cursor: first.headers.get('x-next-cursor') });
    expect(await second.json()).to.deep.equal([{ 'event_properties.n': 1 }]);
  });

  const errorOf = async (body: object): Promise<string> => {
    const response = await test.post('/query', body);
    expect(response.status).to.equal(400);
    return String((await jsonOf(response))['error']);
  };

  it('are refused for a cursor of another project, and for what is none', async () => {
    const { next_cursor: cursor = '' } = await ask('* | list', { limit: 5 });
    const other = await test.another();
    const response = await other.post('/query', { q: '* | list', cursor });
    expect(response.status).to.equal(400);
    expect((await jsonOf(response))['error']).to.equal('The cursor cannot be used: it is of another project.');
    const forged = cursor.slice(0, 9);
    for (const text of ['', 'x', cursor.slice(0, 6), `l${'a'.repeat(5_000)}`, '__proto__', `${cursor}!`, forged])
      expect(await errorOf({ q: '* | list', cursor: text })).to.match(/^The cursor cannot be used: it is /);
    for (const place of ['1e999.5', '9999999999999999.1', '1.-5', '1'])
      expect(await errorOf({ q: '* | list', cursor: forged + Buffer.from(place).toString('base64url') })).to.contain(
        'not one that this server gave',
      );
  });

  it('are refused where rows have another order or are no events, and beside an offset', async () => {
    const { next_cursor: cursor } = await ask('* | list', { limit: 5 });
    for (const q of ['* | list time | sort time', '* | count by event_type', 'users'])
      expect(await errorOf({ q, cursor })).to.contain('in its usual order');
    expect(await errorOf({ q: '* | list', cursor, offset: 5 })).to.contain('only one of them');
    expect(await errorOf({ q: '* | list', cursor: 5 })).to.contain('"cursor" must be a string');
  });

  it('begin at the place of a cursor that somebody made up, in the own project only', async () => {
    const { next_cursor: cursor = '' } = await ask('* | list', { limit: 5 });
    const place = (text: string): string => cursor.slice(0, 9) + Buffer.from(text).toString('base64url');
    expect((await ask('* | list', { cursor: place(`${-Number.MAX_SAFE_INTEGER}.0`) })).rows).to.deep.equal([]);
    expect((await ask('* | list', { cursor: place(`${Number.MAX_SAFE_INTEGER}.0`) })).rows).to.have.length(EVENTS);
  });
});
