import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { PACKAGE, startRegistry, VERSION, type Registry } from './registry.ts';

type Started = ChildProcessByStdio<null, Readable, Readable>;

const PLATFORM = `${process.platform}-${process.arch}`;
const FETCHING = `Fetching Node ${VERSION} into .node, once (this is Node 18.20.8)\n`;

describe('a script that is started on an older Node', () => {
  let registry: Registry;
  let checkout: string;
  before(async () => {
    registry = await startRegistry();
  });
  after(() => registry.close());
  beforeEach(() => {
    checkout = temporaryFolder();
    mkdirSync(join(checkout, 'scripts'));
    for (const name of ['run', 'prepare', 'provide-node', 'npm', 'root']) {
      copyFileSync(`scripts/${name}.mjs`, join(checkout, 'scripts', `${name}.mjs`));
    }
    write('package.json', { name: 'checkout', version: '1.0.0', engines: { node: '>=20.0' } });
    write('package-lock.json', { name: 'checkout', lockfileVersion: 3, packages: { '': { version: '1.0.0' } } });
    pin(registry.integrity);
    writeFileSync(
      join(checkout, 'scripts', 'probe.mjs'),
      `import { execFileSync } from 'node:child_process';
       process.on('SIGTERM', () => process.exit(7));
       const inPath = execFileSync('sh', ['-c', 'command -v node'], { encoding: 'utf8' }).trim();
       console.log(JSON.stringify({ version: process.version, args: process.argv.slice(2), inPath }));
       if (process.argv[2] === 'wait') setInterval(() => {}, 1000);`,
    );
  });

  function write(name: string, content: unknown): void {
    writeFileSync(join(checkout, name), JSON.stringify(content));
  }

  /** Pins the registry's package for every line, on this platform. */
  function pin(integrity: string): void {
    const pinned = { [PLATFORM]: { package: PACKAGE, version: VERSION, integrity } };
    write('scripts/nodes.json', { 22: pinned, 24: pinned, 26: pinned });
  }

  /** Has the checkout need the registry's package, as one of `dependencies` or `devDependencies`. */
  function need(kind: 'dependencies' | 'devDependencies'): void {
    const needed = { [kind]: { [PACKAGE]: VERSION } };
    const mark = kind === 'devDependencies' ? { dev: true } : {};
    write('package.json', { name: 'checkout', version: '1.0.0', engines: { node: '>=20.0' }, ...needed });
    write('package-lock.json', {
      name: 'checkout',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'checkout', version: '1.0.0', ...needed },
        [`node_modules/${PACKAGE}`]: { version: VERSION, integrity: registry.integrity, ...mark },
        'node_modules/elsewhere': { version: '1.0.0', optional: true, os: ['plan9'] },
      },
    });
  }

  /** Runs on this Node, which claims to be 18. */
  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const claim = `data:text/javascript,Object.defineProperty(process, 'version', { value: 'v18.20.8' })`;
    return spawn(process.execPath, ['--import', claim, 'scripts/run.mjs', 'probe', ...args], {
      cwd: checkout,
      env: {
        PATH: process.env['PATH'],
        npm_execpath: process.env['npm_execpath'],
        npm_config_registry: registry.url,
        npm_config_cache: join(checkout, '.cache'),
        npm_config_userconfig: join(checkout, '.npmrc'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own process group
    });
  }

  async function finish(child: Started) {
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, stdout, stderr };
  }

  const kept = (): string[] => readdirSync(join(checkout, '.node'));

  it('says in a line that it fetches Node, and goes on with that; the second time it fetches and says nothing', async () => {
    const before = registry.downloads;
    const first = await finish(start(['a', '--b=c']));
    expect([first.code, first.stderr]).to.deep.equal([0, FETCHING]);
    const inPath = join(realpathSync(checkout), '.node', `${PLATFORM}-${VERSION}`, 'node');
    expect(JSON.parse(first.stdout)).to.deep.equal({ version: process.version, args: ['a', '--b=c'], inPath });
    expect(await finish(start(['a', '--b=c']))).to.deep.equal({ ...first, stderr: '' });
    expect(registry.downloads - before).to.equal(1);
    expect(kept()).to.deep.equal([`${PLATFORM}-${VERSION}`]);
  });

  it('installs the packages of the lock file when they are missing, and says so in a line', async () => {
    need('dependencies');
    const first = await finish(start([]));
    expect([first.code, first.stderr]).to.deep.equal([0, `${FETCHING}Installing 1 packages\n`]);
    expect(existsSync(join(checkout, 'node_modules', PACKAGE, 'package.json'))).to.equal(true);
    expect((await finish(start([]))).stderr).to.equal('');
  });

  it('installs what builds, too, where NODE_ENV or npm is set for production', async () => {
    need('devDependencies');
    const { code } = await finish(start([], { NODE_ENV: 'production', npm_config_omit: 'dev' }));
    expect([code, existsSync(join(checkout, 'node_modules', PACKAGE, 'package.json'))]).to.deep.equal([0, true]);
  });

  it('fetches anew what a killed one left half done, and leaves nothing of it', async () => {
    const stalled = registry.stall();
    const killed = start([]);
    await stalled;
    process.kill(-(killed.pid ?? 0), 'SIGKILL'); // with its npm
    await finish(killed);
    expect(kept()).to.deep.equal([`fetching-${killed.pid}`]);
    const next = await finish(start([]));
    expect([next.code, next.stderr]).to.deep.equal([0, FETCHING]);
    expect(kept()).to.deep.equal([`${PLATFORM}-${VERSION}`]);
  });

  it('ends with a sentence and exit code 1 when Node cannot be had, or is not what was pinned', async () => {
    const other = `sha512-${Buffer.alloc(64).toString('base64')}`;
    pin(other);
    const changed = await finish(start([]));
    expect([changed.code, changed.stdout]).to.deep.equal([1, '']);
    expect(changed.stderr.replace(FETCHING, '')).to.match(
      /^Node [\d.]+ could not be fetched: npm says EINTEGRITY.*\n$/,
    );
    pin(registry.integrity);
    const closed = await finish(
      start([], { npm_config_registry: 'http://127.0.0.1:1/', npm_config_fetch_retries: '0' }),
    );
    expect([closed.code, closed.stdout]).to.deep.equal([1, '']);
    expect(closed.stderr.replace(FETCHING, '')).to.match(
      /^Node [\d.]+ could not be fetched: npm says .*ECONNREFUSED.*\n$/,
    );
    expect(kept()).to.deep.equal([]);
  });

  it('passes on a signal, and the exit code', async () => {
    const child = start(['wait']);
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    child.kill('SIGTERM');
    expect((await finish(child)).code).to.equal(7);
  });
});
