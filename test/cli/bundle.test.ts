import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { CATALOG } from '../../lib/cli/catalog.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENTER, PseudoTerminal } from './pseudo-terminal.ts';
import { runProgram } from './run-program.ts';
import { wlInside } from './run-inside.ts';
import type { Finished } from './run-wl.ts';

const PLAIN = fileURLToPath(new URL('../../bin/client.js', import.meta.url));

describe('the bundle of the client commands', () => {
  const bundle = join(temporaryFolder(), 'client.cjs');
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', WINDLASS_HOST: 'http://127.0.0.1:1' };

  before(async () => {
    const code = `import(${JSON.stringify(pathToFileURL('scripts/bundle.mjs').href)}).then((m) => m.bundleClient(${JSON.stringify(bundle)}))`;
    const built = await runProgram(process.execPath, ['-e', code], { env });
    expect(built).to.deep.equal({ code: 0, stdout: '', stderr: '' });
  });

  it('does and says what the files it is made of do and say', async () => {
    const run = (program: string, line: readonly string[]): Promise<Finished> =>
      runProgram(process.execPath, [program, ...line], { env });
    /** Completion is no command, so it needs a process. */
    const runPlain = (line: readonly string[]): Promise<Finished> =>
      line[0] === '__complete' ? run(PLAIN, line) : wlInside(line, env);
    const clients = CATALOG.filter(({ onServer = false }) => !onServer);
    const lines = [
      ...clients.map(({ name }) => [name, '--help']),
      ['version'],
      ['--help'],
      ['bogus'],
      ['query', '--limit'],
      ['query', 'signup', '--format', 'xml'],
      ['query', 'signup', '--api-key', 'sk_x'],
      ['track'],
      ['config', 'list', '--json'],
      ['project', 'delete', 'prj_x', '--api-key', 'ak_x'],
      ['__complete', 'bash', 'wl query --form'],
    ];
    for (const line of lines) {
      const [bundled, plain] = await Promise.all([run(bundle, line), runPlain(line)]);
      expect(bundled, line.join(' ')).to.deep.equal(plain);
      expect(bundled.stderr).not.to.include('bug');
    }
  });

  it('asks at a terminal', async () => {
    const script = `"${process.execPath}" "${bundle}" gdpr delete u1 --api-key sk_x`;
    const terminal = new PseudoTerminal([], { env, script });
    await terminal.shows('(y/N)');
    terminal.type(`n${ENTER}`);
    expect([await terminal.exited(), terminal.text.includes('Nothing was changed.')]).to.deep.equal([1, true]);
  });
});
