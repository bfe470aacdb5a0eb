import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { codeBlocks } from '../docs/code-blocks.ts';
import type { TestService } from '../support/service.ts';
import { startTestService } from '../support/service.ts';
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
  let test: TestService | undefined;
  before(async () => {
    await run(process.execPath, ['scripts/build-package.mjs']);
    folder = temporaryFolder();
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(resolve('sdk'), join(folder, 'node_modules', 'windlass-client'));
  });

  async function output(name: string, text: string): Promise<string> {
    writeFileSync(join(folder, name), text);
    const env = { ...process.env, WINDLASS_API_KEY: test?.keys.secretKey, WINDLASS_HOST: test?.url };
    return (await run(process.execPath, [join(folder, name)], { env, cwd: folder })).stdout;
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

  it('has types that take what is undefined, as variables of the environment are', async () => {
    const text = `import { createClient } from 'windlass-client';
      import { choose } from 'windlass-client/choice';
      import { fileQueue } from 'windlass-client/file-queue';
      import { startWindlass } from 'windlass-client/browser';
      declare const none: undefined;
      const client = createClient({
        ...{ key: 'pk_x', host: 'x', most: none, timeoutMs: none, queue: none, onError: none, waitUntil: none },
        ...{ origin: none, fetch: none },
      });
      client.identify({ user_id: 1, user_property_ops: { $set: none, $set_once: none, $add: none, $unset: none } });
      const rows: object[] = await client.query('a', { limit: none, offset: none, timezone: none, signal: none, format: none });
      choose({ key: 'k', variants: ['a'], unit: 'u', seed: none });
      fileQueue('file', { most: none, onError: none });
      startWindlass({ key: 'pk_x', host: 'x', env: none, storage: none, before: none, debug: none, auto: none });
      export { rows };`;
    writeFileSync(join(folder, 'types.mts'), text);
    const strict = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
    ];
    const tsc = resolve('node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, ...strict, '--types', '', 'types.mts'], { cwd: folder }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).to.equal('');
  });

  it('has its licence in it', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', resolve('sdk')], {
      cwd: folder,
    });
    expect(stdout).to.contain('"path": "LICENSE"');
    expect(readFileSync('sdk/LICENSE', 'utf8')).to.equal(readFileSync('LICENSE', 'utf8'));
  });

  describe('does what docs/sdk.md says:', () => {
    const blocks = codeBlocks('sdk.md', 'mjs').filter((code) => code.includes("'windlass-client"));
    before(async () => {
      test = await startTestService();
    });
    after(async () => {
      await test?.stop();
      test = undefined;
    });

    it('sends and asks', async () => {
      const printed = await output('one.mjs', blocks[0] ?? '');
      expect(printed).to.match(/^1\n.*\| 1 \|\n/s);
      expect(await test?.rows('paid | sum event_properties.amount')).to.deep.equal([{ sum: 12 }]);
    });

    it('keeps events in a file', async () => {
      expect(await output('two.mjs', blocks[1] ?? '')).to.equal('');
      expect(await test?.rows('paid | count')).to.deep.equal([{ count: 2 }]);
    });

    it('runs at the edge', async () => {
      writeFileSync(join(folder, 'edge.mjs'), blocks[2] ?? '');
      const calling = `import edge from './edge.mjs';
        const waits = [];
        const env = { WINDLASS_API_KEY: process.env.WINDLASS_API_KEY, WINDLASS_HOST: process.env.WINDLASS_HOST };
        const answer = edge.fetch(new Request('http://edge.example/'), env, { waitUntil: (wait) => waits.push(wait) });
        console.log(await answer.text(), waits.length);
        await Promise.all(waits);`;
      expect(await output('calling.mjs', calling)).to.equal('hello 1\n');
      expect(await test?.rows('asked | count')).to.deep.equal([{ count: 1 }]);
    });

    it('chooses', async () => {
      await output('choice.mjs', blocks[3] ?? '');
      expect((await test?.rows('choice price'))?.map(({ count }) => count)).to.deep.equal([1]);
      expect(blocks).to.have.length(4);
    });
  });
});
