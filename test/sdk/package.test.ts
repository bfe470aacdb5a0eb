import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const USE = `
  const client = createClient({ key: 'pk_x', host: 'http://127.0.0.1:9' });
  client.track({ event_type: 'a' });
  const wl = startWindlass({ key: 'pk_x', host: 'http://127.0.0.1:9' });
  wl.track('a'); wl.identify('ann');
  console.log(choose({ key: 'k', variants: ['a'], unit: 'u' }), typeof fileQueue, JSON.stringify(wl.ids()));`;

describe('windlass-client as a package', function () {
  let folder: string;
  before(async () => {
    await run(process.execPath, ['scripts/build-package.mjs']);
    folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('sdk'), join(folder, 'node_modules', 'windlass-client'));
  });

  async function output(name: string, text: string): Promise<string> {
    writeFileSync(join(folder, name), text);
    return (await run(process.execPath, [join(folder, name)])).stdout;
  }

  it('is imported, also where there is no window, and keeps no process alive', async () => {
    const text = `import { createClient } from 'windlass-client';
      import { choose } from 'windlass-client/choice';
      import { fileQueue } from 'windlass-client/file-queue';
      import { startWindlass } from 'windlass-client/browser';${USE}`;
    expect(await output('esm.mjs', text)).to.equal('a function {}\n');
  });

  it('is required', async () => {
    const text = `const { createClient } = require('windlass-client');
      const { choose } = require('windlass-client/choice');
      const { fileQueue } = require('windlass-client/file-queue');
      const { startWindlass } = require('windlass-client/browser');${USE}`;
    expect(await output('cjs.cjs', text)).to.equal('a function {}\n');
  });
});
