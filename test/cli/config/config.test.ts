import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TestService } from '../../support/service.ts';
import { CTRL_C, ENTER, PseudoTerminal } from '../pseudo-terminal.ts';
import { wlInside as wl } from '../run-inside.ts';
import { sharedService } from '../../support/shared-service.ts';

const KEY = 'sk_0123456789abcdefghijKLMN';

describe('wl config', () => {
  let home: string;
  let file: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'windlass-'));
    file = join(home, 'windlass', 'config.json');
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const run = (args: readonly string[], input?: string, env: Readonly<Record<string, string>> = {}) =>
    wl(
      ['config', ...args],
      { XDG_CONFIG_HOME: home, ...env },
      { cwd: home, ...(input === undefined ? {} : { input }) },
    );

  it('keeps values in a file that only its owner may read, and never shows a whole key', async () => {
    const set = await run(['set', 'api-key', KEY]);
    expect(set.code).to.equal(0);
    await run(['set', 'host', 'https://analytics.example.com/']);
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal({ api_key: KEY, host: 'https://analytics.example.com' });
    expect([statSync(file).mode & 0o777, statSync(join(home, 'windlass')).mode & 0o777]).to.deep.equal([0o600, 0o700]);
    const shown = await Promise.all([run(['get', 'api-key']), run(['list']), run(['list', '--format', 'table']), run(['get', 'api-key', '--json'])]);
    for (const { code, stdout, stderr } of [set, ...shown]) {
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.include('sk_…KLMN').and.not.include('0123456789');
    }
    expect((await run(['get', 'host'])).stdout).to.equal('https://analytics.example.com\n');
    expect((await run(['path'])).stdout).to.equal(`${file}\n`);
  }); // prettier-ignore

  it('closes a file and a folder that were open to others, and keeps what else is in it', async () => {
    await run(['set', 'host', 'http://a']);
    writeFileSync(file, '{"host": "http://a", "other": [1]}', { mode: 0o644 });
    await run(['set', 'api-key', '-'], `${KEY}\n`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal({ host: 'http://a', other: [1], api_key: KEY });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
  });

  it('says so where the folder cannot be made', async () => {
    writeFileSync(join(home, 'file'), '');
    for (const base of [join(home, 'file'), '/proc/nobody']) {
      const { code, stderr } = await run(['set', 'host', 'http://a'], '', { XDG_CONFIG_HOME: base });
      expect([code, stderr.startsWith(`wl: Cannot write ${base}/windlass/config.json: `)], stderr).to.deep.equal([
        1,
        true,
      ]);
    }
  });

  it('says where a value is from', async () => {
    await run(['set', 'host', 'http://a']);
    const rows = JSON.parse((await run(['list'], '', { WINDLASS_API_KEY: KEY })).stdout);
    expect(rows).to.deep.equal([
      { name: 'api-key', value: 'sk_…KLMN', source: 'WINDLASS_API_KEY' },
      { name: 'host', value: 'http://a', source: file },
    ]);
  });

  it('refuses what is no name, no address or no key, and names a file that is broken', async () => {
    const cases: [string[], string][] = [
      [['set', 'apikey', KEY], 'apikey'],
      [['set', 'host', 'example.com'], 'must be an address like'],
      [['set', 'api-key', 'a b'], 'is malformed'],
      [['get', 'api-key'], 'api-key is not set'],
      [['init'], 'There is no terminal to prompt on'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr, args.join(' ')).to.include(message);
    }
    await run(['set', 'host', 'http://a']);
    writeFileSync(file, '{');
    const { code, stderr } = await run(['set', 'host', 'http://b']);
    expect([code, readFileSync(file, 'utf8')]).to.deep.equal([1, '{']);
    expect(stderr).to.include(file);
  });

  describe('init', () => {
    let service: TestService;
    before(async () => {
      service = await sharedService();
    });
    const start = (): PseudoTerminal => new PseudoTerminal(['config', 'init'], { env: { XDG_CONFIG_HOME: home } });

    it('asks for server and key, tries them, says what the key may do, and keeps them', async () => {
      const kinds: [string, string][] = [
        [service.keys.secretKey, 'may send events, ask queries, export and erase people.'],
        [service.keys.project.publicKey, 'may send events.'],
        [service.keys.adminKey, 'may manage the projects of an organization.'],
      ];
      for (const [key, powers] of kinds) {
        const terminal = start();
        await terminal.shows('Address of the server:');
        terminal.type(`${service.url}${ENTER}`);
        await terminal.shows('API key');
        terminal.type(`${key}${ENTER}`);
        expect(await terminal.exited(), terminal.text).to.equal(0);
        expect(terminal.text.replaceAll('\n', ' ')).to.include('is up').and.include(powers);
        expect(terminal.raw).to.not.include(key.slice(4, 20));
        expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal({ host: service.url, api_key: key });
      }
    });

    it('asks again for what is no address, and keeps nothing that does not work', async () => {
      const terminal = start();
      await terminal.shows('Address of the server:');
      terminal.type(`nowhere${ENTER}`);
      await terminal.shows('must be an address like');
      terminal.type(`\u0015${service.url}${ENTER}`);
      await terminal.shows('API key');
      terminal.type(`${KEY}${ENTER}`);
      expect(await terminal.exited()).to.equal(1);
      expect(terminal.text).to.include('rejects the key');
      expect(() => statSync(file)).to.throw('ENOENT');
    });

    it('keeps nothing and exits with 130 at Ctrl-C', async () => {
      const terminal = start();
      await terminal.shows('Address of the server:');
      terminal.type(CTRL_C);
      expect(await terminal.exited()).to.equal(130);
      expect(terminal.text).to.not.include('bug');
      expect(() => statSync(file)).to.throw('ENOENT');
    });
  });
});
