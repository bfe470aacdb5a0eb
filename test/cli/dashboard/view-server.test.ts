import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ViewedDashboards } from '../../../lib/cli/dashboard/viewed-dashboards.ts';
import { ViewServer } from '../../../lib/cli/dashboard/view-server.ts';
import { AskError, type CardQuestion } from '../../../lib/dashboards/run.ts';
import { dashboardOf, SAMPLE } from '../../dashboards/dashboard-files.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const ANNOTATION = { at: '2026-11-20T10:00:00.000Z', text: 'Deploy' };

describe('the server of wl dashboard view', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wl-view-'));
  const ended = new AbortController();
  const asked: CardQuestion[] = [];
  let dashboards: ViewedDashboards;
  let server: ViewServer;
  let port = '';
  let cookie = '';
  before(async () => {
    writeFileSync(join(folder, 'b.yaml'), SAMPLE);
    writeFileSync(join(folder, 'a.yml'), dashboardOf('  - {kind: table, query: signup}').replace('id: test\n', ''));
    writeFileSync(join(folder, 'broken.yaml'), 'version: 1\ntitel: x');
    dashboards = await ViewedDashboards.open(folder, ended.signal);
    const ask = async (question: CardQuestion): Promise<never> => {
      asked.push(question);
      throw new AskError('Too slow.', 'Ask for less.');
    };
    const assets = new Map([['page.js', { type: 'text/javascript', body: Buffer.from('1') }]]);
    server = await ViewServer.start(
      {
        dashboards,
        ask,
        cohorts: () => Promise.resolve(['buyers']),
        annotations: () => Promise.resolve([ANNOTATION]),
        page: '<p>page</p>',
        assets,
      },
      0,
    );
    port = new URL(server.url).port;
    cookie = String((await get(new URL(server.url).search, {})).headers['set-cookie']).split(';')[0] ?? '';
  });
  after(() => {
    dashboards.close();
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** Requests as a browser with the cookie, unless `headers` says otherwise. */
  function get(path: string, headers: Record<string, string> = { cookie }, sent?: { method: string; body?: string }): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path: path.startsWith('/') ? path : `/${path}`, method: sent?.method ?? 'GET', headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts).toString() });
        });
      });
      outgoing.on('error', reject).end(sent?.body);
    });
  } // prettier-ignore

  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    get(
      '/api/query',
      { cookie, 'content-type': 'application/json', ...headers },
      { method: 'POST', body: JSON.stringify(body) },
    );

  it('turns the token of the address into a cookie that no script and no other site has', async () => {
    expect(server.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
    const { status, headers } = await get(new URL(server.url).search, {});
    expect([status, headers['location']]).to.deep.equal([303, '/']);
    expect(String(headers['set-cookie'])).to.match(/^wl_view_\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/);
  });

  it('lets nobody in without it, nor under another name of the machine', async () => {
    for (const path of [
      '/',
      '/api/dashboards',
      '/api/changes',
      '/assets/page.js',
      '/?token=wrong',
      '/dashboard/sample',
    ]) {
      expect((await get(path, {})).status, path).to.equal(403);
      expect((await get(path, { cookie: `${cookie}x` })).status, path).to.equal(403);
      expect((await get(path, { cookie, host: `evil.example:${port}` })).status, path).to.equal(403);
    }
    expect((await get('/', { cookie, host: `localhost:${port}` })).status).to.equal(200);
    expect((await get('/', { cookie, host: '127.0.0.1' })).status).to.equal(403);
  });

  it('serves the page and its files under a policy that lets nothing else in', async () => {
    for (const path of ['/', '/dashboard/sample']) {
      const { status, headers, body } = await get(path);
      expect([status, body]).to.deep.equal([200, '<p>page</p>']);
      expect(headers['content-security-policy']).to.match(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers['content-security-policy']).not.to.include('unsafe');
    }
    expect((await get('/assets/page.js')).body).to.equal('1');
    for (const path of [
      '/assets/other.js',
      '/dashboard/',
      '/dashboard/a/b',
      '/api/dashboards/%zz',
      '/api/dashboards/none',
    ]) {
      expect((await get(path)).status, path).to.equal(404);
    }
    expect((await get('//')).status).to.equal(200);
    const away = await get(`/.//evil.example/${new URL(server.url).search}`, {});
    expect([away.status, away.headers['location']]).to.deep.equal([303, '/evil.example/']);
    expect((await get('/', { cookie }, { method: 'PUT' })).status).to.equal(405);
    expect((await get('/api/query')).status).to.equal(405);
  });

  it('lists the dashboards of a folder by their order, wrong ones with their problems', async () => {
    const list = JSON.parse((await get('/api/dashboards')).body) as Record<string, unknown>[];
    expect(list.map(({ id, order }) => [id, order])).to.deep.equal([['sample', 2], ['broken', null], ['a', null]]);
    const broken = JSON.parse((await get('/api/dashboards/broken')).body) as Record<string, unknown>;
    expect(broken['dashboard']).to.equal(null);
    expect((broken['problems'] as object[])[2]).to.deep.equal({ line: 2, column: 1, message: 'unknown key `titel`; did you mean `title`?' });
    expect(JSON.parse((await get('/api/dashboards/sample')).body)).to.have.nested.property('dashboard.title', 'Sample');
  }); // prettier-ignore

  it('lists the annotations of the project', async () => {
    expect(JSON.parse((await get('/api/annotations')).body)).to.deep.equal([ANNOTATION]);
    expect((await get('/api/annotations', {})).status).to.equal(403);
  });

  it('lists the cohorts of the project', async () => {
    expect(JSON.parse((await get('/api/cohorts')).body)).to.deep.equal([{ name: 'buyers' }]);
    expect((await get('/api/cohorts', {})).status).to.equal(403);
  });

  it('asks for its own page alone, and tells why there is no answer', async () => {
    const question = { q: 'signup', timezone: null, limit: 10 };
    const answer = await post(question, { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' });
    expect([answer.status, JSON.parse(answer.body)]).to.deep.equal([
      502,
      { error: 'Too slow.', hints: ['Ask for less.'] },
    ]);
    expect(asked).to.deep.equal([question]);
    expect((await post(question, { origin: 'http://evil.example' })).status).to.equal(403);
    expect((await post(question, { 'sec-fetch-site': 'same-site' })).status).to.equal(403);
    expect((await post(question, { 'content-type': 'text/plain' })).status).to.equal(415);
    for (const wrong of [{}, [], { ...question, limit: 0 }, { ...question, q: 1 }, { ...question, timezone: 1 }]) {
      expect((await post(wrong)).status).to.equal(400);
    }
    expect((await post({ ...question, q: 'x'.repeat(140_000) })).status).to.equal(413);
    expect(asked).to.have.length(1);
  });

  it('tells a page which dashboards have changed, come or gone', async () => {
    const told = changes();
    await told.ready;
    writeFileSync(join(folder, 'new'), SAMPLE.replace('title: Sample', 'title: Other'));
    renameSync(join(folder, 'new'), join(folder, 'b.yaml')); // as editors do
    expect(await told.next()).to.deep.equal({ ids: ['sample'] });
    expect(JSON.parse((await get('/api/dashboards/sample')).body)).to.have.nested.property('dashboard.title', 'Other');
    rmSync(join(folder, 'broken.yaml'));
    expect(await told.next()).to.deep.equal({ ids: ['broken'] });
    told.end();
  });

  /** The events of /api/changes. */
  function changes() {
    const waiting: ((value: unknown) => void)[] = [];
    const found: unknown[] = [];
    let isReady: () => void;
    const ready = new Promise<void>((resolve) => (isReady = resolve));
    const outgoing = request({ host: '127.0.0.1', port, path: '/api/changes', headers: { cookie } }, (response) => {
      response.setEncoding('utf8').on('data', (text: string) => {
        isReady();
        for (const [, json = ''] of text.matchAll(/^event: change\ndata: (.*)$/gm)) {
          const value: unknown = JSON.parse(json);
          const next = waiting.shift();
          if (next === undefined) found.push(value);
          else next(value);
        }
      });
    });
    outgoing.on('error', () => undefined).end();
    const next = (): Promise<unknown> =>
      found.length > 0 ? Promise.resolve(found.shift()) : new Promise((resolve) => waiting.push(resolve));
    return { ready, next, end: () => outgoing.destroy() };
  }
});
