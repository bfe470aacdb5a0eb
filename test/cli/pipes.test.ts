import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { exitOf, PROGRAM, startWl, wl } from './run-wl.ts';
import { residentOf } from '../support/resident.ts';
import { json, ScriptedServer, silence } from './scripted-server.ts';

const run = promisify(execFile);
/** Bytes that a server, a client and the pipes between them may hold of what nobody reads. */
const MOST_AHEAD = 32_000_000;

describe('wl in pipes', () => {
  let server: ScriptedServer;
  afterEach(() => server.stop());
  async function serve(reply: ConstructorParameters<typeof ScriptedServer>[1]): Promise<Record<string, string>> {
    server = new ScriptedServer([], reply);
    return { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
  }
  const shell = (script: string, env: Record<string, string>) =>
    run('/bin/bash', ['-c', `wl() { "${process.execPath}" "${PROGRAM}" "$@"; }; ${script}`], {
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
      maxBuffer: 1e9,
    });

  const ROWS = Array.from({ length: 20_000 }, (_, i) => ({ row: i, filler: 'x'.repeat(200) }));

  it('says nothing when a reader has seen enough', async () => {
    const env = await serve(json(200, ROWS));
    const { stdout, stderr } = await shell('wl query a | head -1', env);
    expect({ stdout, stderr }).to.deep.equal({ stdout: '[\n', stderr: '' });
    const other = await shell('wl query a 2>&1 >/dev/null | head -1; wl query --help | head -1', env);
    expect(other.stderr).to.equal('');
  });

  it('writes all of a large answer through a slow reader', async () => {
    const env = await serve(json(200, ROWS));
    const { stdout } = await shell('wl query a | (sleep 0.5; cat)', env);
    expect(JSON.parse(stdout)).to.deep.equal(ROWS);
  });

  it('writes all of a large export through a slow reader, with nothing on stderr', async () => {
    const lines = `{"type":"event","filler":"${'x'.repeat(1_000)}"}\n`.repeat(5_000);
    const env = await serve((response) => void response.writeHead(200).end(lines));
    const { stdout, stderr } = await shell('wl gdpr export u | (sleep 0.5; cat)', env);
    expect([stdout === lines, stderr]).to.deep.equal([true, '']);
  });

  it('stops asking the server for an export that nobody reads any more', async () => {
    let closed: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (closed = resolve));
    const line = `{"type":"event","filler":"${'x'.repeat(10_000)}"}\n`;
    const env = await serve((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.closed && response.write(line));
      };
      response.on('drain', more).on('close', closed);
      more();
    });
    const { stdout, stderr } = await shell('wl gdpr export u | head -2', env);
    expect([stdout, stderr]).to.deep.equal([line + line, '']);
    await end;
  });

  it('takes an export no faster than it is read', async () => {
    let sent = 0;
    const line = `{"type":"event","filler":"${'x'.repeat(10_000)}"}\n`;
    const env = await serve((response) => {
      response.writeHead(200);
      const more = (): void => {
        do sent += line.length;
        while (response.write(line));
      };
      response.on('drain', more);
      more();
    });
    const child = startWl(['gdpr', 'export', 'u'], env);
    await once(child.stdout, 'readable'); // and nobody reads any further
    for (let before = -1; before !== sent;) {
      before = sent;
      expect(sent, 'before it comes to rest').to.be.below(MOST_AHEAD);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const exit = exitOf(child);
    child.kill('SIGINT');
    const all = await text(child.stdout);
    expect(await exit).to.equal(130);
    expect(all.length % line.length, 'a half line').to.equal(0);
  });

  it('leaves nothing on stdout and exits with 130 at Ctrl-C, with 143 when it is told to end', async () => {
    const env = await serve(silence);
    for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143]] as const) {
      const before = server.requests.length;
      const child = startWl(['query', 'a'], env);
      while (server.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 20));
      const exit = exitOf(child);
      child.kill(signal);
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect([await exit, stdout, stderr]).to.deep.equal([code, '', '']);
    }
  }); // prettier-ignore

  it('fails when stdout cannot take the data', async () => {
    const env = await serve(json(200, ROWS));
    const { stdout, stderr } = await shell('wl query a > /dev/full; echo "exit $?"', env);
    expect(stdout).to.equal('exit 1\n');
    expect(stderr).to.match(/^wl: cannot write to stdout: ENOSPC[^\n]*\n$/);
  });

  it('ends at Ctrl-C while it waits for stdin', async () => {
    const env = await serve(silence);
    const child = startWl(['query', '-'], env);
    if (!child.stdin.write('x'.repeat(500_000))) await once(child.stdin, 'drain'); // more than a pipe holds: it reads
    const exit = exitOf(child);
    child.kill('SIGINT');
    expect(await exit).to.equal(130);
  });

  it('says what is wrong with a stdin that cannot be read', async () => {
    const env = await serve(silence);
    const failed = await shell('wl track --stdin < /; echo "exit $?"', env);
    expect(failed.stdout).to.match(/exit 1\n$/);
    expect(failed.stderr).to.include('stdin is a folder').and.not.include('bug');
    expect((await shell('wl query - <&-; echo "exit $?"', env)).stderr).to.include('stdin has no query');
  });

  it('refuses more on stdin than a list of queries can be', async () => {
    const env = await serve(silence);
    const { code, stderr } = await wl(['query', '-'], env, { input: 'x'.repeat(2_000_000) });
    expect(code).to.equal(1);
    expect(stderr).to.include('stdin has more than 1,048,576 bytes');
  });
});

describe('wl track --stdin on a large file', () => {
  it('takes the same memory whatever the size', async () => {
    let events = 0;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { events: batch } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        events += batch.length;
        response.end(JSON.stringify({ accepted: batch.length, rejected: 0, errors: [] }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const env = { WINDLASS_HOST: `http://127.0.0.1:${port}`, WINDLASS_API_KEY: 'pk_x' };
    const [small, large] = [await peakOf(30, env), await peakOf(80, env)]; // the first run grows the heap to the program's need
    server.close().closeAllConnections();
    expect(events).to.equal(110 * EVENTS_PER_MIB);
    expect(large - small, `peak of 30 MiB: ${small} KiB, of 80 MiB: ${large} KiB`).to.be.below(30 * 1_024);
  });
});

const LINE = `{"event_type":"row","insert_id":"x","event_properties":{"filler":"${'x'.repeat(440)}"}}\n`.padStart(
  512,
  ' ',
);
const EVENTS_PER_MIB = 2_048;

/** The most memory that the process used, in KiB, while it read so many MiB. */
async function peakOf(mebibytes: number, env: Record<string, string>): Promise<number> {
  const child = startWl(['track', '--stdin', '--batch-size', '1000'], env);
  const output = text(child.stdout);
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, residentOf(child.pid!))), 50);
  const block = Buffer.from(LINE.repeat(EVENTS_PER_MIB));
  for (let i = 0; i < mebibytes; i += 1) if (!child.stdin.write(block)) await once(child.stdin, 'drain');
  child.stdin.end();
  expect(await exitOf(child)).to.equal(0);
  clearInterval(timer);
  expect(JSON.parse(await output)).to.deep.equal({ accepted: mebibytes * EVENTS_PER_MIB, rejected: 0 });
  return peak;
}
