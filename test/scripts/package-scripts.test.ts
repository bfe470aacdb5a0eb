import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

/** Scripts that run before Node is known to be recent enough. */
const BEFORE = ['run', 'start', 'prepare', 'provide-node', 'free-addresses', 'npm', 'root', 'clean'];

describe('the scripts of package.json', () => {
  it('begin with what fetches Node and installs packages', () => {
    for (const [name, line] of Object.entries(scripts)) {
      const [, own = ''] = /^node scripts\/(?:run\.mjs (?=[a-z])|(?=(?:start|clean)\.mjs$))([a-z-]+)/.exec(line) ?? [];
      expect(own, `${name}: ${line}`).to.not.equal('');
      expect(existsSync(`scripts/${own}.mjs`), line).to.equal(true);
    }
  });

  it('import, until then, nothing but each other and what Node 16 has', () => {
    const allowed =
      /^(\.\/(run|start|prepare|provide-node|free-addresses|npm|root)\.mjs|node:(child_process|fs|net|os|path|url))$/;
    for (const name of BEFORE) {
      const code = readFileSync(`scripts/${name}.mjs`, 'utf8');
      const imported = [...code.matchAll(/^import [^']* from '([^']*)';$/gm)].map(([, from]) => from);
      expect(imported.length + Number(name === 'root'), name).to.be.above(0);
      for (const from of imported) expect(from, name).to.match(allowed);
    }
  });
});
