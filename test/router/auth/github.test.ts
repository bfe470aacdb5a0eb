import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import type { GithubUser } from '../../support/github-stand-in.ts';
import { GithubStandIn } from '../../support/github-stand-in.ts';
import { callbackIn, isCallback, logIn } from '../../support/log-in.ts';
import { RedirectBrowser } from '../../support/redirect-browser.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const ADA: GithubUser = {
  id: 1_815,
  login: 'ada',
  name: 'Ada Lovelace',
  emails: [
    { email: 'old@example.org', primary: false, verified: true },
    { email: 'ada@example.org', primary: true, verified: true },
  ],
};

describe('login with GitHub', () => {
  let github: GithubStandIn;
  let windlass: TestService;
  let start: string;

  before(async () => {
    github = await GithubStandIn.start(ADA);
    windlass = await startWithoutShards({ ...github.settings(), WINDLASS_LOGINS_PER_MINUTE: '0' });
    start = `${windlass.url}/auth/github`;
  });
  beforeEach(() => {
    github.user = ADA;
  });
  after(async () => {
    await windlass.stop();
    await github.stop();
  });

  it('asks with PKCE and state for the name and the addresses', async () => {
    const { response } = await new RedirectBrowser().open(start);
    const asked = new URL(response.headers.get('location') ?? '');
    expect(asked.origin + asked.pathname).to.equal(`${github.url}/login/oauth/authorize`);
    expect(asked.searchParams.get('scope')).to.equal('read:user user:email');
    expect(asked.searchParams.get('code_challenge_method')).to.equal('S256');
    expect(asked.searchParams.get('redirect_uri')).to.equal(`${windlass.url}/auth/github/cb`);
    expect(asked.searchParams.get('state')).to.match(/^[\w-]{43}$/);
  });

  it('logs in with the verified primary address, not the public one', async () => {
    expect(await session()).to.include({ email: 'ada@example.org', name: 'Ada Lovelace' });
  });

  it('knows people by their number: a name that somebody else took is somebody else', async () => {
    const ada = await session();
    github.user = { ...ADA, login: 'countess', name: 'A. L.' };
    expect(await session()).to.include({ id: ada['id'], name: 'A. L.' });
    github.user = { ...ADA, id: 1_816 };
    expect((await session())['id']).to.not.equal(ada['id']);
  });

  it('joins the account of a one-time link by a verified primary address alone', async () => {
    const linked = await redeemLink('operator@example.org');
    const email = 'operator@example.org';
    github.user = { ...ADA, id: 2, emails: [{ email, primary: true, verified: false }] };
    expect((await session())['id']).to.not.equal(linked);
    github.user = { ...ADA, id: 3, emails: [{ email, primary: false, verified: true }] };
    expect((await session())['id']).to.not.equal(linked);
    github.user = { ...ADA, id: 4, emails: [{ email, primary: true, verified: true }] };
    expect((await session())['id']).to.equal(linked);
  });

  it('logs in who shows no address', async () => {
    github.user = { ...ADA, id: 5, emails: null };
    expect(await session()).to.include({ email: null });
    github.user = { ...ADA, id: 6, emails: [] };
    expect(await session()).to.include({ email: null });
  });

  for (const id of ['1815', 1.5, null, undefined]) {
    it(`does not log in somebody with the number ${JSON.stringify(id)}`, async () => {
      github.user = { ...ADA, id };
      const response = await logIn(new RedirectBrowser(), start, null);
      expect(response.headers.get('location')).to.equal('/login?error=failed');
    });
  }

  it('refuses a code that another browser got, and an answer that names another issuer', async () => {
    for (const [name, value] of [
      ['code', (await callback(new RedirectBrowser())).searchParams.get('code') ?? ''],
      ['iss', 'https://github.com'],
    ] as const) {
      const browser = new RedirectBrowser();
      const spoiled = await callback(browser);
      spoiled.searchParams.set(name, value);
      const { response } = await browser.open(spoiled);
      expect(response.headers.get('location'), name).to.equal('/login?error=failed');
    }
  });

  async function session(): Promise<Record<string, unknown>> {
    const browser = new RedirectBrowser();
    await logIn(browser, start, null);
    const { response } = await browser.open(`${windlass.url}/api/session`);
    const { account } = await jsonOf(response);
    return { ...(typeof account === 'object' ? account : {}) };
  }

  async function callback(browser: RedirectBrowser): Promise<URL> {
    return callbackIn(await browser.follow(await browser.open(start), isCallback));
  }

  async function redeemLink(email: string): Promise<string | undefined> {
    const control = await ControlDatabase.open(windlass.folder, { secret: null });
    try {
      return (await control.logins.redeem((await control.logins.createLink(email)).token, { ip: null }))?.id;
    } finally {
      await control.close();
    }
  }
});
