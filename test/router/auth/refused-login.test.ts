import { expect } from 'chai';
import type { Lies } from '../../support/hostile-provider.ts';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { callbackIn, getCallback, isCallback, logIn } from '../../support/log-in.ts';
import { OpenIdTestProvider } from '../../support/openid-provider.ts';
import { destination, RedirectBrowser } from '../../support/redirect-browser.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';

const HOUR = 3_600; // seconds

describe('a login that proves nobody', () => {
  let provider: OpenIdTestProvider;
  let windlass: TestService;
  let start: string;

  before(async () => {
    provider = await OpenIdTestProvider.start({ people: { ada: {} }, names: ['test', 'other'] });
    windlass = await startWithoutShards({
      ...provider.settings(),
      ...provider.settings('other'),
      WINDLASS_LOGINS_PER_MINUTE: '0',
    });
    start = `${windlass.url}/auth/test`;
  });
  after(async () => {
    await windlass.stop();
    await provider.stop();
  });

  it('is one that was denied at the provider', async () => {
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, start, null);
    await expectRefused(browser, callback, 'denied');
  });

  it('is one without a state, with a foreign one, or with two', async () => {
    for (const spoil of [
      (query: URLSearchParams) => query.delete('state'),
      (query: URLSearchParams) => query.set('state', 'x'.repeat(43)),
      (query: URLSearchParams) => query.append('state', 'x'.repeat(43)),
    ]) {
      const browser = new RedirectBrowser();
      const callback = await getCallback(browser, start, 'ada');
      spoil(callback.searchParams);
      await expectRefused(browser, callback, 'state');
    }
  });

  it('leaves the login in flight alone when the answer is not its own', async () => {
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, start, 'ada');
    await expectRefused(browser, new URL(`${start}/cb?state=foreign&code=x`), 'state');
    expect(destination(await browser.open(callback))?.pathname).to.equal('/console');
  });

  it('is one that another browser began', async () => {
    const callback = await getCallback(new RedirectBrowser(), start, 'ada');
    await expectRefused(new RedirectBrowser(), callback, 'state');
    const victim = new RedirectBrowser();
    await getCallback(victim, start, 'ada'); // has its own login in flight
    await expectRefused(victim, callback, 'state');
  });

  it('is one whose callback comes a second time, the cookie too', async () => {
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, start, 'ada');
    const cookie = browser.cookie(windlass.url, 'wl_login') ?? '';
    expect(destination(await browser.open(callback))?.pathname).to.equal('/console');
    const thief = new RedirectBrowser();
    thief.setCookie(windlass.url, 'wl_login', cookie);
    await expectRefused(thief, callback, 'state');
  });

  it('is one with a code that was used already', async () => {
    const browser = new RedirectBrowser();
    const used = await getCallback(browser, start, 'ada');
    await browser.open(used);
    const fresh = await getCallback(browser, start, 'ada');
    fresh.searchParams.set('code', used.searchParams.get('code') ?? '');
    browser.forgetCookie(windlass.url, 'wl_session');
    await expectRefused(browser, fresh, 'failed');
  });

  it('is one with a code that another browser got', async () => {
    const theirs = await getCallback(new RedirectBrowser(), start, 'ada');
    const browser = new RedirectBrowser();
    const ours = await getCallback(browser, start, 'ada');
    ours.searchParams.set('code', theirs.searchParams.get('code') ?? '');
    await expectRefused(browser, ours, 'failed'); // PKCE: the verifier belongs to another login
  });

  it('is one that comes to the callback of another provider', async () => {
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, start, 'ada');
    callback.pathname = '/auth/other/cb';
    await expectRefused(browser, callback, 'state');
  });

  it('is one whose answer names another issuer, or none though the provider always does', async () => {
    for (const spoil of [
      (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
      (query: URLSearchParams) => query.delete('iss'),
    ]) {
      const browser = new RedirectBrowser();
      const callback = await getCallback(browser, start, 'ada');
      spoil(callback.searchParams);
      await expectRefused(browser, callback, 'failed');
    }
  });

  it('is one with a cookie that is none of ours', async () => {
    for (const spoil of ['', 'x', 'A'.repeat(600), 'A'.repeat(5_000), '%00', '"quoted"']) {
      const browser = new RedirectBrowser();
      const callback = await getCallback(browser, start, 'ada');
      browser.setCookie(windlass.url, 'wl_login', spoil);
      await expectRefused(browser, callback, 'state');
    }
    const browser = new RedirectBrowser();
    const callback = await getCallback(browser, start, 'ada');
    const sealed = Buffer.from(browser.cookie(windlass.url, 'wl_login') ?? '', 'base64url');
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    browser.setCookie(windlass.url, 'wl_login', sealed.toString('base64url'));
    await expectRefused(browser, callback, 'state');
  });

  async function expectRefused(browser: RedirectBrowser, callback: URL, code: string): Promise<void> {
    await refused(windlass, browser, callback, code);
  }
});

describe('an identity provider that lies', () => {
  let provider: HostileProvider;
  let windlass: TestService;
  let start: string;

  before(async () => {
    provider = await HostileProvider.start();
    windlass = await startWithoutShards({ ...provider.settings(), WINDLASS_LOGINS_PER_MINUTE: '0' });
    start = `${windlass.url}/auth/test`;
  });
  beforeEach(() => {
    provider.lies = {};
  });
  after(async () => {
    await windlass.stop();
    await provider.stop();
  });

  it('logs in when it tells the truth', async () => {
    expect((await logIn(new RedirectBrowser(), start, null)).headers.get('location')).to.equal('/console');
  });

  const now = (): number => Math.floor(Date.now() / 1_000);
  const lies: Record<string, Lies> = {
    'a wrong audience': { claims: (honest) => ({ ...honest, aud: 'another client' }) },
    'several audiences and another authorized party': {
      claims: (honest) => ({ ...honest, aud: ['windlass', 'another client'], azp: 'another client' }),
    },
    'a wrong issuer': { claims: (honest) => ({ ...honest, iss: 'https://accounts.example.org' }) },
    'an expired ID token': { claims: (honest) => ({ ...honest, iat: now() - 2 * HOUR, exp: now() - HOUR }) },
    'an ID token without an end': { claims: (honest) => without(honest, 'exp') },
    'an ID token of later': { claims: (honest) => ({ ...honest, nbf: now() + HOUR }) },
    'a wrong nonce': { claims: (honest) => ({ ...honest, nonce: 'of another login' }) },
    'no nonce': { claims: (honest) => without(honest, 'nonce') },
    'no subject': { claims: (honest) => without(honest, 'sub') },
    'an empty subject': { claims: (honest) => ({ ...honest, sub: '' }) },
    'a subject without end': { claims: (honest) => ({ ...honest, sub: 'x'.repeat(256) }) },
    'claims changed after they were signed': {
      idToken: (signed) => {
        const [header, claims = '', signature] = signed.split('.');
        const changed = { ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object), name: 'admin' };
        return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
      },
    },
    'a signature with a key that is not shown': { signing: 'other key' },
    'no signature': { signing: 'none' },
    'a signature with the client secret': { signing: 'client secret' },
    'no ID token': { idToken: () => undefined },
    'an ID token that is none': { idToken: () => 'x.y.z' },
    'no token at all': { answer: { path: '/token', status: 200, body: '{}' } },
    'a token answer that is no JSON': {
      answer: { path: '/token', status: 200, body: '{"access_token": "for userinfo' },
    },
    'an error for the code': { answer: { path: '/token', status: 400, body: '{"error": "invalid_grant"}' } },
    'userinfo of somebody else': { userinfo: { sub: 'somebody else', email: 'a@example.org', email_verified: true } },
    'a refusal of userinfo': { answer: { path: '/userinfo', status: 401, body: '{}' } },
    'the error of a server in the callback': { callback: spoiled('server_error') },
    'an ID token in the callback': { callback: (query) => query.set('id_token', 'x.y.z') },
  };
  for (const [lie, told] of Object.entries(lies)) {
    it(`does not log in with ${lie}`, async () => {
      provider.lies = told;
      const browser = new RedirectBrowser();
      const callback = callbackIn(await browser.follow(await browser.open(start), isCallback));
      await refused(windlass, browser, callback, 'failed');
    });
  }

  it('does not log in with keys that are none', async () => {
    const keyless = await HostileProvider.start({ answer: { path: '/jwks', status: 200, body: '{"keys": 5}' } });
    const asking = await startWithoutShards(keyless.settings());
    const browser = new RedirectBrowser();
    const callback = callbackIn(await browser.follow(await browser.open(`${asking.url}/auth/test`), isCallback));
    await refused(asking, browser, callback, 'failed');
    await asking.stop();
    await keyless.stop();
  });

  it('cannot make an unverified address a verified one by words', async () => {
    for (const verified of ['true', 1, null, [true]]) {
      provider.lies = { userinfo: { sub: 'somebody', email: 'ada@example.org', email_verified: verified } };
      const browser = new RedirectBrowser();
      await logIn(browser, start, null);
      const { response } = await browser.open(`${windlass.url}/api/session`);
      expect(await response.text()).to.not.include('ada@example.org');
    }
  });

  it('cannot add to an address of the ID token that userinfo has verified one', async () => {
    provider.lies = {
      claims: (honest) => ({ ...honest, email: 'ada@example.org' }),
      userinfo: { sub: 'somebody', email: 'eve@example.org', email_verified: true },
    };
    const browser = new RedirectBrowser();
    await logIn(browser, start, null);
    const { response } = await browser.open(`${windlass.url}/api/session`);
    expect(await response.text()).to.not.match(/ada@|eve@/);
  });
});

function without(claims: Record<string, unknown>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name));
}

function spoiled(error: string): (query: URLSearchParams) => void {
  return (query) => {
    query.delete('code');
    query.set('error', error);
  };
}

/** Expects nobody logged in, and the reason on the login page. */
async function refused(windlass: TestService, browser: RedirectBrowser, callback: URL, code: string): Promise<void> {
  const visit = await browser.open(callback);
  expect(visit.response.status, await visit.response.text()).to.equal(303);
  expect(visit.response.headers.get('location')).to.equal(`/login?error=${code}`);
  expect(visit.response.headers.getSetCookie().join('\n')).to.not.include('wl_session=');
  const { response } = await browser.open(`${windlass.url}/api/orgs`);
  expect(response.status).to.equal(401);
}
