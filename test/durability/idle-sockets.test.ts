import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Served } from '../support/served.ts';

const DESCRIPTORS = 256;
const SOCKETS = 300;

describe('idle sockets without a key, more than there are file descriptors', () => {
  let folder: string;
  let served: Served;
  const sockets: Socket[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    served = new Served(folder, {}, DESCRIPTORS);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    served.kill('SIGKILL');
    await served.exited;
    rmSync(folder, { recursive: true });
  });

  it('keep nobody from sending events and asking of projects whose files are not open yet', async () => {
    const url = await served.ready();
    const key = (kind: string): string => new RegExp(`\\b${kind}_\\w+`).exec(served.stdout)?.[0] ?? '';
    const { port } = new URL(url);
    await Promise.all(Array.from({ length: SOCKETS }, () => opened(Number(port))));
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, { method: 'POST', headers: { 'X-API-Key': key('sk') }, body: JSON.stringify(body) });
    expect(await (await post('/track', { event_type: 'a' })).json()).to.deep.equal({ accepted: 1 });
    const answer = await post('/query', { q: 'a | count', format: 'json' });
    expect(await answer.json()).to.deep.equal([{ count: 1 }]);
    expect(await (await fetch(`${url}/readyz`)).text()).to.equal('ready');
  });

  /** Resolves once the connection is open, or was cut again. */
  function opened(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    return new Promise((resolve) => socket.on('connect', () => resolve()).on('error', () => resolve()));
  }
});

describe('too few file descriptors to serve', () => {
  it('stop the start, with how many are needed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    const served = new Served(folder, {}, 128);
    const [code] = await served.exited;
    rmSync(folder, { recursive: true });
    expect([code, served.stdout]).to.deep.equal([1, '']);
    expect(served.stderr).to.match(/ulimit -n: the process may open 128 files, and needs at least \d+ with 1 thread/);
  });
});
