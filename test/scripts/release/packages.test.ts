import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { runProgram } from '../../cli/run-program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Manifest = Readonly<Record<string, unknown>>;

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const { version } = manifestOf('.'); // prettier-ignore

/** What npm makes of a folder, or a package that is there, unpacked. */
function unpacked(file: string): string {
  const folder = temporaryFolder();
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  return join(folder, 'package');
}

describe('the package of the server', () => {
  let folder: string;
  let server: ChildProcess | undefined;
  before(async () => {
    const { packInto } = (await import(pathToFileURL('scripts/npm.mjs').href)) as {
      packInto: (destination: string, folders: readonly string[]) => string[];
    };
    folder = unpacked(packInto(temporaryFolder(), [resolve('.')])[0]!);
    // What npm would install beside it. No registry is asked.
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { dev?: boolean; link?: boolean }>;
    };
    for (const [path, { dev = false, link = false }] of Object.entries(packages)) {
      if (dev || link || !/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path)) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(resolve(path), join(folder, path));
    }
  });
  after(() => server?.kill('SIGKILL'));

  it('is what its manifest says, and small', async () => {
    const { bin } = manifestOf(folder) as { bin: { wl: string } };
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
    const told = await runProgram(process.execPath, [join(folder, bin.wl), 'version'], { env });
    expect(told).to.deep.equal({ code: 0, stdout: `${String(version)}\n`, stderr: '' });
    const files = execFileSync('find', ['.', '-type', 'f', '-not', '-path', './node_modules/*'], { cwd: folder, encoding: 'utf8' }); // prettier-ignore
    expect(files).to.not.match(/\.map$|\.ts$|\/test\//m);
  });

  it('serves, with its pages and the packages for those who use the host, and stops', async () => {
    const env = {
      ...{ PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', WINDLASS_DATA: join(temporaryFolder(), 'data') },
      ...{ WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: 'none' },
    };
    server = spawn(process.execPath, [join(folder, 'dist/bin/wl.js'), 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] }); // prettier-ignore
    const url = await new Promise<string>((done) => {
      let said = '';
      server?.stdout?.on('data', (chunk) => {
        said += String(chunk);
        const [, found] = / is ready on (\S+) /.exec(said) ?? [];
        if (found !== undefined) done(found);
      });
    });
    for (const path of ['/healthz', '/', '/docs/', '/docs/install', '/openapi.json', '/public/wl.tgz', '/public/windlass-client.tgz'])
      expect((await fetch(url + path)).status, path).to.equal(200);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).to.deep.equal([0, null]);
  }); // prettier-ignore
});

describe('the packages that a host gives', () => {
  it('have the version of the server and no dependencies', () => {
    for (const [file, name] of [
      ['wl.tgz', 'windlass-wl'],
      ['windlass-client.tgz', 'windlass-client'],
    ] as const) {
      const manifest = manifestOf(unpacked(join('dist/public', file)));
      expect(manifest).to.include({ name, version, license: 'MIT' });
      expect(manifest).to.not.have.any.keys('dependencies', 'optionalDependencies', 'peerDependencies');
    }
  });

  it('have the licence of each package in them', () => {
    const folder = unpacked('dist/public/wl.tgz');
    const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8').split('-'.repeat(80));
    expect(notices.length).to.be.above(10);
    for (const name of ['yargs', 'undici', 'yaml', 'ajv', 'csv-parse'])
      expect(
        notices.some((notice) => new RegExp(`^${name} [\\d.]+$`, 'm').test(notice)),
        name,
      ).to.equal(true);
    for (const notice of notices) expect(notice).to.match(/copyright|MIT|ISC|BSD|Apache/i);
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).to.equal(readFileSync('LICENSE', 'utf8'));
  });

  it('say of the commands of the server where those are', async () => {
    const folder = unpacked('dist/public/wl.tgz');
    for (const command of ['serve', 'admin']) {
      const { code, stdout, stderr } = await runProgram(process.execPath, [join(folder, 'bin/wl.js'), command], {
        env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
      });
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.include(`\`wl ${command}\` is not part of this program`)
        .and.include(`npm install --global ./windlass-${String(version)}.tgz`)
        .and.include('docs/install.md');
    }
  });
});
