import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { manPage } from '../../scripts/man-page.ts';
import { CATALOG } from '../../lib/cli/catalog.ts';
import type { Command } from '../../lib/cli/command.ts';
import { runProgram } from '../cli/run-program.ts';

const FILE = 'docs/wl.1';
const REQUESTS = ['.\\"', '.TH', '.SH', '.SS', '.TP', '.PP', '.B', '.I', '.RS', '.RE', '.nf', '.fi'];

describe('docs/wl.1', () => {
  const page = readFileSync(FILE, 'utf8');

  it('is what the commands say', async () => {
    expect(page, 'run `npm run docs`').to.equal(await manPage());
    expect(JSON.parse(readFileSync('package.json', 'utf8')).man).to.equal(`./${FILE}`);
  });

  it('has every command with its options', async () => {
    const text = page.replaceAll('\\-', '-');
    const check = (command: Command, above: string): void => {
      const words = `${above} ${command.usage}`;
      expect(text).to.include(`.SS "${words}"`);
      const section = text.slice(text.indexOf(`.SS "${words}"`)).split('.SS', 2)[1];
      for (const name of Object.keys(command.options))
        expect(section, words).to.match(new RegExp(`^\\.[BI] (?:--)?${name}\\b`, 'm'));
      for (const below of command.commands ?? []) check(below, words);
    };
    for (const entry of CATALOG) check(await entry.load(['cluster']), 'wl');
  });

  it('is plain roff: known requests, ASCII, and no line that is taken for a request', () => {
    for (const line of page.trimEnd().split('\n')) {
      expect(line).to.match(/^[ -~]+$/);
      if (/^[.']/.test(line)) expect(REQUESTS, line).to.include(line.split(' ', 1)[0]);
      expect(line.replace(/^\.\\"/, ''), line).not.to.match(/\\(?![-e&]|\(dq|\(ti|\[u[0-9A-F]{4,6}\]|f[IR])/);
    }
  });

  it('has no error that a formatter of this machine finds', async () => {
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' };
    const { code, stdout, stderr } = await runProgram('sh', ['-c', `! command -v mandoc || mandoc -T lint -W error "$0"`, resolve(FILE)], { env }); // prettier-ignore
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(stdout).not.to.include('ERROR');
  });
});
