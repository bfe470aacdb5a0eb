import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the fingerprint of a checkout', () => {
  it('is the same until a source comes, changes or goes, or other packages are installed', async () => {
    const { fingerprint } = (await import(pathToFileURL('scripts/fingerprint.mjs').href)) as {
      fingerprint: (root: string) => string;
    };
    const root = temporaryFolder();
    const put = (path: string, text: string): void => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    put('lib/base/a.ts', 'a');
    put('package.json', '{}');
    let last = fingerprint(root);
    const changed = (): boolean => last !== (last = fingerprint(root));
    expect(changed()).to.equal(false);
    for (const made of ['dist/a.js', 'sdk/dist/a.js', 'bench/node_modules/a/a.js', 'data/control.db']) put(made, 'x');
    expect(changed(), 'by what is no source').to.equal(false);
    put('lib/base/b.ts', 'b');
    expect(changed(), 'by a new file').to.equal(true);
    put('lib/base/b.ts', 'bb');
    expect(changed(), 'by its content').to.equal(true);
    utimesSync(join(root, 'lib/base/b.ts'), 1, 1);
    expect(changed(), 'by its time').to.equal(true);
    rmSync(join(root, 'lib/base/b.ts'));
    expect(changed(), 'by what is gone').to.equal(true);
    put('node_modules/.package-lock.json', '{}');
    expect(changed(), 'by packages').to.equal(true);
    put('docs/query-language.md', 'a page that is in a bundle');
    expect(changed(), 'by a page').to.equal(true);
  });
});
