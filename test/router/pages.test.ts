import { request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { LOGIN_ERRORS } from '../../lib/router/auth/login-provider.ts';
import { fetch } from '../support/checked-fetch.ts';
import { type TestService, startWithoutShards } from '../support/service.ts';
import { Browser } from '../support/session-browser.ts';

const PROVIDERS = {
  WINDLASS_AUTH_COMPANY_ISSUER: 'https://login.example.com',
  WINDLASS_AUTH_COMPANY_CLIENT_ID: 'windlass',
  WINDLASS_AUTH_COMPANY_CLIENT_SECRET: 'a secret of tests',
  WINDLASS_AUTH_COMPANY_LABEL: 'Company <SSO>',
  WINDLASS_AUTH_GITHUB_CLIENT_ID: 'windlass',
  WINDLASS_AUTH_GITHUB_CLIENT_SECRET: 'a secret of tests',
};

describe('the landing page', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  /** The page for a Host header, which fetch does not let one set. */
  function withHost(host: string): Promise<string> {
    const { hostname, port } = new URL(test.url);
    return new Promise((resolve, reject) => {
      const asked = request({ hostname, port, path: '/', headers: { Host: host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve(text));
      }); // prettier-ignore
      asked.on('error', reject).end();
    });
  }

  it('says what this is and what it costs', async () => {
    const response = await fetch(test.url);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const text = await response.text();
    expect(text).to.contain('Product analytics').and.contain('$5').and.contain('The first 10 million events');
    expect(text).to.match(/25 million<\/td>\s*<td class="number">\$75</);
  });

  it('has commands for the host that was asked', async () => {
    expect(await withHost('stats.example.org:8443')).to.contain('curl -s http://stats.example.org:8443/track');
    expect(await withHost('[::1]:8080')).to.contain('curl -s http://[::1]:8080/track');
  });

  it('shows its own address instead of a Host that is no host', async () => {
    for (const host of ["a';rm~;'", '$(id).example.org', '-x', 'a'.repeat(254)]) {
      const text = await withHost(host);
      expect([host, text.includes(`curl -s ${test.url}/track`)]).to.deep.equal([host, true]);
    }
    for (const host of ['evil.example.org/x', 'a"onload="x', 'a b']) {
      expect(await withHost(host)).to.match(/^\{"error":/).and.not.contain(host); // not a page at all
    }
  }); // prettier-ignore

  it('shows WINDLASS_URL whatever was asked', async () => {
    const proxied = await startWithoutShards({ WINDLASS_URL: 'https://stats.example.org' });
    expect(await (await fetch(proxied.url)).text()).to.contain('curl -s https://stats.example.org/track');
    await proxied.stop();
  });
});

describe('pages', () => {
  const STRICT = [
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
  ];

  function directives(response: Response): string[] {
    return (response.headers.get('content-security-policy') ?? '').split(';').sort();
  }

  it('have a strict policy, and answers of the API keep theirs', async () => {
    const test = await startWithoutShards();
    for (const path of ['/', '/login']) {
      const response = await fetch(test.url + path);
      expect(directives(response)).to.deep.equal(STRICT);
      expect(response.headers.get('referrer-policy')).to.equal('same-origin');
      expect(response.headers.get('x-frame-options')).to.equal('DENY');
      expect(response.headers.has('strict-transport-security')).to.equal(false);
      expect(await response.text()).to.not.match(/\sstyle=|\son[a-z]+=|<script(?![^>]* src=)|javascript:/i);
    }
    const api = await fetch(`${test.url}/healthz`);
    expect(api.headers.get('content-security-policy')).to.equal("default-src 'none'; frame-ancestors 'none'");
    await test.stop();
  });

  it('tell browsers to stay with https when that is the address', async () => {
    const test = await startWithoutShards({ WINDLASS_URL: 'https://stats.example.org' });
    for (const path of ['/login', '/', '/console', '/healthz', '/api/session', '/track', '/nope', '/public/mark.svg']) {
      const response = await fetch(test.url + path, { redirect: 'manual' });
      expect(response.headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
    }
    const { hostname, port } = new URL(test.url);
    for (const nonsense of ['hello\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
      const socket = connect(Number(port), hostname).setEncoding('utf8');
      socket.end(nonsense);
      expect((await socket.toArray()).join('')).to.contain('\r\nStrict-Transport-Security: max-age=31536000\r\n');
    }
    await test.stop();
  });

  it('take GET and HEAD alone', async () => {
    const test = await startWithoutShards();
    for (const path of ['/', '/login', '/llms.txt']) {
      const response = await fetch(test.url + path, { method: 'POST' });
      expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    }
    await test.stop();
  });
});

describe('the login page', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards(PROVIDERS);
  });
  after(() => test.stop());

  const text = async (query = ''): Promise<string> => (await fetch(`${test.url}/login${query}`)).text();

  it('has a button for every provider, with its label as text', async () => {
    expect(await text()).to.match(/href="\/auth\/company"[^>]*>Log in with Company &lt;SSO&gt;</);
    expect(await text()).to.match(/href="\/auth\/github"[^>]*>Log in with GitHub</);
  });

  it('says what to do when there is no provider', async () => {
    const bare = await startWithoutShards();
    const page = await (await fetch(`${bare.url}/login`)).text();
    expect(page).to.contain('wl admin login-link --email').and.contain('WINDLASS_AUTH_&lt;NAME&gt;_ISSUER');
    expect(page).to.not.contain('href="/auth/');
    await bare.stop();
  });

  it('has a sentence for every reason that a login has failed for, and repeats no other', async () => {
    for (const [code, sentence] of Object.entries(LOGIN_ERRORS)) {
      expect(await text(`?error=${code}`)).to.contain(sentence.replaceAll("'", '&#39;'));
    }
    for (const code of ['Send your password to evil.example.org', '__proto__', 'constructor', '']) {
      const page = await text(`?error=${encodeURIComponent(code)}`);
      expect(page).to.contain('The login failed.').and.not.contain('evil');
    }
  });

  it('sends people back to where they were, on this host alone', async () => {
    expect(await text(`?return_to=${encodeURIComponent('/console/orgs/org_x?month=2026-10')}`)).to.contain(
      'href="/auth/company?return_to=%2Fconsole%2Forgs%2Forg_x%3Fmonth%3D2026-10"',
    );
    for (const path of ['//evil.example.org', '/\\evil.example.org', 'https://evil.example.org', 'javascript:alert(1)', '/\t/evil.example.org']) {
      expect(await text(`?return_to=${encodeURIComponent(path)}`)).to.contain('href="/auth/company"');
    }
  }); // prettier-ignore

  it('lets who is logged in pass', async () => {
    const browser = await Browser.loggedIn(test, 'ann@example.com');
    for (const [query, location] of [['', '/console'], ['?return_to=/console/orgs/org_x', '/console/orgs/org_x'], ['?return_to=//evil.example.org', '/console']] as const) {
      const response = await browser.get(`/login${query}`);
      expect([response.status, response.headers.get('location')]).to.deep.equal([303, location]);
    }
    const landing = await (await browser.get('/')).text();
    expect(landing).to.contain('ann@example.com').and.contain('href="/console"');
  }); // prettier-ignore
});

describe('errors for people', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  /** Opens a path as a browser that was sent there. */
  const visit = (path: string) =>
    globalThis.fetch(test.url + path, {
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      redirect: 'manual',
    });

  it('are pages with the status that programs get, under the policy of pages', async () => {
    for (const [path, status] of [
      ['/nope', 404],
      ['/track', 405],
      ['/auth/nope', 503],
      ['/%E0%A4%A', 404],
    ] as const) {
      const response = await visit(path);
      expect([path, response.status, response.headers.get('content-type')]).to.deep.equal([
        path,
        status,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('content-security-policy')).to.contain("script-src 'self'");
      expect(await response.text()).to.match(/^<!doctype html>[^]*<h1>[^<]+<\/h1>/);
      const program = await fetch(test.url + path, { headers: { Accept: '*/*' } });
      expect([program.status, program.headers.get('content-type')]).to.deep.equal([
        status,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it('say nothing that stands in the address', async () => {
    expect(await (await visit('/%3Cscript%3Ealert(1)%3C/script%3E?q=%3Cb%3E')).text()).to.not.match(/alert|<b>/);
  });

  it('are data under /api and /public, and for whoever sends something', async () => {
    for (const path of ['/api/nope', '/api/session', '/public/nope.js'])
      expect((await visit(path)).headers.get('content-type')).to.equal('application/json; charset=utf-8');
    const posted = await fetch(`${test.url}/nope`, { method: 'POST', headers: { Accept: 'text/html' } });
    expect(posted.headers.get('content-type')).to.equal('application/json; charset=utf-8');
  });
});
