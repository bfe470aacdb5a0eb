import { expect } from 'chai';
import { Browser, makeLink } from '../../support/session-browser.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';

const ADA = 'ada@example.com';

describe('a login link', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  it('shows a form that works without a script, and is not used up by looking', async () => {
    const token = await makeLink(test, ADA);
    const browser = new Browser(test.url);
    for (let i = 0; i < 3; i++) await browser.get(`/auth/link?token=${token}`);
    const response = await browser.get(`/auth/link?token=${token}`);
    const page = await response.text();
    expect(response.headers.getSetCookie()).to.deep.equal([]);
    const form = /<form method="post" action="([^"]+)">\s*<input type="hidden" name="token" value="([^"]+)"/.exec(page);
    expect(form?.slice(1)).to.deep.equal(['/auth/link', token]);
    const login = await browser.openLink(token);
    expect([login.status, login.headers.get('location')]).to.deep.equal([303, '/console']);
    expect((await browser.get('/api/session')).status).to.equal(200);
  });

  it('opens the page that its address names, on this host alone', async () => {
    for (const [named, opened] of [['/console/projects/prj_x', '/console/projects/prj_x'], ['//evil.example', '/console'], ['https://evil.example', '/console'], ['/login', '/console']] as const) {
      const token = await makeLink(test, ADA);
      const browser = new Browser(test.url);
      const page = await (await browser.get(`/auth/link?token=${token}&return_to=${encodeURIComponent(named)}`)).text();
      expect(page.includes(`name="return_to" value="${named}"`)).to.equal(named === opened);
      const body = new URLSearchParams({ token, return_to: named });
      const login = await browser.send('/auth/link', { method: 'POST', body });
      expect([login.status, login.headers.get('location')]).to.deep.equal([303, opened]);
    }
  }); // prettier-ignore

  it('keeps its token to itself: no referrer has it, no cache, no frame', async () => {
    const { headers } = await new Browser(test.url).get(`/auth/link?token=${await makeLink(test, ADA)}`);
    expect(headers.get('referrer-policy')).to.equal('strict-origin');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('content-security-policy'))
      .to.include("frame-ancestors 'none'")
      .and.include("form-action 'self'");
  });

  it('that is used, unknown, missing or not a token at all logs nobody in', async () => {
    const token = await makeLink(test, ADA);
    await new Browser(test.url).openLink(token);
    for (const wrong of [token, 'unknown', '', '<script>']) {
      const browser = new Browser(test.url);
      const response = await browser.openLink(wrong);
      expect([response.status, response.headers.get('location')]).to.deep.equal([303, '/login?error=link']);
      expect(response.headers.getSetCookie()).to.deep.equal([]);
      expect((await browser.get('/api/session')).status).to.equal(401);
    }
    expect((await new Browser(test.url).openLink('x'.repeat(3000))).status).to.equal(413);
  });

  it('says that it is incomplete, without a button, when its token is missing or cut off', async () => {
    const token = await makeLink(test, ADA);
    for (const query of [
      '',
      '?token=',
      `?token=${token.slice(0, -1)}`,
      `?token=${token}x`,
      '?token=%22%3E%3Cscript%3E',
    ]) {
      const page = await (await new Browser(test.url).get(`/auth/link${query}`)).text();
      expect(page, query).to.include('This login link is incomplete').and.not.include('name="token"');
      expect(page, query).to.not.include('%22').and.not.include('"><script>');
    }
  });

  it('logs in one browser of two that try it at the same moment', async () => {
    const token = await makeLink(test, ADA);
    const tries = await Promise.all(Array.from({ length: 5 }, () => new Browser(test.url).openLink(token)));
    const targets = tries.map(({ headers }) => headers.get('location'));
    expect(targets.filter((target) => target === '/console')).to.have.length(1);
  });

  it('takes GET and POST, and a logout POST alone', async () => {
    const browser = new Browser(test.url);
    expect((await browser.call('DELETE', '/auth/link')).headers.get('allow')).to.equal('GET, HEAD, POST');
    expect((await browser.get('/auth/logout')).headers.get('allow')).to.equal('POST');
  });
});
