import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A curl with what the pages use, for machines without one: `-s`, `-H` and `-d`. */
const CURL = `
const [, ...args] = process.argv;
const after = (flag) => args.flatMap((arg, at) => (args[at - 1] === flag ? [arg] : []));
const headers = Object.fromEntries(after('-H').map((header) => header.split(': ')));
const url = args.find((arg) => /^https?:/.test(arg));
fetch(url, { method: 'POST', headers, body: after('-d')[0] }).then((answer) => answer.text()).then(console.log);
`;

describe('the commands of the landing page', () => {
  let test: TestService;
  let snippets: string[];
  /** Where `npm install -g` puts things. */
  const prefix = temporaryFolder();
  before(async () => {
    test = await startWithoutShards();
    const page = await (await fetch(test.url)).text();
    snippets = [...page.matchAll(/<div class="snippet">\s*<pre[^>]*><code>([^<]*)<\/code>/g)].map(([, code = '']) =>
      plain(code),
    );
  });
  after(() => test.stop());

  function plain(code: string): string {
    const named: Readonly<Record<string, string>> = { quot: '"', '#39': "'", gt: '>', lt: '<', amp: '&' };
    return code.replaceAll(/&([#\w]+);/g, (all, name: string) => named[name] ?? all);
  }

  /** Runs a command in a shell after the first snippet, with a real key instead of the dots. */
  async function run(command: string): Promise<string> {
    const exports = (snippets[0] ?? '').replace('sk_…', test.keys.secretKey);
    const programs = `curl() { "$NODE" -e "$CURL" -- "$@"; }`;
    const npm = { prefix, cache: join(prefix, 'cache'), loglevel: 'silent', registry: 'http://127.0.0.1:9' };
    const shell = spawn('sh', ['-c', `${programs}\n${exports}\n${command}`], {
      env: {
        PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
        ...{ HOME: '/nonexistent', NODE: process.execPath, CURL },
        ...Object.fromEntries(Object.entries(npm).map(([name, value]) => [`npm_config_${name}`, value])),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    return stdout + stderr;
  }

  it('are all there', () => {
    expect(snippets.map((snippet) => snippet.split(' ', 2).join(' '))).to.deep.equal([
      `export WINDLASS_HOST=${test.url}\nexport`,
      'curl -s',
      'npm install',
      'curl -s',
      'wl query',
    ]);
  });

  it('work as they stand, with the wl that the host gives and no registry', async () => {
    const [, curlTrack = '', wlTrack = '', curlQuery = '', wlQuery = ''] = snippets;
    expect(await run(curlTrack)).to.equal('{"accepted":1}\n');
    expect(JSON.parse(await run(wlTrack))).to.include({ accepted: 1 });
    // Where midnight (UTC) comes in between, the two events are of two days.
    const counts = [...(await run(curlQuery)).matchAll(/^\| \d{4}-\d\d-\d\d \| (\d) \|$/gm)].map(([, count]) =>
      Number(count),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(2);
    const rows = JSON.parse(await run(wlQuery)) as { day: string; count: number }[];
    expect(rows.reduce((sum, { count }) => sum + count, 0)).to.equal(2);
    expect(rows.every(({ day }) => /^\d{4}-\d\d-\d\d$/.test(day))).to.equal(true);
  });
});
