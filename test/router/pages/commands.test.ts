import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { PROGRAM } from '../../cli/run-wl.ts';
import { fetch } from '../../support/checked-fetch.ts';
import type { TestService } from '../../support/service.ts';
import { startWithoutShards } from '../../support/service.ts';

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
    const programs = `curl() { "$NODE" -e "$CURL" -- "$@"; }\nwl() { "$NODE" "$WL" "$@"; }`;
    const shell = spawn('sh', ['-c', `${programs}\n${exports}\n${command}`], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', NODE: process.execPath, CURL, WL: PROGRAM },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    return stdout + stderr;
  }

  it('are all there', () => {
    expect(snippets.map((snippet) => snippet.split(' ', 2).join(' '))).to.deep.equal([
      `export WINDLASS_HOST=${test.url}\nexport`,
      'curl -s',
      'wl track',
      'curl -s',
      'wl query',
    ]);
  });

  it('work as they stand', async () => {
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
