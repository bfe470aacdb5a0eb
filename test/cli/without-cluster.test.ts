import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { runProgram } from './run-program.ts';

/** What is in the package. */
const FILES = ['package.json', 'dist/bin', 'dist/bundle', 'dist/lib/base', 'dist/lib/cli'];

const STORE = 'clickhouse://windlass:secret@127.0.0.1:1/windlass';
const CONTROL = 'postgres://windlass:secret@127.0.0.1:1/windlass';

describe('an installation without windlass-cluster', () => {
  const folder = temporaryFolder();
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    WINDLASS_DATA: join(folder, 'data'),
    WINDLASS_SECRET: 's'.repeat(32),
  };
  const run = (line: readonly string[], more = {}) =>
    runProgram(process.execPath, [join(folder, 'dist/bin/wl.js'), ...line], { env: { ...env, ...more } });

  before(() => {
    for (const file of FILES) cpSync(file, join(folder, file), { recursive: true });
    const packages = readdirSync('node_modules').filter((name) => !name.startsWith('.') && name !== 'windlass-cluster');
    mkdirSync(join(folder, 'node_modules'));
    for (const name of packages) symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  });

  it('says what to install where a setting or a command needs it', async () => {
    const asking = [
      run(['admin', 'cluster', 'init']),
      run(['serve'], { WINDLASS_STORE: STORE }),
      run(['admin', 'org', 'list'], { WINDLASS_STORE: STORE, WINDLASS_CONTROL: CONTROL }),
    ];
    for (const { code, stderr } of await Promise.all(asking)) {
      expect(stderr).to.match(
        /need the package windlass-cluster: install it .*`npm install --global \.\/windlass-cluster-\d/,
      );
      expect(code).to.equal(1);
    }
  });

  it('does all else', async () => {
    const help = await run(['admin', '--help']);
    expect([help.code, help.stderr]).to.deep.equal([0, '']);
    const made = await run(['admin', 'org', 'create', 'Acme', '--json']);
    expect([made.code, made.stderr]).to.deep.equal([0, '']);
  });
});
