import { readFileSync } from 'node:fs';
import { expect } from 'chai';

/** The items of levels 1 and 2 of OWASP ASVS 5.0.0: section and item numbers. */
const SECTIONS = `
1.1:1-2 1.2:1-9 1.3:1-11 1.4:1-3 1.5:1-2 2.1:1-3 2.2:1-3 2.3:1-4 2.4:1-1 3.2:1-2 3.3:1-4 3.4:1-6 3.5:1-5 3.7:1-2 4.1:1-3 4.2:1-1 4.3:1-2 4.4:1-4 5.1:1-1 5.2:1-3 5.3:1-2 5.4:1-3 6.1:1-3 6.2:1-12 6.3:1-4 6.4:1-4 6.5:1-5 6.6:1-3 6.8:1-4 7.1:1-3 7.2:1-4 7.3:1-2 7.4:1-5 7.5:1-2 7.6:1-2 8.1:1-2 8.2:1-3 8.3:1-1 8.4:1-1 9.1:1-3 9.2:1-4 10.1:1-2 10.2:1-2 10.3:1-4 10.4:1-11 10.5:1-5 10.6:1-2 10.7:1-3 11.1:1-2 11.2:1-3 11.3:1-3 11.4:1-4 11.5:1-1 11.6:1-1 12.1:1-3 12.2:1-2 12.3:1-4 13.1:1-1 13.2:1-5 13.3:1-2 13.4:1-5 14.1:1-2 14.2:1-4 14.3:1-3 15.1:1-3 15.2:1-3 15.3:1-7 16.1:1-1 16.2:1-5 16.3:1-4 16.4:1-3 16.5:1-3 17.1:1-1 17.2:1-4 17.3:1-2`;

const ITEMS = SECTIONS.trim()
  .split(/\s+/)
  .flatMap((section) => {
    const [name = '', numbers = ''] = section.split(':');
    const [first = 0, last = first] = numbers.split('-').map(Number);
    const listed = numbers.includes(',') ? numbers.split(',').map(Number) : range(first, last);
    return listed.map((number) => `${name}.${number}`);
  });

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

describe('the table of ASVS 5.0 in docs/SECURITY.md', () => {
  it('has every item of levels 1 and 2 once, and no other', () => {
    const [, table = ''] = readFileSync('docs/SECURITY.md', 'utf8').split('## OWASP ASVS 5.0, level 2');
    const firstCells = table.split('\n').flatMap((line) => /^\| ([\d., ]+?) +\|/.exec(line)?.[1] ?? []);
    const told = firstCells.flatMap((cell) => cell.split(', '));
    expect(ITEMS).to.have.length(253);
    expect(told.toSorted(inOrder)).to.deep.equal(ITEMS.toSorted(inOrder));
  });
});

function inOrder(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
