import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { expect } from 'chai';
import { wlInside as wl } from '../run-inside.ts';
import { json, ScriptedServer } from '../scripted-server.ts';

describe('settings of the client', () => {
  let folder: string;
  let home: string;
  let server: ScriptedServer;
  let host: string;
  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'windlass-')));
    home = mkdtempSync(join(tmpdir(), 'windlass-'));
    server = new ScriptedServer([], json(200, []));
    host = await server.start();
  });
  afterEach(async () => {
    await server.stop();
    for (const one of [folder, home]) rmSync(one, { recursive: true });
  });

  function writeLocal(content: unknown): void {
    writeFileSync(join(folder, '.windlass.json'), typeof content === 'string' ? content : JSON.stringify(content));
  }

  function writeUser(content: unknown): void {
    mkdirSync(join(home, '.config', 'windlass'), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(home, '.config', 'windlass', 'config.json'), text);
  }

  const run = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    wl(['query', 'a', ...args], { HOME: home, ...env }, { cwd: folder });
  const keys = (): unknown[] => server.requests.map(({ headers }) => headers['x-api-key']);

  it('come from flags, else the environment, else the folder, else the user', async () => {
    const env = { WINDLASS_API_KEY: 'sk_env', WINDLASS_HOST: host };
    writeUser({ api_key: 'sk_user', host });
    await run();
    writeLocal({ api_key: 'sk_folder', host });
    await run();
    await run([], env);
    await run(['--api-key', 'sk_flag', '--host', host], {
      WINDLASS_API_KEY: 'sk_env',
      WINDLASS_HOST: 'http://127.0.0.1:1',
    });
    expect(keys()).to.deep.equal(['sk_user', 'sk_folder', 'sk_env', 'sk_flag']);
  });

  it('each come from where it is, and an empty variable is none', async () => {
    writeUser({ host });
    writeLocal({ api_key: 'sk_folder' });
    await run([], { WINDLASS_HOST: '', WINDLASS_API_KEY: ' ' });
    expect(keys()).to.deep.equal(['sk_folder']);
  });

  it('are looked for below XDG_CONFIG_HOME when that is an absolute path', async () => {
    mkdirSync(join(home, 'xdg', 'windlass'), { recursive: true });
    writeFileSync(join(home, 'xdg', 'windlass', 'config.json'), JSON.stringify({ api_key: 'sk_xdg', host }));
    await run([], { XDG_CONFIG_HOME: join(home, 'xdg') });
    writeUser({ api_key: 'sk_home', host });
    await run([], { XDG_CONFIG_HOME: 'xdg' });
    expect(keys()).to.deep.equal(['sk_xdg', 'sk_home']);
  });

  it('are never looked for in the current folder because HOME is empty', async () => {
    const { stdout } = await wl(['config', 'path'], { HOME: '' }, { cwd: folder });
    expect(isAbsolute(stdout)).to.equal(true);
  });

  it('have http://localhost:8080 as the last host', async () => {
    const { stdout } = await wl(['config', 'get', 'host'], { HOME: home }, { cwd: folder });
    expect(stdout).to.equal('http://localhost:8080\n');
  });

  it('keep the path of a host, and take no address that is none', async () => {
    await run(['--host', `${host}/below/`, '--api-key', 'sk_x']);
    expect(server.requests.map(({ url }) => url)).to.deep.equal(['/below/query']);
    for (const wrong of ['localhost:8080', 'ftp://x', 'http://', 'http://a:secret@x', 'http://x/?a=1', 'http://x/#a']) {
      const { code, stdout, stderr } = await run(['--host', wrong, '--api-key', 'sk_x']);
      expect([code, stdout], wrong).to.deep.equal([1, '']);
      expect(stderr, wrong).to.include('The host from --host must be an address').and.not.include('secret');
    }
  });

  describe('a file that is broken', () => {
    const broken: [string, string][] = [
      ['no JSON', '{"api_key": "sk_secretsecret'],
      ['no object', '[]'],
      ['a key that is no text', '{"api_key": 5}'],
      ['too large', `{"x": "${'x'.repeat(70_000)}"}`],
    ];
    for (const [what, text] of broken) {
      it(`is named, and ends what needs it: ${what}`, async () => {
        writeLocal(text);
        writeUser({ api_key: 'sk_user', host });
        const { code, stdout, stderr } = await run();
        expect([code, stdout, server.requests.length]).to.deep.equal([1, '', 0]);
        expect(stderr)
          .to.include(join(folder, '.windlass.json'))
          .and.not.include('secretsecret')
          .and.not.include('bug');
      });
    }

    it('is named, and ignored, when flags and environment have everything', async () => {
      writeLocal('{');
      const { code, stderr } = await run(['--host', host], { WINDLASS_API_KEY: 'sk_env' });
      expect([code, keys()]).to.deep.equal([0, ['sk_env']]);
      expect(stderr).to.equal(`wl: ${join(folder, '.windlass.json')} is not JSON; it is ignored\n`);
    });

    it('is named when it is a folder, or a link that leads nowhere is as if it were not there', async () => {
      mkdirSync(join(folder, '.windlass.json'));
      const { code, stderr } = await run();
      expect(code).to.equal(1);
      expect(stderr).to.include(join(folder, '.windlass.json'));
      rmSync(join(folder, '.windlass.json'), { recursive: true });
      symlinkSync('nowhere', join(folder, '.windlass.json'));
      writeUser({ api_key: 'sk_user', host });
      expect((await run()).code).to.equal(0);
    });
  });

  describe('a file with a name that nobody knows', () => {
    it('is told of once, with the name and the one that is near, but not its value', async () => {
      writeLocal({ 'api-key': 'sk_secretsecret', host });
      const told = `wl: ${join(folder, '.windlass.json')} has an unknown name "api-key", which is ignored: did you mean "api_key"?\n`;
      const { code, stdout, stderr } = await run();
      expect([code, stdout, server.requests.length]).to.deep.equal([1, '', 0]);
      expect(stderr).to.include(told).and.include('No API key is set').and.not.include('secretsecret');
      const both = await run(['--query', 'b'], { WINDLASS_API_KEY: 'sk_env' });
      expect([both.code, both.stderr, server.requests.length]).to.deep.equal([0, told, 2]);
      expect((await wl(['config', 'list'], { HOME: home }, { cwd: folder })).stderr).to.equal(told);
      expect((await run(['--quiet'], { WINDLASS_API_KEY: 'sk_env' })).stderr).to.equal('');
    });

    it('is told what names there are where none is near, and a long list not to its end', async () => {
      writeUser({ api_key: 'sk_user', host, ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`else${i}`, 1])) });
      const lines = (await run()).stderr.trimEnd().split('\n');
      expect(lines).to.have.length(3);
      const path = join(home, '.config', 'windlass', 'config.json');
      expect(lines[0]).to.equal(`wl: ${path} has an unknown name "else0", which is ignored: it may have "api_key", "host"`);
    });
  }); // prettier-ignore

  describe('a folder that somebody else made', () => {
    it('gets no key of the user for the host that it names', async () => {
      writeUser({ api_key: 'sk_user_0123456789', host: 'http://127.0.0.1:1' });
      writeLocal({ host });
      const { code, stdout, stderr } = await run();
      expect([code, stdout, server.requests.length]).to.deep.equal([1, '', 0]);
      expect(stderr)
        .to.include('is not sent to')
        .and.include(join(folder, '.windlass.json'))
        .and.not.include('0123456789');
    });

    it('is asked without a key where none is needed', async () => {
      writeUser({ api_key: 'sk_user' });
      writeLocal({ host });
      await wl(['health'], { HOME: home }, { cwd: folder });
      expect(keys()).to.deep.equal([undefined, undefined]);
    });

    it('gets a key that comes from a flag, the environment or the same file', async () => {
      writeUser({ api_key: 'sk_user' });
      writeLocal({ host });
      await run(['--api-key', 'sk_flag']);
      await run([], { WINDLASS_API_KEY: 'sk_env' });
      writeLocal({ host, api_key: 'sk_folder' });
      await run();
      expect(keys()).to.deep.equal(['sk_flag', 'sk_env', 'sk_folder']);
    });

    it('has no say when the host comes from a flag or the environment', async () => {
      writeUser({ api_key: 'sk_user' });
      writeLocal({ host: 'http://127.0.0.1:1' });
      await run(['--host', host]);
      await run([], { WINDLASS_HOST: host });
      expect(keys()).to.deep.equal(['sk_user', 'sk_user']);
    });
  });

  it('take no key that could not be sent, and do not show it', async () => {
    for (const key of ['sk_ä0123456789', 'sk_a b0123456789', `sk_${'0123456789'.repeat(30)}`]) {
      const { code, stderr } = await run(['--host', host, '--api-key', key]);
      expect([code, server.requests.length]).to.deep.equal([1, 0]);
      expect(stderr).to.include('--api-key').and.not.include('0123456789');
    }
  });
});
