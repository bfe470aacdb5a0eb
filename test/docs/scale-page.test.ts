import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

describe('cluster/docs/scale.md', () => {
  const page = readFileSync('cluster/docs/scale.md', 'utf8');
  const rows = page.split('\n## Promises\n')[1]!.split('\n## ')[0]!.split('\n').filter((line) => line.startsWith('| ')).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim())); // prettier-ignore

  it('names a test for each of its promises, and each of them is there', () => {
    const [head, rule, ...promises] = rows;
    expect([head?.[0], head?.at(-1), rule?.[0]?.[0]]).to.deep.equal(['promise', 'test', '-']);
    expect(promises.length).to.be.above(15);
    for (const [promise, ...cells] of promises) {
      const [, name] = /^`([\w/-]+)`$/.exec(cells.at(-1) ?? '') ?? [];
      const file = `${name?.startsWith('test/') === true ? '' : 'cluster/test/'}${name}.test.ts`;
      expect(existsSync(file), `${promise}: ${cells.at(-1)}`).to.equal(true);
      expect(readFileSync(file, 'utf8'), file).to.match(/^\s*(?:it|test)\(|for \(/m);
    }
  });

  it('links to parts of itself that there are', () => {
    const heads = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.toLowerCase().replaceAll(/[^\w -]/g, '').replaceAll(' ', '-'))); // prettier-ignore
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].flatMap(([, link]) => link ?? []);
    expect(links.length).to.be.above(5);
    for (const link of links) expect(heads).to.include(link);
  });
});
