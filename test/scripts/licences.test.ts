import { pathToFileURL } from 'node:url';
import { expect } from 'chai';

interface Licences {
  isAllowed(expression: unknown): boolean;
  refused(packages: Readonly<Record<string, object>>): string[];
}

describe('licences of packages', () => {
  let licences: Licences;
  before(async () => {
    licences = (await import(pathToFileURL('scripts/licences.mjs').href)) as Licences;
  });

  it('may be MIT and what is like it, or leave the choice of one such', () => {
    for (const expression of [
      'MIT',
      '(MIT)',
      'MIT AND ISC',
      '(GPL-3.0-only OR MIT)',
      'MIT OR (AGPL-3.0 AND ISC)',
      'ISC AND (GPL-2.0 OR MIT)',
    ]) {
      expect(licences.isAllowed(expression), expression).to.equal(true);
    }
  });

  it('may not be GPL, AGPL, unknown, or untold', () => {
    const wrong = [
      'GPL-3.0-only',
      'AGPL-3.0-only',
      'MIT AND GPL-3.0-only',
      '(MIT OR ISC) AND SSPL-1.0',
      'GPL-2.0 OR AGPL-3.0',
    ];
    for (const expression of [
      ...wrong,
      'SEE LICENSE IN LICENSE',
      'UNLICENSED',
      'mit ',
      '',
      '(MIT',
      'MIT)',
      'MIT OR',
      'MIT ISC',
      undefined,
    ]) {
      expect(licences.isAllowed(expression), String(expression)).to.equal(false);
    }
  });

  it('are told by the name of the package', () => {
    const packages = {
      '': { version: '1.0.0' },
      'node_modules/a': { version: '1.0.0', license: 'MIT' },
      'node_modules/a/node_modules/@b/c': { version: '2.0.0', license: 'AGPL-3.0' },
      'node_modules/d': { version: '3.0.0' },
      'node_modules/e': { version: '4.0.0', license: 'MPL-2.0', dev: true },
      'node_modules/f': { version: '5.0.0', license: 'MPL-2.0' },
    };
    expect(licences.refused(packages)).to.deep.equal([
      '@b/c@2.0.0: AGPL-3.0',
      'd@3.0.0: no licence',
      'f@5.0.0: MPL-2.0',
    ]);
  });
});
