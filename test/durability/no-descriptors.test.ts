import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { expect } from 'chai';
import { text } from 'node:stream/consumers';
import { Served } from '../support/served.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The soft limit of a running process. */
const allow = (pid: number, descriptors: number): void =>
  void execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${descriptors}:`]);

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The least number that a process may not give a file: all below are taken, or this one is free. */
function firstFree(pid: number): number {
  const taken = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let free = 0;
  while (taken.has(free)) free++;
  return free;
}

describe('a service without a file descriptor left', () => {
  it('answers what needs none, says 503 to the rest, and goes on once there are some', async function () {
    this.timeout(120_000);
    if (!hasPrlimit()) return this.skip();
    const served = new Served(temporaryFolder(), { WINDLASS_EVENTS_PER_MINUTE: '0' });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const url = await served.ready();
      const ask = (method: string, path: string, body?: object): Promise<{ status: number; said: string }> =>
        new Promise((resolve, reject) => {
          const headers = { 'X-API-Key': served.secretKey };
          const request = http.request(url + path, { method, agent, headers }, (response) => {
            text(response).then((said) => resolve({ status: response.statusCode ?? 0, said }), reject);
          });
          request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
        });
      expect(await ask('POST', '/track', { event_type: 'e', user_id: 'u' })).to.deep.include({ status: 200 });
      const limit = Number(/^Max open files\s+(\d+)/m.exec(fs.readFileSync(`/proc/${served.pid}/limits`, 'utf8'))?.[1]);
      allow(served.pid, firstFree(served.pid));
      const dashboard: [string, string, object] = ['PUT', '/dashboards/main', { version: 1 }];
      const erase: [string, string] = ['DELETE', '/api/gdpr/users/u'];
      expect((await ask('GET', '/login')).status, 'what is loaded then').to.equal(200);
      allow(served.pid, firstFree(served.pid));
      for (const [method, path, body] of [dashboard, erase]) {
        const { status, said } = await ask(method, path, body);
        expect([status, JSON.parse(said).code], said).to.deep.equal([503, 'storage_unavailable']);
      }
      allow(served.pid, limit);
      expect((await ask(...dashboard)).status).to.equal(400);
      expect(await ask(...erase)).to.deep.equal({
        status: 200,
        said: JSON.stringify({ deleted: { events: 1, profiles: 1, devices: 0 } }),
      });
    } finally {
      agent.destroy();
      served.kill('SIGKILL');
      await served.exited;
    }
  });
});
