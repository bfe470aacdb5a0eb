import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { RedirectBrowser, destination } from '../../support/redirect-browser.ts';
import { getCallback, goToProvider, logIn } from '../../support/log-in.ts';
import { OpenIdTestProvider } from '../../support/openid-provider.ts';
import type { ProviderPerson } from '../../support/openid-provider.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';

const DAY = 86_400_000; // ms
const people: Record<string, ProviderPerson> = {
  ada: { email: 'ada@example.org', emailVerified: true, name: 'Ada Lovelace' },
  bob: { email: 'bob@example.org', emailVerified: true },
  eve: { email: 'operator@example.org', emailVerified: false },
  operator: { email: 'operator@example.org', emailVerified: true },
  impostor: { email: 'ada@example.org', emailVerified: true },
  nobody: {},
};

describe('login with an OpenID Connect provider', () => {
  let provider: OpenIdTestProvider;
  let told: OpenIdTestProvider;
  let windlass: TestService;
  let start: string;

  before(async () => {
    provider = await OpenIdTestProvider.start({ people });
    told = await OpenIdTestProvider.start({ people, names: ['told'], claimsInIdToken: true });
    windlass = await startWithoutShards({
      ...provider.settings(),
      ...told.settings('told'),
      WINDLASS_LOGINS_PER_MINUTE: '0',
    });
    start = `${windlass.url}/auth/test`;
  });
  after(async () => {
    await windlass.stop();
    await provider.stop();
    await told.stop();
  });

  it('asks the provider with PKCE, state, nonce and the callback address, none of them twice the same', async () => {
    const asked: URLSearchParams[] = [];
    for (let i = 0; i < 2; i++) {
      const { response } = await new RedirectBrowser().open(start);
      expect(response.status).to.equal(303);
      const location = new URL(response.headers.get('location') ?? '');
      expect(location.origin).to.equal(provider.issuer);
      asked.push(location.searchParams);
    }
    const [one, other] = asked;
    expect(one?.get('response_type')).to.equal('code');
    expect(one?.get('code_challenge_method')).to.equal('S256');
    expect(one?.get('redirect_uri')).to.equal(`${windlass.url}/auth/test/cb`);
    expect(one?.get('scope')).to.equal('openid email profile');
    for (const random of ['state', 'nonce', 'code_challenge']) {
      expect(one?.get(random), random).to.match(/^[\w-]{43}$/);
      expect(one?.get(random), random).to.not.equal(other?.get(random));
    }
  });

  it('keeps what it must know in a sealed cookie that scripts cannot read, for 10 minutes', async () => {
    const { response } = await new RedirectBrowser().open(start);
    const state = new URL(response.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const [line = ''] = response.headers.getSetCookie();
    expect(line).to.match(/^wl_login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(Buffer.from(line.split(/[=;]/)[1] ?? '', 'base64url').toString('latin1')).to.not.include(state);
  });

  it('makes a session and an organization, and goes to the console', async () => {
    const browser = new RedirectBrowser();
    const response = await logIn(browser, start, 'ada');
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal('/console');
    expect(browser.cookie(windlass.url, 'wl_login')).to.equal(undefined);
    const [organization, ...others] = await organizationsOf(browser);
    expect(others).to.deep.equal([]);
    expect(organization).to.include({ name: 'Ada Lovelace', role: 'owner' });
  });

  it('sets wl_session for 30 days, HttpOnly, SameSite=Lax, for every path', async () => {
    const response = await logIn(new RedirectBrowser(), start, 'bob');
    const line = response.headers.getSetCookie().find((each) => each.startsWith('wl_session='));
    expect(line)
      .to.match(/; path=\/;/i)
      .and.to.match(/; httponly/i)
      .and.to.match(/; samesite=lax/i);
    expect(line).to.not.match(/; secure/i);
    const expires = Date.parse(/; expires=([^;]+)/i.exec(line ?? '')?.[1] ?? '');
    expect(expires - Date.now()).to.be.within(30 * DAY - 60_000, 30 * DAY + 60_000);
  });

  it('knows who was there before by issuer and subject', async () => {
    const [first, second] = [new RedirectBrowser(), new RedirectBrowser()];
    await logIn(first, start, 'bob');
    await logIn(second, start, 'bob');
    expect(await organizationsOf(first)).to.deep.equal(await organizationsOf(second));
    expect(first.cookie(windlass.url, 'wl_session')).to.not.equal(second.cookie(windlass.url, 'wl_session'));
  });

  it('never lets another subject into an account, though it has the same verified address', async () => {
    const [ada, impostor] = [new RedirectBrowser(), new RedirectBrowser()];
    await logIn(ada, start, 'ada');
    await logIn(impostor, start, 'impostor');
    expect(idsOf(await organizationsOf(impostor))).to.not.include.members(idsOf(await organizationsOf(ada)));
  });

  it('keeps an account whose address changes at the provider', async () => {
    const browser = new RedirectBrowser();
    people['mover'] = { email: 'mover@old.example', emailVerified: true };
    await logIn(browser, start, 'mover');
    const before = idsOf(await organizationsOf(browser));
    people['mover'] = { email: 'mover@new.example', emailVerified: true };
    const later = new RedirectBrowser();
    await logIn(later, start, 'mover');
    expect(idsOf(await organizationsOf(later))).to.deep.equal(before);
  });

  it('gives the account of a one-time link to the verified address alone', async () => {
    const linked = await redeemLink('operator@example.org');
    const [eve, operator] = [new RedirectBrowser(), new RedirectBrowser()];
    await logIn(eve, start, 'eve');
    expect(idsOf(await organizationsOf(eve))).to.not.include.members(linked);
    await logIn(operator, start, 'operator');
    expect(idsOf(await organizationsOf(operator))).to.deep.equal(linked);
  });

  it('logs in people of whom the provider tells nothing but who they are', async () => {
    const browser = new RedirectBrowser();
    await logIn(browser, start, 'nobody');
    expect(await organizationsOf(browser)).to.have.length(1);
  });

  it('reads address and name from the ID token where they are there', async () => {
    const browser = new RedirectBrowser();
    await logIn(browser, `${windlass.url}/auth/told`, 'ada');
    const [organization] = await organizationsOf(browser);
    expect(organization).to.include({ name: 'Ada Lovelace' });
  });

  it('takes the same subject of another issuer for somebody else', async () => {
    const [here, there] = [new RedirectBrowser(), new RedirectBrowser()];
    await logIn(here, start, 'bob');
    await logIn(there, `${windlass.url}/auth/told`, 'bob');
    expect(idsOf(await organizationsOf(here))).to.not.include.members(idsOf(await organizationsOf(there)));
  });

  it('makes a new session whatever cookie came, and ends the one before', async () => {
    const browser = new RedirectBrowser();
    await logIn(browser, start, 'ada');
    const planted = browser.cookieHeader(new URL(windlass.url));
    const before = browser.cookie(windlass.url, 'wl_session');
    browser.forget(provider.issuer);
    await logIn(browser, start, 'bob');
    expect(browser.cookie(windlass.url, 'wl_session')).to.not.equal(before);
    const { response } = await new RedirectBrowser().open(`${windlass.url}/api/orgs`, { headers: { Cookie: planted } });
    expect(response.status).to.equal(401);
  });

  it('leads back to where somebody wanted to go', async () => {
    const wanted = '/console/org_x?tab=usage#days';
    const response = await logIn(new RedirectBrowser(), `${start}?return_to=${encodeURIComponent(wanted)}`, 'ada');
    expect(response.headers.get('location')).to.equal(wanted);
  });

  for (const elsewhere of ['https://evil.example/', '//evil.example', '/\\evil.example', '/%09/evil.example\t']) {
    it(`never leads to ${JSON.stringify(elsewhere)}`, async () => {
      const response = await logIn(new RedirectBrowser(), `${start}?return_to=${encodeURIComponent(elsewhere)}`, 'ada');
      expect(response.headers.get('location')).to.equal('/console');
    });
  }

  it('runs in two tabs of a browser one after the other, the later one wins', async () => {
    const browser = new RedirectBrowser();
    const first = await getCallback(browser, start, 'ada');
    const second = await getCallback(browser, start, 'ada');
    expect(destination(await browser.open(first))?.search).to.equal('?error=state');
    expect(destination(await browser.open(second))?.pathname).to.equal('/console');
  });

  it('begins on the name of the callback address, where the cookie must be', async () => {
    const localhost = start.replace('127.0.0.1', 'localhost');
    const visit = await new RedirectBrowser().open(`${localhost}?return_to=/console`);
    expect(destination(visit)?.href).to.equal(`${start}?return_to=/console`);
    const { url } = await goToProvider(new RedirectBrowser(), localhost);
    expect(url.origin).to.equal(provider.issuer);
  });

  /** Redeems a link, which makes an account with an organization. */
  async function redeemLink(email: string): Promise<string[]> {
    const control = await ControlDatabase.open(windlass.folder, { secret: null });
    try {
      const account = await control.logins.redeem((await control.logins.createLink(email)).token, { ip: null });
      if (account === null) throw new Error('the link is fresh');
      return (await control.members.ofAccount(account.id)).map(({ organization }) => organization.id);
    } finally {
      await control.close();
    }
  }

  async function organizationsOf(browser: RedirectBrowser): Promise<Record<string, unknown>[]> {
    const { response } = await browser.open(`${windlass.url}/api/orgs`);
    expect(response.status).to.equal(200);
    return (await response.json()) as Record<string, unknown>[];
  }
});

function idsOf(organizations: readonly Record<string, unknown>[]): unknown[] {
  return organizations.map(({ id }) => id);
}
