import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { runProgram } from './run-program.ts';
import { PROGRAM } from './run-wl.ts';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const PATH = process.env['PATH'] ?? '';

describe('the Node that `wl` needs', () => {
  /** Runs `wl version` on this Node, which claims to be another. */
  function onNode(version: string) {
    const claim = `data:text/javascript,Object.defineProperty(process, 'version', { value: '${version}' })`;
    return runProgram(process.execPath, ['--import', claim, PROGRAM, 'version'], { env: { PATH } });
  }

  it('is that of package.json; an older one gets one sentence and exit code 1, before anything else is loaded', async () => {
    for (const version of ['v4.9.1', 'v18.20.8', 'v20.20.2', 'v22.11.0']) {
      const stderr = `wl needs Node ${engines.node.slice('>='.length)} or newer; this is Node ${version.slice(1)}.\n`;
      expect(await onNode(version), version).to.deep.equal({ code: 1, stdout: '', stderr });
    }
    for (const version of ['v22.12.0', 'v24.0.0', 'v100.0.0-rc.1']) {
      expect((await onNode(version)).code, version).to.equal(0);
    }
  });

  it('is asked for in a file that an old Node can read: no `import` at its top, no `await`, no newer syntax', () => {
    const code = readFileSync(PROGRAM, 'utf8').replaceAll(/\/\/.*$/gm, '');
    expect(code).to.not.match(/^\s*(import\s|export\s*\{[^}])|\bawait\b|\?\?=|#\w+[ (=]/m);
  });

  // If this machine has old versions, tests them for real.
  for (const node of ['/usr/bin/node', '/usr/local/bin/node'].filter((file) => existsSync(file))) {
    it(`is told, or is enough, with ${node}`, async () => {
      const version = (await runProgram(node, ['--version'], { env: { PATH } })).stdout.trim();
      const { code, stderr } = await runProgram(node, [PROGRAM, 'version'], { env: { PATH } });
      const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
      const isOld = major < 22 || (major === 22 && minor < 12);
      expect([code, stderr.includes(version.slice(1))]).to.deep.equal(isOld ? [1, true] : [0, false]);
    });
  }
});
