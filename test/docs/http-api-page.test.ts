import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const PAGE = readFileSync('docs/http-api.md', 'utf8');

describe('docs/http-api.md', () => {
  it('names each limit once', () => {
    const [, section = ''] = PAGE.split('\n## Limits\n');
    const [table = ''] = section.split('\n## ');
    const names = [...table.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, name]) => name);
    expect(names).to.include('projects of an organization');
    expect(names).to.deep.equal([...new Set(names)]);
  });
});
