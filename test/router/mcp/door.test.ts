import { expect } from 'chai';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { connectHttp } from '../../support/mcp-client.ts';
import { jsonOf, startWithoutShards, type TestService } from '../../support/service.ts';
import { makeTenant, type Tenant } from '../../support/tenants.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

const ACCEPT = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };

describe('POST /mcp', () => {
  let test: TestService;
  let tenant: Tenant;
  before(async () => {
    test = await startWithoutShards();
    tenant = await makeTenant(test, 'Door');
  });
  after(() => test.stop());

  const post = (headers: Record<string, string>, body: unknown = INITIALIZE, query = ''): Promise<Response> =>
    fetch(`${test.url}/mcp${query}`, {
      method: 'POST',
      headers: { ...ACCEPT, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const statusOf = async (...sent: Parameters<typeof post>): Promise<number> => (await post(...sent)).status;
  const token = async (more: { lifetimeMs?: number }): Promise<string> => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    try {
      const wanted = { projectId: tenant.projectId, name: 'agent', scopes: ['query'] as const, ...more };
      return (await control.tokens.create(wanted, { name: 'test', ip: null })).key;
    } finally {
      await control.close();
    }
  };

  it('keeps no sessions: there is nothing to GET, and nothing to DELETE', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const response = await fetch(`${test.url}/mcp`, { method, headers: { 'X-API-Key': tenant.secretKey } });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('POST');
    }
    expect((await post({ 'X-API-Key': tenant.secretKey })).headers.get('mcp-session-id')).to.equal(null);
  });

  it('takes a key of either header, and not of the address', async () => {
    const { secretKey } = tenant;
    expect(await statusOf({ 'X-API-Key': secretKey })).to.equal(200);
    expect(await statusOf({ Authorization: `Bearer ${secretKey}` })).to.equal(200);
    expect(await statusOf({ 'X-API-Key': secretKey, Authorization: `Bearer ${secretKey}` })).to.equal(200);
    expect(await statusOf({}, INITIALIZE, `?key=${secretKey}`)).to.equal(401);
    expect(await statusOf({ 'X-API-Key': secretKey, Authorization: `Bearer ${tenant.tokens.query.key}` })).to.equal(
      401,
    );
  });

  it('lets in neither a public key, nor an expired or unknown one, nor a session', async () => {
    expect(await statusOf({ 'X-API-Key': tenant.publicKey })).to.equal(403);
    expect(await statusOf({ Authorization: `Bearer ${await token({ lifetimeMs: -1 })}` })).to.equal(401);
    expect(await statusOf({ Authorization: 'Bearer aat_unknown' })).to.equal(401);
    expect(await statusOf({ Cookie: tenant.cookies.owner, Origin: test.url })).to.equal(401);
  });

  it('refuses what is no message, and several at once', async () => {
    const key = { 'X-API-Key': tenant.secretKey };
    expect(await statusOf(key, [INITIALIZE, INITIALIZE])).to.equal(400);
    expect(await statusOf(key, '{')).to.equal(400);
    expect(await statusOf(key, JSON.stringify('x'.repeat(140_000)))).to.equal(413);
    expect(await statusOf({ ...key, 'Content-Type': 'text/plain' })).to.equal(415);
    expect(await statusOf({ ...key, Accept: 'text/html' })).to.equal(406);
    expect(await statusOf(key, { jsonrpc: '2.0', method: 'notifications/initialized' })).to.equal(202);
  });

  it('holds no subscription open', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: {}, _meta: meta },
    };
    const headers = {
      'X-API-Key': tenant.secretKey,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': listen.method,
    };
    expect(await jsonOf(await post(headers, listen))).to.include.keys('error');
  });

  it('does what the key may do no longer once it is gone', async () => {
    const key = await token({});
    const client = await connectHttp(test.url, key, '2025-11-25');
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const [{ id } = { id: '' }] = (await control.tokens.list(tenant.projectId)).filter(({ prefix }) =>
      key.startsWith(prefix.replace('…', '')),
    );
    await control.tokens.revoke(tenant.projectId, id, { name: 'test', ip: null });
    await control.close();
    await waitForRefusal(() => client.tools());
    await client.close();
  });
});

/** Credentials are known for a moment after they were looked up. */
async function waitForRefusal(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    const said = await ask().then(() => null, String);
    if (said === null) continue;
    expect(said).to.contain('revoked or expired');
    return;
  }
}

describe('the names in requests to /mcp', () => {
  const ask = async (url: string, key: string, headers: Record<string, string>): Promise<[number, string]> => {
    const body = JSON.stringify(INITIALIZE);
    const options = { method: 'POST', headers: { ...ACCEPT, 'X-API-Key': key, ...headers } };
    return new Promise((resolve, reject) => {
      const request = http.request(`${url}/mcp`, options, (response) => {
        text(response).then((said) => resolve([response.statusCode ?? 0, said]), reject);
      });
      request.on('error', reject).end(body);
    });
  };

  const tried: readonly { settings: Record<string, string>; good: Record<string, string>[]; bad: Record<string, string>[] }[] = [
    {
      settings: {},
      good: [{ Host: 'localhost:1' }, { Host: '127.0.0.1' }, { Host: '[::1]:8080' }, { Host: '192.0.2.7:8080' }],
      bad: [{ Host: 'evil.example' }, { Host: 'localhost.evil.example' }, { Host: 'evil.example', Origin: 'http://evil.example' }],
    },
    {
      settings: { WINDLASS_URL: 'https://analytics.example' },
      good: [
        { Host: 'analytics.example' },
        { Host: 'analytics.example:8443', Origin: 'https://analytics.example' },
        { Host: 'localhost', Origin: 'https://analytics.example' },
      ],
      bad: [
        { Host: 'evil.example' },
        { Host: 'analytics.example', Origin: 'http://analytics.example' },
        { Host: 'analytics.example', Origin: 'https://evil.example' },
        { Host: 'analytics.example', Origin: 'null' },
      ],
    },
    {
      settings: { WINDLASS_TRUSTED_PROXIES: '127.0.0.0/8' },
      good: [{ Host: 'windlass:8080' }],
      bad: [{ Host: 'windlass:8080', Origin: 'https://evil.example' }],
    },
  ]; // prettier-ignore

  for (const { settings, good, bad } of tried) {
    it(`are this service's, with ${Object.keys(settings).join(', ') || 'usual settings'}`, async () => {
      const test = await startWithoutShards(settings);
      try {
        for (const headers of good)
          expect((await ask(test.url, test.keys.secretKey, headers))[0], JSON.stringify(headers)).to.equal(200);
        for (const headers of bad) {
          const [status, said] = await ask(test.url, test.keys.secretKey, headers);
          expect(status, JSON.stringify(headers)).to.equal(403);
          expect(said).to.match(/The (?:Host|Origin) header names another/);
        }
      } finally {
        await test.stop();
      }
    });
  }
});
