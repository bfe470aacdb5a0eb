import { request } from 'node:http';
import { expect } from 'chai';
import { docsEntries } from '../../../lib/router/pages/docs.ts';
import { docsAddress } from '../../../lib/router/pages/docs-links.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { Browser } from '../../support/session-browser.ts';
import { startWithoutShards, type TestService } from '../../support/service.ts';

describe('/docs', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  const text = async (path: string): Promise<string> => (await fetch(test.url + path)).text();

  it('serves each page as HTML with its title, under the policy of pages', async () => {
    for (const { name, title } of docsEntries()) {
      const response = await fetch(test.url + docsAddress(name));
      expect([name, response.status, response.headers.get('content-type')]).to.deep.equal([
        ...[name, 200, 'text/html; charset=utf-8'],
      ]);
      expect(response.headers.get('content-security-policy')).to.contain("script-src 'self'");
      const page = await response.text();
      expect(page)
        .to.match(/^<!doctype html>/)
        .and.match(/<h1 id=/);
      expect(page).to.contain(`<title>${title.replaceAll("'", '&#39;')} · Windlass</title>`);
      expect(page.replaceAll(/<code>[^]*?<\/code>/g, '')).to.not.match(/\sstyle=|\son[a-z]+=|<script(?![^>]* src=)|javascript:/i); // prettier-ignore
    }
  });

  it('serves each page as Markdown under the name of its file', async () => {
    for (const { name, title } of docsEntries()) {
      const response = await fetch(`${test.url}/docs/${name}.md`);
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([
        ...[200, 'text/markdown; charset=utf-8'],
      ]);
      expect((await response.text()).split('\n')[0]).to.equal(`# ${title}`);
    }
  });

  it('has links that lead to pages and to headings, as HTML and as Markdown', async () => {
    const ids = new Map<string, ReadonlySet<string>>();
    const idsOf = async (path: string): Promise<ReadonlySet<string>> => {
      const known = ids.get(path) ?? new Set([...(await text(path)).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
      ids.set(path, known);
      return known;
    }; // prettier-ignore
    let followed = 0;
    const follow = async (target: string, from: string): Promise<void> => {
      const { origin, pathname, hash } = new URL(target, test.url + from);
      if (origin !== test.url) return;
      if (hash === '') expect((await fetch(test.url + pathname, { method: 'HEAD' })).status, `${from}: ${target}`).to.equal(200); // prettier-ignore
      else expect([...(await idsOf(pathname.replace(/\.md$/, '')))], `${from}: ${target}`).to.include(decodeURIComponent(hash.slice(1))); // prettier-ignore
      followed += 1;
    };
    for (const { name } of docsEntries()) {
      const address = docsAddress(name);
      const targets = new Set([...(await text(address)).matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href = '']) => href)); // prettier-ignore
      for (const target of targets) await follow(target, address);
      const markdown = (await text(`/docs/${name}.md`)).replaceAll(/^```[^]*?^```/gm, '');
      for (const [, target = ''] of markdown.matchAll(/\]\(([^)\s]+)\)/g)) await follow(target, `/docs/${name}.md`);
    }
    expect(followed).to.be.greaterThan(500);
  });

  it('answers 304 to who has a page, and packs it', async () => {
    for (const [path, cache] of [['/docs/limits', 'private, no-cache'], ['/docs/limits.md', 'public, no-cache'], ['/docs/search.json', 'public, no-cache']] as const) {
      const response = await fetch(test.url + path, { headers: { 'Accept-Encoding': 'br' } });
      expect([response.headers.get('content-encoding'), response.headers.get('cache-control')]).to.deep.equal(['br', cache]);
      expect(response.headers.get('vary')).to.equal(path === '/docs/limits' ? 'Accept-Encoding, Cookie' : 'Accept-Encoding');
      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(test.url + path, { headers: { 'Accept-Encoding': 'br', 'If-None-Match': etag } });
      expect([again.status, await again.text()]).to.deep.equal([304, '']);
    }
  }); // prettier-ignore

  it('offers to run queries to who is logged in alone', async () => {
    const stranger = await text('/docs/query-language');
    expect(stranger).to.contain('href="/login"').and.not.contain('Run this');
    const browser = await Browser.loggedIn(test, 'ann@example.com');
    const page = await (await browser.get('/docs/query-language')).text();
    expect(page).to.match(/<a class="run button" href="\/console\/ask#q=signup%20%7C%20/);
    expect(page).to.not.contain('ann@example.com'); // its bytes are kept for all
    expect(await text('/docs/query-language')).to.equal(stranger);
  });

  it('leads to Ask of the only project, or to a choice', async () => {
    const nobody = await fetch(`${test.url}/console/ask`, { redirect: 'manual' });
    expect(nobody.headers.get('location')).to.equal('/login?return_to=%2Fconsole%2Fask');
    const { organization, project } = test.keys;
    const viewer = await Browser.loggedIn(test, 'vic@example.com', { orgId: organization.id, role: 'viewer' });
    const one = await viewer.get('/console/ask');
    expect([one.status, one.headers.get('location')]).to.deep.equal([303, `/console/projects/${project.id}/ask`]);
    const owner = await Browser.loggedIn(test, 'oda@example.com', { orgId: organization.id, role: 'owner' });
    await owner.call('POST', `/api/orgs/${organization.id}/projects`, { name: 'Second <b>' });
    const page = await (await owner.get('/console/ask')).text();
    expect(page).to.contain(`href="/console/projects/${project.id}/ask"`).and.contain('Second &lt;b&gt;');
    const fresh = await Browser.loggedIn(test, 'new@example.com');
    expect(await (await fresh.get('/console/ask')).text()).to.contain('You have no project yet.');
  });

  it('has nothing but its pages', async () => {
    const { hostname, port } = new URL(test.url);
    const raw = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const sent = request({ hostname, port, path }, (response) => resolve(response.resume().statusCode));
        sent.on('error', reject).end();
      });
    for (const path of ['/docs/nope', '/docs/../package.json', '/docs/..%2fpackage.json', '/docs/pages.tsv', '/docs/limits.html', '/docs/__proto__', '/docs/pictures/acquisition.webp']) {
      expect([path, await raw(path)]).to.deep.equal([path, 404]);
    }
    for (const path of ['/docs', '/docs/', '/docs/Query-Language', '/docs/SECURITY.md', '/docs/security.md']) {
      expect([path, await raw(path)]).to.deep.equal([path, 200]);
    }
    expect((await fetch(`${test.url}/docs/`, { method: 'POST' })).status).to.equal(405);
  }); // prettier-ignore

  it('is where llms.txt sends those who want to know more', async () => {
    const llms = await text('/llms.txt');
    for (const { name } of docsEntries()) expect(llms).to.contain(`(${test.url}/docs/${name}.md)`);
  });
});
