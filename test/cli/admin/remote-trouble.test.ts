import { expect } from 'chai';
import { wlInside } from '../run-inside.ts';
import type { Finished } from '../run-wl.ts';
import { ScriptedServer } from '../scripted-server.ts';

const KEY = `op_${'k'.repeat(43)}`;

describe('wl admin --host, where the way is bad', () => {
  const admin = (args: readonly string[], host: string): Promise<Finished> =>
    wlInside(['admin', ...args, '--host', host, '--timeout', '2s'], { WINDLASS_OPERATOR_KEY: KEY });

  it('makes something once, however often an answer gets lost', async () => {
    const made: [args: readonly string[], path: string, answer: object][] = [
      [['org', 'create', 'Acme'], '/operator/orgs', { organization: { id: 'org_1', name: 'Acme' }, admin_key: 'ak_1' }],
      [['project', 'create', 'Web', '--org', 'org_1'], '/operator/orgs/org_1/projects', { id: 'prj_1', name: 'Web', public_key: 'pk_1', secret_key: 'sk_1' }],
      [['token', 'create', 'prj_1', '--scopes', 'query'], '/operator/projects/prj_1/tokens', { id: 'tok_1', name: 't', scopes: ['query'], token: 'aat_1' }],
    ];
    const used: unknown[] = [];
    for (const [args, path, answer] of made) {
      const server = new ScriptedServer([(response) => response.destroy(), (response) => response.writeHead(502).end()], (response) => {
        response.writeHead(201, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
      const { code, stderr } = await admin(args, await server.start());
      await server.stop();
      expect(code, stderr).to.equal(0);
      expect(server.requests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal(Array.from({ length: 3 }, () => `POST ${path}`));
      const keys = new Set(server.requests.map(({ headers }) => headers['idempotency-key']));
      expect(keys.size, 'the same with each try').to.equal(1);
      used.push(...keys);
    }
    expect(new Set(used).size, 'another for each command').to.equal(3);
    for (const key of used) expect(key).to.match(/^[\da-f-]{36}$/);
  }); // prettier-ignore

  it('warns where the key goes without TLS to another machine, and only there', async () => {
    const unsafe = await admin(['org', 'list'], 'http://host.invalid');
    expect(unsafe.stderr).to.match(/^wl: http:\/\/host\.invalid is asked without TLS: .* operator key\. Use an https:\/\/ address\.\n/);
    expect(unsafe.stderr).to.not.include(KEY);
    for (const host of ['https://host.invalid', 'http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1']) {
      const { code, stderr } = await admin(['org', 'list'], host);
      expect([code, stderr], host).to.match(/^1,wl: Could not connect|^1,wl: /);
      expect(stderr, host).to.not.include('TLS: who');
    }
  }); // prettier-ignore
});
