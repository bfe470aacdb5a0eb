import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { startService } from '../../../lib/server/service.ts';
import { startBalancer } from '../../support/balancer.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { type McpClient, newer, older, type Revision, REVISIONS } from '../../support/mcp-client.ts';
import { record } from '../../support/open-schemas.ts';
import type { TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { makeTenant } from '../../support/tenants.ts';
import { PROGRAM, wl } from '../run-wl.ts';
import { ScriptedServer } from '../scripted-server.ts';

/** An agent that starts `wl mcp`, and speaks a revision. */
function start(revision: Revision, host: string, key: string, args: readonly string[] = []): Promise<McpClient> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...COMPILE_CACHE };
  const env = { ...environment, WINDLASS_HOST: host, WINDLASS_API_KEY: key };
  const words = [PROGRAM, 'mcp', ...args];
  const program = { command: process.execPath, args: words, env, stderr: 'pipe' as const };
  return revision === '2026-07-28' ? newer(new StdioClientTransport(program)) : older(new OlderTransport(program));
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((text) => record(JSON.parse(text)));

describe('wl mcp', () => {
  let test: TestService;
  let env: Record<string, string>;
  before(async () => {
    test = await sharedService();
    env = { WINDLASS_HOST: test.url, WINDLASS_API_KEY: test.keys.secretKey };
    await test.post('/track', { event_type: 'signup', user_id: 'u1' });
  });

  for (const revision of REVISIONS) {
    it(`offers the tools of the server, in revision ${revision}`, async () => {
      const client = await start(revision, test.url, test.keys.secretKey);
      const names = (await client.tools()).map(({ name }) => name);
      expect(names).to.include.members(['query', 'inspect']).and.not.include('track');
      expect((await client.call('query', { q: 'signup | count | last 1d' })).data['rows']).to.deep.equal([
        { count: 1 },
      ]);
      expect((await client.call('query', { q: 'signup |' })).data).to.include({ code: 'bad_query' });
      expect(await client.read('windlass://language')).to.contain('### Sources');
      expect(await client.prompt('build_funnel', { goal: 'señal → 100 %' })).to.contain('señal → 100 %');
      expect((await client.call('track', { event_type: 'e' })).data).to.include({ code: 'forbidden' });
      await client.close();
    });
  }

  it('stores events with --write, and lists projects with an admin key', async () => {
    const tenant = await makeTenant(test, 'Stdio');
    const writer = await start('2026-07-28', test.url, tenant.tokens.track.key, ['--write']);
    expect((await writer.call('track', { event_type: 'e', user_id: 'u' })).data).to.include({ accepted: 1 });
    await writer.close();
    const admin = await start('2025-11-25', test.url, tenant.adminKey);
    expect((await admin.tools()).map(({ name }) => name)).to.deep.equal(['list_projects']);
    await admin.close();
  });

  it('prints nothing to stdout but answers, one a line, and ends with its input', async () => {
    const input = [
      line({
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
      line({ method: 'notifications/initialized' }),
      'no message\n',
      '\n',
      line({ id: 2, method: 'tools/call', params: { name: 'query', arguments: { q: 'signup | count' } } }),
      `${'x'.repeat(1_100_000)}\n`,
      line({ id: 3, method: 'tools/list' }).trimEnd(),
    ].join('');
    const { code, stdout, stderr } = await wl(['mcp'], env, { input });
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    const answers = linesOf(stdout);
    expect(answers.map(({ jsonrpc }) => jsonrpc)).to.deep.equal(['2.0', '2.0', '2.0', '2.0', '2.0']);
    expect(answers.map(({ id }) => id)).to.have.members([1, 2, 3, null, null]);
  });

  it('says what is wrong before it serves, where there is no key', async () => {
    const { code, stdout, stderr } = await wl(['mcp'], { WINDLASS_HOST: test.url });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.contain('No API key is set');
  });

  it('tells of a key that is refused, in the answer', async () => {
    const input =
      line({ id: 'a', method: 'tools/list' }) + line({ id: 'b', method: 'tools/call', params: { name: 'query' } });
    const { stdout } = await wl(['mcp'], { ...env, WINDLASS_API_KEY: 'aat_expired' }, { input });
    const [list, call] = ['a', 'b'].map((id) => linesOf(stdout).find((answer) => answer['id'] === id));
    expect(JSON.stringify(list?.['error'])).to.contain('revoked or expired');
    expect(record(call?.['result'])).to.include({ isError: true });
  });

  it('says when to come back, where the server has no room', async () => {
    const server = new ScriptedServer([], (response) => {
      response.writeHead(429, { 'Content-Type': 'application/json', 'Retry-After': '60' });
      response.end(JSON.stringify({ error: 'Too many bodies are being received.', code: 'overloaded' }));
    });
    const host = await server.start();
    const input = line({ id: 1, method: 'tools/call', params: { name: 'query' } });
    const { stdout } = await wl(['mcp'], { ...env, WINDLASS_HOST: host }, { input });
    await server.stop();
    expect(stdout).to.contain('Try again in 60 seconds.').and.contain('"isError":true');
  });

  it('goes on when the server was restarted', async () => {
    const settings = {
      WINDLASS_DATA: temporaryFolder(),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: '127.0.0.1:0',
      WINDLASS_THREADS: '1',
    };
    const serve = () => startService({ config: readConfig(settings), log: silentLog() });
    const balancer = await startBalancer();
    let service = await serve();
    balancer.nodes = [service.url];
    const client = await start('2025-11-25', balancer.url, service.defaults?.secretKey ?? '');
    expect((await client.call('query', { q: '* | count' })).isError).to.equal(false);
    await service.close();
    const asked = client.call('query', { q: '* | count' });
    service = await serve();
    balancer.nodes = [service.url];
    expect((await asked).isError).to.equal(false);
    await client.close();
    await balancer.stop();
    await service.close();
  });
});
