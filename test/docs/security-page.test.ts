import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('docs/SECURITY.md', () => {
  it('names tests that are there', () => {
    const named = new Set(readFileSync('docs/SECURITY.md', 'utf8').match(/test\/[\w/-]+\.test\.ts/g));
    expect(named.size).to.be.above(20);
    expect([...named].filter((file) => !existsSync(file))).to.deep.equal([]);
  });
});
