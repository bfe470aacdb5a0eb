import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Browser } from '../../support/session-browser.ts';
import { Served } from '../../support/served.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../run-inside.ts';

const ADA = ['--email', 'ada@example.com'];

describe('wl admin login-link', () => {
  let folder: string;
  let server: Served;
  let url: string;
  before(async () => {
    folder = temporaryFolder();
    server = new Served(folder);
    url = await server.ready();
  });
  after(async () => {
    server.kill('SIGTERM');
    await server.exited;
  });

  /** Opens a link that the command prints, as a person would; returns names and roles of the organizations it leads to. */
  async function open(args: readonly string[]): Promise<string[]> {
    const link = new URL(stringIn(await wlJson(folder, ['admin', 'login-link', ...args]), 'url'));
    const browser = new Browser(url);
    const page = await (await browser.get(link.pathname + link.search)).text();
    const login = await browser.openLink(/name="token" value="([^"]+)"/.exec(page)?.[1] ?? '');
    expect(login.headers.get('location')).to.equal('/console');
    const list: unknown = await (await browser.get('/api/orgs')).json();
    if (!Array.isArray(list)) throw new Error('no list');
    return list.map((organization) => `${stringIn(organization, 'role')} of ${stringIn(organization, 'name')}`);
  }

  it('makes whoever opens it first the owner of what the first start made, beside the running server', async () => {
    expect(await open(ADA)).to.deep.equal(['owner of Default']);
    expect(await open(ADA)).to.deep.equal(['owner of Default']);
  });

  it('makes nobody else a member of it, unless told to', async () => {
    expect(await open(['--email', 'grace@example.com'])).to.deep.equal(['owner of grace@example.com']);
    const { id } = Object(await wlJson(folder, ['admin', 'org', 'create', 'Umbrella'])) as { id: string };
    const roles = await open(['--email', 'Grace@example.com', '--org', id, '--role', 'member']);
    expect(roles).to.deep.equal(['owner of grace@example.com', 'member of Umbrella']);
    expect(await open([...ADA, '--org', id])).to.deep.equal(['owner of Default', 'owner of Umbrella']);
  });

  it('is undone by logout: sessions of the address end at once, and links for it that nobody has used', async () => {
    const tokenOf = async (email: string): Promise<string> => {
      const made = await wlJson(folder, ['admin', 'login-link', '--email', email]);
      return new URL(stringIn(made, 'url')).searchParams.get('token') ?? '';
    };
    const [mallory, other] = [new Browser(url), new Browser(url)];
    await mallory.openLink(await tokenOf('Mallory@example.com'));
    await other.openLink(await tokenOf('other@example.com'));
    const unused = await tokenOf('mallory@example.com');
    const status = async (browser: Browser): Promise<number> => (await browser.get('/api/session')).status;
    expect([await status(mallory), await status(other)]).to.deep.equal([200, 200]);
    const ended = await wlJson(folder, ['admin', 'logout', '--email', ' Mallory@Example.com ']);
    expect(ended).to.deep.equal({ email: 'mallory@example.com', sessions_ended: 1 });
    expect([await status(mallory), await status(other)]).to.deep.equal([401, 200]);
    const late = new Browser(url);
    await late.openLink(unused);
    expect(await status(late)).to.equal(401);
    const wrong = await wlInside(['admin', 'logout', '--email', 'nobody', '--data', folder]);
    expect([wrong.code, wrong.stderr]).to.deep.equal([
      1,
      'wl: That is no e-mail address: it should look like ada@example.com.\n',
    ]);
  });

  it('prints the address that browsers see, and until when it works', async () => {
    const { stdout } = await wlInside(['admin', 'login-link', ...ADA, '--json', '--data', folder], {
      WINDLASS_URL: 'https://analytics.example/',
    });
    const printed: unknown = JSON.parse(stdout);
    expect(Object.keys(Object(printed))).to.deep.equal(['url', 'expires_at']);
    expect(stringIn(printed, 'url')).to.match(/^https:\/\/analytics\.example\/auth\/link\?token=[\w-]{43}$/);
    expect(Date.parse(stringIn(printed, 'expires_at')) - Date.now()).to.be.within(9 * 60_000, 10 * 60_000);
    const beside = await wlInside(['admin', 'login-link', ...ADA, '--data', folder], { WINDLASS_ADDR: '0.0.0.0:99' });
    expect(beside.stdout, 'the running server knows better').to.include(`${url}/auth/link?token=`);
    const alone = temporaryFolder();
    await wlJson(alone, ['admin', 'org', 'create', 'Acme']);
    writeFileSync(join(alone, 'address'), 'http://127.0.0.1:1\n'); // left by a killed server
    const everywhere = await wlInside(['admin', 'login-link', ...ADA, '--data', alone], {
      WINDLASS_ADDR: '0.0.0.0:99',
    });
    expect(everywhere.stdout).to.match(/^url +http:\/\/127\.0\.0\.1:99\/auth\/link\?token=/);
    const told = await wlInside(['admin', 'login-link', ...ADA, '--url', 'https://x.example', '--data', folder]);
    expect(told.stdout).to.include('https://x.example/auth/link?token=').and.include('nothing new');
  });

  it('refuses a folder without data, as all that reads or changes one does, and makes none', async () => {
    const wrong = join(temporaryFolder(), 'typo');
    for (const args of [
      ['login-link', ...ADA],
      ['org', 'list'],
      ['project', 'list'],
      ['project', 'create', 'P'],
      ['token', 'list', 'prj_x'],
      ['limits', 'org_x'],
      ['backup', join(wrong, 'backup')],
      ['check'],
    ]) {
      const { code, stdout, stderr } = await wlInside(['admin', ...args, '--data', wrong]);
      expect([args[0], code, stdout, existsSync(wrong)]).to.deep.equal([args[0], 1, '', false]);
      expect(stderr).to.include('is not a data folder').and.include('--data');
    }
  });

  it('takes a role together with an organization only', async () => {
    const { code, stderr } = await wlInside(['admin', 'login-link', ...ADA, '--role', 'admin', '--data', folder]);
    expect([code, stderr.includes('--role needs --org')]).to.deep.equal([1, true]);
  });
});

function stringIn(value: unknown, name: string): string {
  const found: unknown = Object(value)[name];
  if (typeof found !== 'string') throw new Error(`no ${name} in ${JSON.stringify(value)}`);
  return found;
}
