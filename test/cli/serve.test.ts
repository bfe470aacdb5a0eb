import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { codeIsKept, TELL_REFUSED_CODE } from '../support/refused-code.ts';
import { Served } from '../support/served.ts';

describe('wl serve', () => {
  let folder: string;
  let served: Served;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    served = new Served(folder, { MALLOC_MMAP_THRESHOLD_: undefined, ...(codeIsKept() ? TELL_REFUSED_CODE : {}) });
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

  it('prints keys that work at the first start, logs JSON without them, gives freed memory back, takes the code that the build kept, and ends with 0 at SIGTERM', async () => {
    const url = await served.ready();
    const [secret, publicKey] = [keyOf('sk'), keyOf('pk')];
    expect(await (await post(`${url}/track`, { event_type: 'a' }, publicKey)).json()).to.deep.equal({ accepted: 1 });
    const answer = await post(`${url}/query`, { q: 'a | count', format: 'json' }, secret);
    expect(await answer.json()).to.deep.equal([{ count: 1 }]);
    if (process.platform === 'linux') {
      const settings = readFileSync(`/proc/${served.pid}/environ`, 'utf8').split('\0');
      expect(settings, 'as the process that was started').to.include.members([
        'MALLOC_MMAP_THRESHOLD_=262144',
        'MALLOC_ARENA_MAX=2',
      ]);
    }
    if (codeIsKept()) expect(served.stderr, 'code that V8 refused').to.not.contain('.code.cjs');
    served.kill('SIGTERM');
    expect(await served.exited).to.deep.equal([0, null]);
    const lines = served.stderr.trim().split('\n');
    for (const line of lines) expect(() => void JSON.parse(line), line).to.not.throw();
    expect(served.stderr).to.not.contain(secret).and.not.contain(publicKey);
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
