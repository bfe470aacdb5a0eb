import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { keptLog } from '../../support/kept-log.ts';
import { callbackIn, getCallback, isCallback } from '../../support/log-in.ts';
import { OpenIdTestProvider } from '../../support/openid-provider.ts';
import { RedirectBrowser } from '../../support/redirect-browser.ts';
import { Served } from '../../support/served.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const OFF = {
  WINDLASS_AUTH_TEST_ISSUER: 'http://127.0.0.1:9', // never called
  WINDLASS_AUTH_TEST_CLIENT_ID: 'windlass',
  WINDLASS_AUTH_TEST_CLIENT_SECRET: 'hush',
};

describe('login', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function serviceWith(...given: Parameters<typeof startWithoutShards>): Promise<TestService> {
    const windlass = await startWithoutShards(...given);
    stops.push(() => windlass.stop());
    return windlass;
  }

  async function hostile(...given: Parameters<typeof HostileProvider.start>): Promise<HostileProvider> {
    const provider = await HostileProvider.start(...given);
    stops.push(() => provider.stop());
    return provider;
  }

  it('is 503 without a provider, and says what to set', async () => {
    const { url } = await serviceWith();
    for (const path of ['/auth/google', '/auth/google/cb?code=x&state=y']) {
      const { response } = await new RedirectBrowser().open(url + path);
      expect(response.status).to.equal(503);
      const { code, hints } = await jsonOf(response);
      expect(code).to.equal('feature_disabled');
      expect(JSON.stringify(hints)).to.include('WINDLASS_AUTH_<NAME>_ISSUER').and.to.include('wl admin login-link');
    }
  });

  it('is 503 with an unknown provider, and names the configured ones', async () => {
    const { url } = await serviceWith(OFF);
    for (const name of ['google', 'TEST', 'toString', '__proto__']) {
      const { response } = await new RedirectBrowser().open(`${url}/auth/${name}`);
      expect(response.status, name).to.equal(503);
      expect((await jsonOf(response))['error']).to.include('/auth/test');
    }
  });

  it('takes GET alone: programs that look at links with HEAD set nothing off', async () => {
    const { url } = await serviceWith(OFF);
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      for (const path of ['/auth/test', '/auth/test/cb']) {
        const { response } = await new RedirectBrowser().open(url + path, { method });
        expect(response.status, `${method} ${path}`).to.equal(405);
        expect(response.headers.get('allow')).to.equal('GET');
      }
    }
  });

  it('starts with a provider that is down, whose login is 503 at once, and works when it is up', async () => {
    const down = await HostileProvider.start();
    await down.stop();
    const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    const served = new Served(folder, down.settings());
    const url = await served.ready();
    const { response } = await new RedirectBrowser().open(`${url}/auth/test`);
    expect(response.status).to.equal(503);
    expect((await jsonOf(response))['code']).to.equal('login_unavailable');
    await hostile({}, Number(new URL(down.issuer).port));
    expect((await new RedirectBrowser().open(`${url}/auth/test`)).response.status).to.equal(303);
    served.kill('SIGTERM');
    expect(await served.exited).to.deep.equal([0, null]);
    expect(served.stderr).to.include('a login provider does not work').and.to.include('ECONNREFUSED');
    rmSync(folder, { recursive: true });
  });

  it('stops the start with a wrong provider, and names the setting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    const served = new Served(folder, { ...OFF, WINDLASS_AUTH_TEST_ISSUER: 'http://accounts.example.org' });
    expect(await served.exited).to.deep.equal([1, null]);
    expect(served.stderr).to.include('WINDLASS_AUTH_TEST_ISSUER must be an https:// URL').and.to.not.include('hush');
    rmSync(folder, { recursive: true });
  });

  it('is 503 within 10 s when the provider is silent, wherever', async () => {
    const places = ['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'];
    const answers = await Promise.all(places.map((silent) => answerInSilence(silent)));
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503, 503]);
    for (const { ms } of answers) expect(ms).to.be.below(10_000);
  });

  async function answerInSilence(silent: string): Promise<{ status: number; ms: number }> {
    const provider = await hostile();
    const { url } = await serviceWith(provider.settings());
    const browser = new RedirectBrowser();
    let asked = new URL(`${url}/auth/test`);
    if (!silent.startsWith('/.well-known')) {
      asked = callbackIn(await browser.follow(await browser.open(asked), isCallback));
    }
    provider.lies = { silent };
    const begun = performance.now();
    const { response } = await browser.open(asked);
    expect(browser.cookie(url, 'wl_session')).to.equal(undefined);
    return { status: response.status, ms: performance.now() - begun };
  }

  const useless: Record<string, Parameters<typeof HostileProvider.start>[0]> = {
    'names another issuer': { metadata: (honest) => ({ ...honest, issuer: 'https://accounts.example.org' }) },
    'has no page to log in on': { metadata: (honest) => ({ ...honest, authorization_endpoint: undefined }) },
    'sends browsers to an unsafe page': {
      metadata: (honest) => ({ ...honest, authorization_endpoint: 'javascript:x' }),
    },
    'is broken': { answer: { path: '/.well-known/openid-configuration', status: 500, body: '{}' } },
    'has none': { answer: { path: '/.well-known/openid-configuration', status: 404, body: '{}' } },
    'answers nonsense': { answer: { path: '/.well-known/openid-configuration', status: 200, body: '<html>' } },
    'never ends': { answer: { path: '/.well-known/openid-configuration', status: 200, body: ' '.repeat(2_000_000) } },
  };
  for (const [what, lies] of Object.entries(useless)) {
    it(`is 503 when the provider's metadata ${what}, and works when it is mended`, async () => {
      const provider = await hostile(lies);
      const { url } = await serviceWith(provider.settings());
      const { response } = await new RedirectBrowser().open(`${url}/auth/test`);
      expect(response.status).to.equal(503);
      expect((await jsonOf(response))['code']).to.equal('login_unavailable');
      provider.lies = {};
      expect((await new RedirectBrowser().open(`${url}/auth/test`)).response.status).to.equal(303);
    });
  }

  it('sends no secret without TLS to another machine, though the metadata says so', async () => {
    const provider = await hostile({
      metadata: (honest) => ({ ...honest, token_endpoint: 'http://accounts.example.org/token' }),
    });
    const { log, lines } = keptLog();
    const { url } = await serviceWith(provider.settings(), { log });
    const browser = new RedirectBrowser();
    const callback = callbackIn(await browser.follow(await browser.open(`${url}/auth/test`), isCallback));
    expect((await browser.open(callback)).response.status).to.equal(503);
    expect(lines.join('')).to.include('accounts.example.org is to be asked without TLS');
  });

  it('may be begun 20 times a minute from an address, then 429 with Retry-After', async () => {
    const provider = await hostile();
    const { url } = await serviceWith(provider.settings());
    const browser = new RedirectBrowser();
    for (let i = 0; i < 20; i++) expect((await browser.open(`${url}/auth/test`)).response.status).to.equal(303);
    const begun = await browser.open(`${url}/auth/test`);
    expect(begun.response.status).to.equal(429);
    expect(begun.response.headers.get('retry-after')).to.equal('60');
    expect(begun.response.headers.get('ratelimit-limit')).to.equal('20');
    expect(begun.response.headers.get('ratelimit')).to.match(/^"logins";r=0;t=\d+$/);
    expect((await browser.open(`${url}/auth/test/cb`)).response.status).to.equal(303); // a login already under way succeeds
  });

  it('is limited by client address, IPv6 by network, behind a trusted proxy too', async () => {
    const provider = await hostile();
    const settings = { WINDLASS_LOGINS_PER_MINUTE: '1', WINDLASS_TRUSTED_PROXIES: '127.0.0.1' };
    const { url } = await serviceWith({ ...provider.settings(), ...settings });
    const from = async (client: string): Promise<number> => {
      const headers = { 'X-Forwarded-For': client };
      return (await new RedirectBrowser().open(`${url}/auth/test`, { headers })).response.status;
    };
    expect(await from('203.0.113.1')).to.equal(303);
    expect(await from('203.0.113.1')).to.equal(429);
    expect(await from('203.0.113.2')).to.equal(303);
    expect(await from('2001:db8::1')).to.equal(303);
    expect(await from('2001:db8::2')).to.equal(429);
  });

  it('has Secure cookies that belong to the host alone when WINDLASS_URL is https', async () => {
    const provider = await OpenIdTestProvider.start({
      people: { ada: {} },
      redirectUris: ['https://stats.example.org/w/auth/test/cb'],
    });
    stops.push(() => provider.stop());
    const { url } = await serviceWith({ ...provider.settings(), WINDLASS_URL: 'https://stats.example.org/w' });
    const browser = new RedirectBrowser();
    const begun = await browser.open(`${url}/auth/test`);
    const [line = ''] = begun.response.headers.getSetCookie();
    expect(line).to.match(/^__Host-wl_login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    const callback = await getCallback(browser, `${url}/auth/test`, 'ada');
    expect(callback.href).to.match(/^https:\/\/stats\.example\.org\/w\/auth\/test\/cb\?/);
    const cookie = `__Host-wl_login=${browser.cookie(url, '__Host-wl_login') ?? ''}`;
    const { response } = await browser.open(`${url}/auth/test/cb${callback.search}`, { headers: { Cookie: cookie } });
    expect(response.headers.get('location')).to.equal('/w/console');
    const session = response.headers.getSetCookie().find((each) => each.startsWith('wl_session='));
    expect(session)
      .to.match(/; secure/i)
      .and.to.match(/; httponly/i)
      .and.to.match(/; samesite=lax/i);
  });

  it('that failed is told to the log with its reason, and without anything secret', async () => {
    const provider = await hostile({ claims: (honest) => ({ ...honest, aud: 'another client' }) });
    const { log, lines } = keptLog();
    const { url } = await serviceWith(provider.settings(), { log });
    const browser = new RedirectBrowser();
    const callback = callbackIn(await browser.follow(await browser.open(`${url}/auth/test`), isCallback));
    const secrets = [browser.cookie(url, 'wl_login') ?? '', ...callback.searchParams.values()];
    await browser.open(callback);
    const line = lines.find((each) => each.includes('a login failed')) ?? '';
    expect(JSON.parse(line)).to.include({ provider: 'test', code: 'failed' });
    expect(line).to.include('"aud\\" (audience)');
    for (const secret of [...secrets, 'the secret of the client', 'for userinfo', 'somebody']) {
      expect(lines.join('')).to.not.include(secret);
    }
  });
});
