import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { linesLeft } from '../../../lib/cli/track/upload.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runProgram } from '../run-program.ts';
import { exitOf, PROGRAM, startWl, wl } from '../run-wl.ts';
import { cut, json, ScriptedServer, silence, taken } from '../scripted-server.ts';

const LINES = Array.from({ length: 10 }, (_, i) => `{"event_type":"e${i + 1}"}\n`).join('');
const BROKEN = json(500, { error: 'Something broke on our side (id x).', code: 'internal' });

describe('wl track --stdin in trouble', () => {
  let server: ScriptedServer;
  let env: Record<string, string>;
  async function serve(...replies: ConstructorParameters<typeof ScriptedServer>[0][number][]): Promise<void> {
    server = new ScriptedServer(replies.slice(0, -1), replies.at(-1) ?? silence);
    env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'pk_x' };
  }
  afterEach(() => server.stop());
  const idsOf = (body: string | undefined): string[] =>
    JSON.parse(body ?? '').events.map((event: { insert_id: string }) => event.insert_id);

  it('sends a batch again with the same ids when the server breaks or the connection does', async () => {
    await serve(taken, BROKEN, cut, taken);
    const { code, stdout, stderr } = await wl(['track', '--stdin', '--batch-size', '5'], env, { input: LINES });
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, { accepted: 10, rejected: 0 }]);
    expect(server.requests).to.have.length(4);
    expect(idsOf(server.requests[2]?.body)).to.deep.equal(idsOf(server.requests[1]?.body));
    expect(idsOf(server.requests[3]?.body)).to.deep.equal(idsOf(server.requests[1]?.body));
    expect(stderr).to.include('(1 of 3)').and.include('(2 of 3)');
  });

  it('says from which line to resume when a batch fails for good', async () => {
    await serve(taken, taken, json(403, { error: 'No more this month.', code: 'limit_reached' }));
    const { code, stdout, stderr } = await wl(['track', '--stdin', '--batch-size', '3', '--concurrency', '1'], env, {
      input: `\n${LINES}`,
    });
    expect([code, JSON.parse(stdout), server.requests.length]).to.deep.equal([1, { accepted: 6, rejected: 0 }, 3]);
    expect(stderr).to.include('Stopped before line 8: No more this month.');
    const [, command] = /To resume: COMMAND \| tail -n \+8 \| wl (.*)/.exec(stderr) ?? [];
    expect(command).to.equal('track --stdin --batch-size 3 --concurrency 1');
  });

  it('names the command to resume with all that decides how lines are read and where they go, but no key', async () => {
    await serve(taken, json(403, { error: 'No.', code: 'limit_reached' }));
    const host = env['WINDLASS_HOST'] ?? '';
    const sizes = ['--batch-size', '1', '--concurrency', '1'];
    const flags = ['--map', "event_type=it's", ...sizes, '--skip-bad', '--host', host, '--api-key', 'pk_secret'];
    const { stderr } = await wl(['track', '--stdin', ...flags], {}, { input: `{"it's":"a"}\n`.repeat(2) });
    const [, command] = /To resume: COMMAND \| tail -n \+2 \| wl (.*)/.exec(stderr) ?? [];
    expect(command).to.equal(
      String.raw`track --stdin --map 'event_type=it'\''s' --batch-size 1 --concurrency 1 --skip-bad --host ${host} --api-key KEY`,
    );
    expect(stderr).to.not.include('pk_secret');
  });

  it('names the lines of a file by their place in it, and those of a pipe by their place in that', async () => {
    await serve(taken, json(403, { error: 'No.', code: 'limit_reached' }));
    const file = join(temporaryFolder(), 'FILE');
    writeFileSync(file, LINES);
    const line = `'${process.execPath}' '${PROGRAM}' track --stdin --batch-size 1 --concurrency 1`;
    const run = (text: string) => runProgram('sh', ['-c', text], { env: { ...env, PATH: process.env['PATH'] ?? '' } });
    expect((await run(`${line} < '${file}'`)).stderr).to.include('To resume: tail -n +2 FILE | wl track');
    await server.stop();
    await serve(taken, taken, json(403, { error: 'No.', code: 'limit_reached' }));
    const { stderr } = await run(`tail -n +2 '${file}' | ${line}`);
    expect(stderr).to.include('To resume: COMMAND | tail -n +3 | wl track');
  });

  it('names the lines between others that are done', async () => {
    const answers: (() => void)[] = [];
    server = new ScriptedServer([], (response, request) => {
      const fails = request.body.includes('"e4"');
      answers.push(() => (fails ? json(403, { error: 'No.', code: 'limit_reached' }) : taken)(response, request));
      if (answers.length === 3) for (const answer of answers) answer();
    });
    env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'pk_x' };
    const flags = ['--batch-size', '3', '--concurrency', '3'];
    const child = startWl(['track', '--stdin', ...flags], env);
    child.stdin.on('error', () => undefined).write(LINES); // and stdin stays open
    const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
    expect(await exitOf(child)).to.equal(1);
    expect(JSON.parse(await stdout)).to.deep.equal({ accepted: 6, rejected: 0 });
    expect(await stderr).to.include('Stopped before line 4: No.');
    expect(await stderr).to.include('Not sent: lines 4 to 6 and all from line 10 on.');
    expect(await stderr).to.include("To resume: COMMAND | sed -n '4,6p;10,$p' | wl track --stdin");
  });

  it('ends when a batch fails for good, although whoever writes goes on', async () => {
    await serve(json(403, { error: 'No.', code: 'limit_reached' }));
    const child = startWl(['track', '--stdin', '--batch-size', '5'], env);
    child.stdin.on('error', () => undefined).write(LINES); // and stdin stays open
    const stderr = text(child.stderr);
    expect(await exitOf(child)).to.equal(1);
    expect(await stderr)
      .to.include('before line 1: No.')
      .and.not.include('bug');
  });

  it('counts and names no bad line that comes after the one to resume from', async () => {
    await serve(taken, json(403, { error: 'No.', code: 'limit_reached' }));
    const input = `bad\n${LINES}bad\n`;
    const { stdout, stderr } = await wl(['track', '--stdin', '--batch-size', '5', '--concurrency', '1'], env, {
      input,
    });
    expect(JSON.parse(stdout)).to.deep.equal({ accepted: 5, rejected: 1 });
    expect(stderr).to.include('line 1: it is not JSON').and.include('before line 7').and.not.include('line 12:');
  });

  it('goes on over a new connection where the server ends one, and reads answers in chunks', async () => {
    const last = { connection: 'close' };
    const [full, waiting] = [
      json(200, { accepted: 5, rejected: 0, errors: [] }, last),
      json(429, { error: 'Wait.' }, last),
    ];
    await serve(full, waiting, (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
      response.write('{"accepted":5,');
      response.end('"rejected":0,"errors":[]}');
    });
    const { code, stdout, stderr } = await wl(['track', '--stdin', '--batch-size', '5', '--concurrency', '1'], env, {
      input: LINES,
    });
    expect([code, JSON.parse(stdout)], stderr).to.deep.equal([0, { accepted: 10, rejected: 0 }]);
    expect(server.requests).to.have.length(3);
  });

  it('says what is wrong with an answer that is not HTTP', async () => {
    const other = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n').resume());
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const host = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { code, stderr } = await wl(
      ['track', '--stdin'],
      { WINDLASS_HOST: host, WINDLASS_API_KEY: 'pk_x' },
      { input: LINES },
    );
    other.close();
    await serve(taken);
    expect(code).to.equal(1);
    expect(stderr).to.include(`Stopped before line 1: ${host} did not answer with HTTP`);
  });

  it('says once why batches on their way at the same time wait', async () => {
    const busy = json(429, { error: 'Too many events.', code: 'rate_limited' }, { 'retry-after': '2' });
    const refused: (() => void)[] = [];
    server = new ScriptedServer([], (response, request) => {
      if (refused.length === 2) return taken(response, request);
      refused.push(() => busy(response, request));
      if (refused.length === 2) for (const refuse of refused) refuse();
    });
    env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'pk_x' };
    const { code, stdout, stderr } = await wl(['track', '--stdin', '--batch-size', '5'], env, { input: LINES });
    expect([code, JSON.parse(stdout), server.requests.length]).to.deep.equal([0, { accepted: 10, rejected: 0 }, 4]);
    expect(stderr.match(/Too many events\. Trying again/g)).to.have.length(1);
  });

  it('says that no line was sent where the first request failed for good', async () => {
    await serve(json(401, { error: 'No such key.', code: 'unauthorized' }));
    const { code, stderr } = await wl(['track', '--stdin'], env, { input: LINES });
    expect(code).to.equal(1);
    expect(stderr).to.include('Stopped before line 1: No such key.').and.include('No line was sent.');
    expect(stderr).to.not.include('To resume');
  });

  it('gives up after three tries more when no answer comes, and says which lines may be stored', async () => {
    await serve(taken, cut);
    const flags = ['--batch-size', '4', '--concurrency', '1'];
    const { code, stdout, stderr } = await wl(['track', '--stdin', ...flags], env, { input: LINES });
    expect([code, JSON.parse(stdout), server.requests.length]).to.deep.equal([1, { accepted: 4, rejected: 0 }, 5]);
    expect(stderr).to.include('Stopped before line 5: ').and.include('was lost');
    expect(stderr).to.include('Lines before line 5 were sent.').and.not.include('were not');
    expect(stderr).to.include('The server may have stored lines from 5 to 8');
    expect(stderr).to.include('insert_id of their own').and.include('twice');
    expect(stderr).to.include('To resume: COMMAND | tail -n +5 | wl track --stdin');
  });

  it('does not say that no line was sent when the first batch was, and only its answer is missing', async () => {
    await serve(cut, cut, cut, json(403, { error: 'No.', code: 'limit_reached' }));
    const { code, stderr } = await wl(['track', '--stdin'], env, { input: LINES });
    expect([code, server.requests.length]).to.deep.equal([1, 4]);
    expect(stderr).to.include('Stopped before line 1: No.').and.not.include('No line was sent');
    expect(stderr).to.include('The server may have stored lines from 1 to 10');
    expect(stderr).to.include('To resume: COMMAND | tail -n +1 | wl track --stdin');
  });

  it('takes the answer of a proxy that lost the server for no answer', async () => {
    await serve((response) => void response.writeHead(504).end('Gateway Timeout'));
    const { stderr } = await wl(['track', '--stdin'], env, { input: LINES });
    expect(stderr).to.include('The server may have stored lines from 1 to 10');
  });

  it('says once how to unpack what is no text, instead of complaining about each line', async () => {
    await serve(taken);
    const packed = gzipSync(LINES.repeat(100));
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LINES, 'utf16le')]);
    for (const [input, flags, hint] of [
      [packed, [], 'COMMAND | gzip -dc | wl track --stdin'],
      [packed, ['--bulk'], 'COMMAND | gzip -dc | wl track --stdin --bulk'],
      [wide, ['--skip-bad'], 'COMMAND | iconv -f UTF-16 -t UTF-8 | wl track --stdin --skip-bad'],
    ] as const) {
      const { code, stderr } = await wl(['track', '--stdin', ...flags], env, { input });
      expect(code, hint).to.equal(1);
      expect(stderr).to.include(`Try: ${hint}\n`).and.not.include('line 2');
    }
    expect(server.requests).to.deep.equal([]);
  });

  it('says that nothing was sent where nobody listens', async () => {
    await serve(taken);
    const host = 'http://127.0.0.1:1';
    const { code, stderr } = await wl(['track', '--stdin', '--host', host], env, { input: LINES });
    expect(code).to.equal(1);
    expect(stderr).to.include('No line was sent.').and.not.include('may have stored');
  });

  it('tells lines between others that may be stored from those that are not sent', () => {
    const failed = [{ first: 4, last: 6, isUncertain: true }, { first: 10, last: 12, isUncertain: false }]; // prettier-ignore
    const { first, hints } = linesLeft(failed, 15, (program) => `${program} FILE | wl`);
    expect(first).to.equal(4);
    expect(hints[0]).to.equal('Not answered or not sent: lines 4 to 6, 10 to 12 and all from line 16 on.');
    expect(hints[1]).to.match(/^The server may have stored lines from 4 to 6:/);
    expect(hints.at(-1)).to.equal("To resume: sed -n '4,6p;10,12p;16,$p' FILE | wl");
  });

  it('lets the batch under way end at Ctrl-C, says where to resume, and exits with 130', async () => {
    const held = new EventEmitter();
    await serve(taken, (response, request) => void held.emit('held', () => taken(response, request)));
    const isHeld = once(held, 'held');
    const child = startWl(['track', '--stdin', '--batch-size', '5', '--concurrency', '1'], env);
    child.stdin.on('error', () => undefined).write(LINES + LINES);
    const [release] = await isHeld;
    const [stdout, stderr, exit] = [text(child.stdout), text(child.stderr), exitOf(child)];
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(child.exitCode).to.equal(null);
    release();
    expect(await exit).to.equal(130);
    expect(JSON.parse(await stdout)).to.deep.equal({ accepted: 10, rejected: 0 });
    expect(await stderr)
      .to.include('stopped before line 11')
      .and.include('COMMAND | tail -n +11');
    expect(server.requests).to.have.length(2);
  });

  it('ends at Ctrl-C while it waits for another try, with that batch to be resumed', async () => {
    await serve(taken, json(429, { error: 'Too fast.' }, { 'retry-after': '60' }));
    const child = startWl(['track', '--stdin', '--batch-size', '5', '--concurrency', '1'], env);
    child.stdin.on('error', () => undefined).write(LINES + LINES);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    while (!stderr.includes('Trying again')) await new Promise((resolve) => setTimeout(resolve, 20));
    const stdout = text(child.stdout);
    child.kill('SIGINT');
    expect(await exitOf(child)).to.equal(130);
    expect(JSON.parse(await stdout)).to.deep.equal({ accepted: 5, rejected: 0 });
    expect(stderr).to.include('stopped before line 6');
  });

  it('ends at once at the second Ctrl-C', async () => {
    await serve(silence);
    const child = startWl(['track', '--stdin', '--batch-size', '5'], env);
    child.stdin.on('error', () => undefined).write(LINES);
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const again = setInterval(() => child.kill('SIGINT'), 300); // two at once may be one
    expect(await exitOf(child)).to.equal(130);
    clearInterval(again);
  });
});
