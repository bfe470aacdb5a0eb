import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Served } from '../support/served.ts';
import { Browser } from '../support/session-browser.ts';
import { CTRL_C, PseudoTerminal } from './pseudo-terminal.ts';

describe('wl serve', () => {
  let folder: string;
  let served: Served;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    served = new Served(folder, { MALLOC_MMAP_THRESHOLD_: undefined });
  });
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
    rmSync(folder, { recursive: true });
  });

  function keyOf(kind: string): string {
    return new RegExp(`\\b${kind}_\\w+`).exec(served.stdout)?.[0] ?? '';
  }

  async function post(url: string, body: unknown, key: string): Promise<Response> {
    return fetch(url, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) });
  }

  it('prints keys that work at the first start, logs JSON without them, gives freed memory back, and ends with 0 at SIGTERM', async () => {
    const url = await served.ready();
    const [secret, publicKey] = [keyOf('sk'), keyOf('pk')];
    expect(await (await post(`${url}/track`, { event_type: 'a' }, publicKey)).json()).to.deep.equal({ accepted: 1 });
    const answer = await post(`${url}/query`, { q: 'a | count', format: 'json' }, secret);
    expect(await answer.json()).to.deep.equal([{ count: 1 }]);
    if (process.platform === 'linux') {
      const settings = readFileSync(`/proc/${served.pid}/environ`, 'utf8').split('\0');
      expect(settings, 'as the process that was started').to.include.members([
        'MALLOC_MMAP_THRESHOLD_=2097152',
        'MALLOC_ARENA_MAX=2',
      ]);
    }
    served.kill('SIGTERM');
    expect(await served.exited).to.deep.equal([0, null]);
    const lines = served.stderr.trim().split('\n');
    for (const line of lines) expect(() => void JSON.parse(line), line).to.not.throw();
    expect(served.stderr).to.not.contain(secret).and.not.contain(publicKey);
  });

  it('writes the keys of the first start to WINDLASS_FIRST_KEYS_FILE, for its owner alone, and prints none', async () => {
    const keysFile = join(folder, 'first-keys');
    const env = { WINDLASS_FIRST_KEYS_FILE: keysFile };
    served.kill('SIGKILL');
    await served.exited;
    writeFileSync(keysFile, 'mine');
    served = new Served(join(folder, 'data'), env);
    expect((await served.exited)[0], 'a file that is there already').to.equal(1);
    expect(served.stderr).to.include('it exists already');
    expect(readFileSync(keysFile, 'utf8')).to.equal('mine');

    rmSync(keysFile);
    served = new Served(join(folder, 'data'), env);
    const url = await served.ready();
    expect(served.stdout + served.stderr).to.not.match(/\b(?:[ps]k|ak)_/);
    expect(statSync(keysFile).mode & 0o777).to.equal(0o600);
    const keys = readFileSync(keysFile, 'utf8');
    expect(keys.trim().split('\n')).to.have.length(5);
    const secret = /\bsk_\w+/.exec(keys)?.[0] ?? '';
    const answer = await post(`${url}/query`, { q: 'inspect *', format: 'json' }, secret);
    expect(answer.status).to.equal(200);
    served.kill('SIGTERM');
    await served.exited;

    served = new Served(join(folder, 'data'), env);
    await served.ready();
    expect(readFileSync(keysFile, 'utf8'), 'a later start leaves it').to.equal(keys);
  });

  it('keeps what it acknowledged over a kill, and prints the keys no second time', async () => {
    const secret = await served.ready().then(() => keyOf('sk'));
    const url = await served.ready();
    await post(`${url}/track`, { events: [{ event_type: 'a' }, { event_type: 'a' }] }, secret);
    served.kill('SIGKILL');
    await served.exited;
    served = new Served(folder);
    const again = await served.ready();
    expect(served.stdout).to.not.contain('sk_');
    const answer = await post(`${again}/query`, { q: 'a | count', format: 'json' }, secret);
    expect(await answer.json()).to.deep.equal([{ count: 2 }]);
  });

  it('prints at a terminal, at its first start alone, a link that logs in as the owner, once, and over a restart', async () => {
    served.kill('SIGKILL');
    await served.exited;
    expect(served.stdout, 'to a log').to.not.contain('/auth/link?token=');
    const data = join(folder, 'seen');
    const start = (addr: string): PseudoTerminal =>
      new PseudoTerminal(['serve', '--addr', addr, '--metrics-addr', 'none', '--data', data], { columns: 300 });
    const first = start('127.0.0.1:0');
    await first.shows(' is ready on ');
    const [link = '', host = ''] = /(http:\/\/[\d.:]+)\/auth\/link\?token=\S+/.exec(first.text) ?? [];
    first.type(CTRL_C);
    expect(await first.exited()).to.equal(0);
    const second = start(new URL(host).host);
    await second.shows(' is ready on ');
    expect(second.text).to.not.contain('/auth/link');
    const token = new URL(link).searchParams.get('token') ?? '';
    const browser = new Browser(host);
    expect((await browser.openLink(token)).headers.get('location')).to.equal('/console');
    expect(await (await browser.get('/console')).text())
      .to.contain('owner@localhost')
      .and.contain('My project');
    expect((await new Browser(host).openLink(token)).headers.get('location')).to.equal('/login?error=link');
    second.type(CTRL_C);
    await second.exited();
  });

  it('does not start twice on one data folder', async () => {
    await served.ready();
    const second = new Served(folder);
    expect(await second.exited).to.deep.equal([1, null]);
    expect(second.stderr).to.contain(folder);
  });

  it('does not start with a wrong setting, and names it', async () => {
    const wrong = new Served(folder, { WINDLASS_QUERY_TIMEOUT: 'soon' });
    expect(await wrong.exited).to.deep.equal([1, null]);
    expect(wrong.stderr).to.contain('WINDLASS_QUERY_TIMEOUT');
  });

  it('tells of events whose control database is gone', async () => {
    const url = await served.ready();
    await post(`${url}/track`, { event_type: 'a' }, keyOf('sk'));
    await post(`${url}/query`, { q: '* | count' }, keyOf('sk'));
    served.kill('SIGTERM');
    await served.exited;
    expect(served.stderr).to.not.contain('control.db');
    rmSync(join(folder, 'control.db'));
    served = new Served(folder);
    await served.ready();
    expect(served.stderr).to.contain('restore control.db');
  });

  it('takes options before the environment, and names a wrong one', async () => {
    const wrong = { WINDLASS_QUERY_TIMEOUT: 'soon' };
    const right = new Served(join(folder, 'own'), wrong, null, ['--query-timeout', '5s']);
    await right.ready();
    right.kill('SIGKILL');
    await right.exited;
    const refused = new Served(folder, {}, null, ['--query-timeout', 'soon']);
    expect(await refused.exited).to.deep.equal([1, null]);
    expect(refused.stderr).to.contain('--query-timeout');
    const unknown = new Served(folder, {}, null, ['--query-timout', '5s']);
    expect(await unknown.exited).to.deep.equal([1, null]);
    expect(unknown.stderr).to.contain('query-timout').and.contain('wl serve --help');
  });

  it('does not start where it may not, or without a file that a setting names, and tells of no bug', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'no database');
    const cases = [
      [{ WINDLASS_DATA: file }, file],
      [{ WINDLASS_GEOIP_FILE: join(folder, 'none') }, 'WINDLASS_GEOIP_FILE'],
      [{ WINDLASS_GEOIP_FILE: file }, 'WINDLASS_GEOIP_FILE'],
    ] as const;
    for (const [settings, told] of cases) {
      const refused = new Served(folder, settings);
      expect(await refused.exited).to.deep.equal([1, null]);
      expect(refused.stderr).to.contain(told).and.not.contain('bug');
    }
  });

  it('does not start on an address that is taken, and names the setting', async () => {
    const { host } = new URL(await served.ready());
    const other = mkdtempSync(join(tmpdir(), 'windlass-'));
    const second = new Served(other, { WINDLASS_ADDR: host });
    expect(await second.exited).to.deep.equal([1, null]);
    expect(second.stderr).to.contain('WINDLASS_ADDR').and.contain(host);
    rmSync(other, { recursive: true });
  });
});
