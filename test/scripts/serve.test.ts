import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('npm start', () => {
  it('says what `wl` is in a checkout once the service is ready, and ends with it', async () => {
    // The script beside steps that build nothing: the service is that of this build, without demo data.
    const scripts = join(temporaryFolder(), 'scripts');
    mkdirSync(scripts);
    copyFileSync('scripts/serve.mjs', join(scripts, 'serve.mjs'));
    const steps = `export const ROOT = ${JSON.stringify(process.cwd())}; export const buildIfChanged = () => undefined;`;
    writeFileSync(join(scripts, 'steps.mjs'), steps);
    writeFileSync(
      join(scripts, 'demo.mjs'),
      "export const fillDemoProject = async () => undefined; export const loginLink = () => 'http://link';",
    );
    const { PATH = '' } = process.env;
    const args = ['--addr', '127.0.0.1:0', '--metrics-addr', 'none', '--data', join(temporaryFolder(), 'data')];
    const child = spawn(process.execPath, [join(scripts, 'serve.mjs'), ...args], {
      env: { PATH, WINDLASS_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const lines: string[] = [];
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        lines.push(line);
        if (line.includes('http://link')) break;
      }
    } finally {
      child.stdout.resume();
      child.kill('SIGTERM');
    }
    expect(lines.join('\n')).to.not.contain('login-link'); // it has made one
    expect(lines.at(-4)).to.match(/^Windlass \S+ is ready on http:\/\/127\.0\.0\.1:\d+ /);
    expect(lines.slice(-3)).to.deep.equal([
      '`wl` is `node dist/bin/wl.js` in this checkout.',
      'Open this to log in, once and within 10 minutes:',
      '  http://link',
    ]);
    expect(await ended).to.deep.equal([0, null]);
  });
});
