import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a lock file that somebody removes', () => {
  const started: Served[] = [];
  after(() => started.forEach((served) => served.kill('SIGKILL')));

  it('ends the server before another one has the folder, which finds what was acknowledged', async () => {
    const folder = temporaryFolder();
    const serve = (): Served => {
      const served = new Served(folder);
      started.push(served);
      return served;
    };
    const first = serve();
    const url = await first.ready();
    const key = first.secretKey;
    expect(await post(`${url}/track`, key, { event_type: 'e' })).to.deep.equal({ accepted: 1 });
    rmSync(join(folder, 'lock'));
    const second = serve();
    const [[code], again] = await Promise.all([first.exited, second.ready()]);
    expect(code).to.equal(1);
    expect(first.stderr).to.include('the lock of the data folder was removed or replaced');
    const q = 'e | last 1 d | count';
    expect(await post(`${again}/query`, key, { q, format: 'json' })).to.deep.equal([{ count: 1 }]);
  });
});

async function post(url: string, key: string, body: unknown): Promise<unknown> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
