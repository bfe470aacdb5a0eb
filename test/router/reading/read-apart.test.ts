import { expect } from 'chai';
import { checkApart, readQueryApart, readText } from '../../../lib/router/reading/read-apart.ts';
import type { QueryText } from '../../../lib/dsl/read.ts';

const queryOf = (q: string): QueryText => ({
  q,
  explain: false,
  now: 0,
  timezone: { project: 'UTC' },
  limit: 1,
  offset: 0,
});

/** A dashboard that takes minutes to check: a large pattern is compiled with each of 5,000 options. */
function endless(): string {
  const pattern = `(?:a[ab]?[bc]?[ca]?){1000}`;
  const options = Array.from({ length: 100 }, (_, nth) => String(nth));
  const variables = [{ name: 'v', kind: 'select', default: '0', options }];
  const query = `* | where _os ~ "${pattern}" and _city = {{v}} | count`;
  const cards = Array.from({ length: 50 }, (_, nth) => ({ title: `C${nth}`, kind: 'table', query }));
  return JSON.stringify({ version: 1, id: 'd', title: 'D', variables, sections: [{ cards }] });
}

describe('reading apart', () => {
  const never = new AbortController().signal;

  it('holds nobody else, and its thread is ended when nobody waits any longer', async () => {
    const leaving = new AbortController();
    let isRead = false;
    const reading = readText({ kind: 'dashboard', yaml: endless() }, leaving.signal).finally(() => (isRead = true));
    for (let nth = 0; nth < 5; nth++)
      expect(await readQueryApart(queryOf(`* | where _os ~ "${nth}"`), never)).to.include({
        kind: 'read',
        shape: 'events | where',
      });
    expect(isRead, 'it takes minutes').to.equal(false);
    leaving.abort();
    expect(await reading.catch((error: Error) => error.name)).to.equal('AbortError');
    expect(await readQueryApart(queryOf('* | where _os ~ "a"'), never)).to.include({ kind: 'read' });
  });

  it('does not begin when nobody waits already', async () => {
    const reason = new Error('left');
    expect(await readQueryApart(queryOf('*'), AbortSignal.abort(reason)).catch((error: unknown) => error)).to.equal(
      reason,
    );
  });

  it('tells what a query asks of the project first', async () => {
    expect(await readQueryApart(queryOf('* | all'), never)).to.deep.equal({ kind: 'asks_earliest' });
    expect(await readQueryApart({ ...queryOf('* | all'), earliest: null }, never)).to.include({ kind: 'read' });
  });

  it('checks dashboards as they are stored', async () => {
    const tenant = { id: 'prj', orgId: 'org', weight: 1 };
    const yaml = JSON.stringify({
      version: 1,
      id: 'd',
      title: 'D',
      sections: [{ cards: [{ title: 'T', kind: 'table', query: '* | count by day' }] }],
    });
    const { dashboard, problems } = await checkApart(tenant, yaml);
    expect(problems).to.deep.equal([]);
    expect(dashboard).to.include({ id: 'd', title: 'D', order: null });
    expect((await checkApart(tenant, '[')).dashboard).to.equal(null);
  });
});
