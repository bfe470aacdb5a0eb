import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { runProgram } from '../cli/run-program.ts';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly link?: boolean;
  readonly purl?: string;
  readonly hashes?: unknown[];
  readonly licenses?: unknown[];
}

describe('npm run sbom', () => {
  it('names every package of the lock file, with its hash and its licence', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', npm_config_cache: '/nonexistent/cache' };
    const { code, stdout, stderr } = await runProgram(process.execPath, ['scripts/sbom.mjs'], { env });
    expect(code, stderr).to.equal(0);
    const { bomFormat, metadata, components } = JSON.parse(stdout);
    expect([bomFormat, metadata.component.name, metadata.component.type]).to.deep.equal([
      'CycloneDX',
      'windlass',
      'application',
    ]);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, Component>;
    };
    const locked = Object.entries(packages).flatMap(([path, { name, version, link }]) =>
      path === '' || link ? [] : [`${name ?? path.replace(/^.*node_modules\//, '')}@${version}`],
    );
    const listed = (components as Component[]).map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].toSorted()).to.deep.equal([...new Set(locked)].toSorted());
    const { READ_BY_HAND } = (await import(pathToFileURL('scripts/licences.mjs').href)) as {
      READ_BY_HAND: Set<string>;
    };
    for (const { name, version, purl, hashes, licenses } of components as Component[]) {
      const licence = READ_BY_HAND.has(`${name}@${version}`) ? undefined : 1; // it has no identifier
      const fetched = name === 'windlass-cluster' ? undefined : 1; // which is a folder of this checkout
      expect([purl?.startsWith('pkg:npm/'), hashes?.length, licenses?.length], name).to.deep.equal([
        true,
        fetched,
        licence,
      ]);
    }
  });
});
