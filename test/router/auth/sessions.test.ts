import Database from 'better-sqlite3';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { Sessions } from '../../../lib/control/accounts/sessions.ts';
import { REVOCATION_MS } from '../../../lib/router/auth/credentials.ts';
import { SessionKeeper } from '../../../lib/router/auth/sessions.ts';
import { CONTROL_FILE, ControlDatabase } from '../../../lib/control/database.ts';
import { Browser, makeLink } from '../../support/session-browser.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startWithoutShards } from '../../support/service.ts';

const ADA = 'ada@example.com';
const HOUR = 3_600_000;

describe('sessions', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  const session = async (browser: Browser): Promise<number> => (await browser.get('/api/session')).status;

  it('tell who is logged in', async () => {
    const ada = await Browser.loggedIn(test, ' Ada@Example.com');
    const { account } = await jsonOf(await ada.get('/api/session'));
    expect(account).to.include({ email: ADA, name: null });
    expect(await session(new Browser(test.url))).to.equal(401);
  });

  it('live in a cookie that scripts and other sites do not get, for 30 days', async () => {
    const response = await new Browser(test.url).openLink(await makeLink(test, ADA));
    const cookies = response.headers.getSetCookie();
    const names = cookies.map((cookie) => cookie.split('=')[0]);
    expect(names).to.have.members(['wl_session', 'wl_session.sig']);
    for (const cookie of cookies) {
      expect(cookie)
        .to.match(/; path=\/; /i)
        .and.match(/; httponly/i)
        .and.match(/; samesite=lax/i);
      expect(cookie).to.not.match(/; secure/i);
      const expires = Date.parse(/expires=([^;]+)/i.exec(cookie)?.[1] ?? '');
      expect(expires - Date.now()).to.be.closeTo(30 * 86_400_000, 60_000);
    }
  });

  it('are renewed by use, once an hour, and end when they were not used for 30 days', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const cookiesSent = async (): Promise<number> => (await ada.get('/api/session')).headers.getSetCookie().length;
    expect(await cookiesSent()).to.equal(0);
    setLastUse(test.folder, Date.now() - 2 * HOUR);
    expect(await cookiesSent()).to.equal(2);
    setLastUse(test.folder, Date.now());
    expect(await cookiesSent()).to.equal(0);
    setLastUse(test.folder, Date.now() - 30 * 24 * HOUR);
    expect(await session(ada)).to.equal(401);
    expect(ada.cookies).to.equal('');
  });

  it('are looked up once a request, and again once its body is there', async () => {
    const ada = await Browser.loggedIn(test, ADA, { orgId: test.keys.organization.id, role: 'owner' });
    const looksOf = async (act: () => Promise<Response>): Promise<[status: number, looks: number]> => {
      // oxlint-disable-next-line typescript/unbound-method -- called with its own `this`
      const { find } = Sessions.prototype;
      let looks = 0;
      Sessions.prototype.find = function (this: Sessions, secret) {
        looks++;
        return find.call(this, secret);
      };
      try {
        return [(await act()).status, looks];
      } finally {
        Sessions.prototype.find = find;
      }
    };
    for (const path of ['/api/session', '/api/orgs', '/api/sessions', '/console', '/console/sessions'])
      expect(await looksOf(() => ada.get(path)), path).to.deep.equal([200, 1]);
    expect(await looksOf(() => ada.get('/api/projects/prj_none')), 'a refusal').to.deep.equal([404, 1]);
    expect(await looksOf(() => ada.call('POST', '/api/orgs', { name: 'More' }))).to.deep.equal([201, 2]);
  });

  it('that end while a request waits long for its turn, or for its body, are not used any more', async () => {
    let time = 0;
    const account = { id: 'usr_1', email: ADA, name: null, createdAt: 0 };
    let looks = 0;
    const control = {
      sessions: { find: () => ++looks && { id: 'ses_1', accountId: account.id, renewed: false } },
      accounts: { get: () => account },
    };
    const keeper = new SessionKeeper({ control, clients: {}, failures: {}, url: null, now: () => time } as never);
    const waiting = { session: { id: 'secret' } } as never;
    expect((await keeper.loggedInEarly(waiting)).account).to.equal(account);
    time = REVOCATION_MS - 1;
    await keeper.loggedIn(waiting);
    expect(looks, 'soon').to.equal(1);
    await keeper.loggedIn(waiting);
    expect(looks, 'after a body').to.equal(2);
    await keeper.loggedInEarly(waiting);
    time += REVOCATION_MS;
    await keeper.loggedIn(waiting);
    expect(looks, 'late').to.equal(4);
  });

  it('need a cookie that nobody has touched', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const good = ada.cookies;
    const flipped = good.replace(
      /(wl_session=.)(.)/,
      (_all, start: string, next: string) => start + (next === 'A' ? 'B' : 'A'),
    );
    expect(flipped).to.not.equal(good);
    for (const wrong of [
      flipped,
      good.replace(/; wl_session\.sig=.*/, ''),
      good.replace(/sig=.*/, 'sig=x'),
      'wl_session=',
    ]) {
      ada.cookies = wrong;
      expect(await session(ada), wrong).to.equal(401);
    }
    ada.cookies = good;
    expect(await session(ada)).to.equal(200);
  });

  it('are new with every login, and end the one before', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const before = ada.cookies;
    await ada.openLink(await makeLink(test, 'grace@example.com'));
    expect(ada.cookies).to.not.equal(before);
    const old = new Browser(test.url);
    old.cookies = before;
    expect(await session(old)).to.equal(401);
    const { account } = await jsonOf(await ada.get('/api/session'));
    expect(account).to.include({ email: 'grace@example.com' });
  });

  it('end in the database with a logout: a copy of the cookie opens nothing', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const copy = new Browser(test.url);
    copy.cookies = ada.cookies;
    const response = await ada.call('POST', '/auth/logout');
    expect(await jsonOf(response)).to.deep.equal({ ok: true });
    expect(ada.cookies).to.equal('');
    expect(await session(copy)).to.equal(401);
    expect(copy.cookies).to.equal('');
    expect((await ada.call('POST', '/auth/logout')).status).to.equal(200);
  });

  it('end with a form, too, which goes on to the login page', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const response = await ada.send('/auth/logout', { method: 'POST', headers: { Accept: 'text/html,*/*;q=0.8' } });
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal('/login');
    expect(response.headers.get('clear-site-data')).to.equal('"storage"');
    expect(await session(ada)).to.equal(401);
  });

  it('change things only for pages of the same origin', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const port = new URL(test.url).port;
    const foreign: Record<string, string>[] = [
      { Origin: '' },
      { Origin: 'null' },
      { Origin: 'https://evil.example' },
      { Origin: `http://127.0.0.1:${port}0` },
      { Origin: `ftp://127.0.0.1:${port}` },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
    ];
    for (const headers of foreign) {
      for (const path of ['/auth/logout', '/auth/link', '/api/orgs']) {
        const response = await ada.send(path, { method: 'POST', headers, body: JSON.stringify({ name: 'Evil' }) });
        expect(response.status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
      }
    }
    expect(await session(ada)).to.equal(200);
    const own = await ada.send('/auth/logout', {
      method: 'POST',
      headers: { Origin: '', 'Sec-Fetch-Site': 'same-origin' },
    });
    expect(own.status).to.equal(200);
  });

  it('end 90 days after the login, however much they are used', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    setLogin(test.folder, Date.now() - 90 * 24 * HOUR + 60_000);
    expect(await session(ada)).to.equal(200);
    setLogin(test.folder, Date.now() - 90 * 24 * HOUR);
    expect(await session(ada)).to.equal(401);
  });

  it('are signed with SHA-256: a signature of SHA-1 under the same key is none', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const [, value = '', signature = ''] = /wl_session=([^;]+); wl_session\.sig=([^;]+)/.exec(ada.cookies) ?? [];
    expect(signature).to.have.length(43);
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const key = control.signingKey('session cookie, sha256');
    await control.close();
    const sign = (hash: string) => createHmac(hash, key).update(`wl_session=${value}`).digest('base64url');
    expect(sign('sha256')).to.equal(signature);
    ada.cookies = `wl_session=${value}; wl_session.sig=${sign('sha1')}`;
    expect(await session(ada)).to.equal(401);
  });

  it('are listed, and ended one by one or all but the one that asks', async () => {
    const browsers = await Promise.all([1, 2, 3].map(() => Browser.loggedIn(test, 'lin@example.com')));
    const [here = new Browser(''), there = new Browser(''), elsewhere = new Browser('')] = browsers;
    const list = async (): Promise<Record<string, unknown>[]> => {
      const rows: unknown = await (await here.get('/api/sessions')).json();
      if (!Array.isArray(rows)) throw new Error('no list');
      return rows.map((row: unknown) => ({ ...(typeof row === 'object' ? row : {}) }));
    };
    expect((await list()).map(({ current }) => current)).to.have.members([false, false, true]);
    expect((await list())[0]).to.have.all.keys('id', 'current', 'created_at', 'last_used_at', 'expires_at', 'ip', 'user_agent'); // prettier-ignore
    const theirs: unknown = await (await there.get('/api/sessions')).json();
    const { id } = Array.isArray(theirs)
      ? (theirs as { id: string; current: boolean }[]).find((one) => one.current)!
      : { id: '' };
    const stranger = await Browser.loggedIn(test, 'stranger@example.com');
    expect((await stranger.call('DELETE', `/api/sessions/${id}`)).status).to.equal(404);
    expect(await session(there)).to.equal(200);
    expect(await jsonOf(await here.call('DELETE', `/api/sessions/${id}`))).to.deep.equal({ deleted: true, id });
    expect(await session(there)).to.equal(401);
    const evil = { method: 'DELETE', headers: { Origin: 'https://evil.example' } };
    expect((await here.send('/api/sessions', evil)).status).to.equal(403);
    expect(await jsonOf(await here.call('DELETE', '/api/sessions'))).to.deep.equal({ deleted: true, ended: 1 });
    expect([await session(here), await session(elsewhere), await session(stranger)]).to.deep.equal([200, 401, 200]);
  });

  it('are the credential of /api/*, where no key counts', async () => {
    for (const path of ['/api/session', '/api/orgs', `/api/orgs/${test.keys.organization.id}`]) {
      const response = await fetch(test.url + path, { headers: { 'X-API-Key': test.keys.secretKey } });
      expect(response.status).to.equal(401);
      expect(await jsonOf(response)).to.include({ code: 'unauthenticated' });
    }
  });
});

describe('sessions behind https', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards({
      WINDLASS_URL: 'https://analytics.example',
      WINDLASS_AUTH_FAILURES_PER_MINUTE: '3',
    });
  });
  after(() => test.stop());

  it('have a cookie that is sent over https alone, though the proxy speaks http', async () => {
    const browser = new Browser(test.url);
    const response = await browser.send('/auth/link', {
      method: 'POST',
      headers: { Origin: 'https://analytics.example' },
      body: new URLSearchParams({ token: await makeLink(test, ADA) }),
    });
    const cookies = response.headers.getSetCookie();
    expect(cookies).to.have.length(2);
    for (const cookie of cookies) expect(cookie).to.match(/; secure/i);
    expect((await browser.get('/api/session')).status).to.equal(200);
  });

  it('change things for pages of the public address, not for those of its name on another scheme or port', async () => {
    const host = 'analytics.example';
    const statuses = [];
    for (const origin of [`https://${host}`, `http://${host}`, `https://${host}:8443`]) {
      statuses.push(await statusOf(`${test.url}/auth/logout`, { Origin: origin, Host: host }));
    }
    expect(statuses).to.deep.equal([200, 403, 403]);
  });

  it('that fail too often from an address are 429, while valid ones go on', async () => {
    const ada = await Browser.loggedIn(test, ADA);
    const nobody = new Browser(test.url);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await nobody.get('/api/orgs')).status);
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
    expect((await ada.get('/api/orgs')).status).to.equal(200);
  });
});

/** The status of a POST. `fetch` does not let one set Host. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

/** Makes every session begin at that time. */
function setLogin(folder: string, at: number): void {
  const db = new Database(join(folder, CONTROL_FILE));
  db.prepare('UPDATE sessions SET created_at = ?').run(at);
  db.close();
}

/** Makes that time the last use of every session. */
function setLastUse(folder: string, at: number): void {
  const db = new Database(join(folder, CONTROL_FILE));
  db.prepare('UPDATE sessions SET used_at = ?').run(at);
  db.close();
}
