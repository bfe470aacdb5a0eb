import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';
import { runProgram } from '../../cli/run-program.ts';
import type { Finished } from '../../cli/run-wl.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What the script reads, and where the version stands. */
const FILES = [
  ...['scripts', 'package.json', 'package-lock.json', 'CHANGELOG.md', 'cluster/package.json', 'sdk/package.json'],
  ...['sdk/core/version.ts', 'deploy/kubernetes/kustomization.yaml', 'cluster/deploy/kubernetes/kustomization.yaml'],
];
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const [major = 0, minor = 0] = version.split('.').map(Number);
const next = `${major}.${minor + 1}.0`;

describe('npm run release -- prepare', () => {
  let folder: string;
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const all = (): string[] => FILES.slice(1).map(read);
  const release = (...args: string[]): Promise<Finished> =>
    runProgram(process.execPath, [join(folder, 'scripts/release.mjs'), ...args], {
      env: { PATH: process.env['PATH'] ?? '' },
    });

  beforeEach(() => {
    folder = temporaryFolder();
    for (const file of FILES) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(file, join(folder, file), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      '# Changelog\n\n## [Unreleased]\n\n- A thing.\n\n## [0.0.1] - 2020-01-01\n',
    );
  });

  it('writes the version wherever it stands, and dates the changelog', async () => {
    const { code, stdout, stderr } = await release('prepare', next);
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.include(`git tag v${next}`);
    expect(read('CHANGELOG.md')).to.match(
      new RegExp(
        `## \\[Unreleased\\]\n\n## \\[${next}\\] - \\d{4}-\\d\\d-\\d\\d\n\n- A thing\\.\n\n## \\[0\\.0\\.1\\]`,
      ),
    );
    for (const file of ['package.json', 'cluster/package.json', 'sdk/package.json'])
      expect((JSON.parse(read(file)) as { version: string }).version, file).to.equal(next);
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> };
    expect(lock.packages['']).to.deep.include({ version: next, peerDependencies: { 'windlass-cluster': next } });
    expect(lock.packages['cluster']).to.deep.include({ version: next });
    const others = lock.packages['node_modules/express'];
    const before = JSON.parse(readFileSync('package-lock.json', 'utf8')) as typeof lock;
    expect(others).to.deep.equal(before.packages['node_modules/express']);
    for (const file of FILES.filter((name) => /version|kustomization/.test(name))) {
      expect(read(file), file).to.include(next);
      expect(read(file), file).to.not.match(new RegExp(`[ ']${version.replaceAll('.', '\\.')}\\b`));
    }
  });

  it('only says so with --dry-run', async () => {
    const before = all();
    const { code, stdout } = await release('prepare', next, '--dry-run');
    expect(code).to.equal(0);
    expect(stdout).to.match(new RegExp(`^Would change ${version} to ${next} in CHANGELOG\\.md, `));
    expect(all()).to.deep.equal(before);
  });

  it('refuses what is no next version, or has nothing to tell, and writes nothing then', async () => {
    for (const [wrong, why] of [
      ['0.2', /is no version such as/],
      ['0.0.0', /0\.0\.0 is older than/],
      ['0.0.1', /has a section 0\.0\.1 already/],
    ] as const) {
      const before = all();
      const { code, stdout, stderr } = await release('prepare', wrong);
      expect([code, stdout], wrong).to.deep.equal([1, '']);
      expect(stderr).to.match(why);
      expect(all()).to.deep.equal(before);
    }
    writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n## [0.0.1] - 2020-01-01\n');
    const empty = await release('prepare', next);
    expect([empty.code, empty.stderr]).to.match(/^1,release: CHANGELOG\.md has nothing below "Unreleased"/);
    const neither = await release();
    expect([neither.code, neither.stderr]).to.match(/^1,release: Say `npm run release -- prepare VERSION`/);
  });

  it('makes nothing of a checkout with changes or without a section of its version, nor where files of others lie', async () => {
    const git = (...args: string[]): Buffer => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder }); // prettier-ignore
    git('init', '--quiet');
    git('add', 'CHANGELOG.md', 'package.json');
    git('commit', '--quiet', '--message', 'One');
    const { code, stdout, stderr } = await release('make', '--dry-run', '--image', '--out', 'sdk');
    expect(code).to.equal(1);
    expect(stderr).to.include(`${join(folder, 'sdk')} has files of others`);
    expect(stderr).to.include(`has no section ${version}`).and.include('changes that are in no commit').and.include('scripts/');
    for (const name of [`windlass-${version}.tgz`, `windlass-client-${version}.tgz`, `windlass-${version}.cdx.json`, 'SHA256SUMS', `windlass-${version}-image.tar`])
      expect(stdout).to.include(name);
  }); // prettier-ignore
});
