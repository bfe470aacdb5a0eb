import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LineStreams } from '../../../lib/cli/track/bulk.ts';
import { clientOf, type ClientService } from '../client-service.ts';
import { exitOf, startWl, wl } from '../run-wl.ts';
import { json, ScriptedServer } from '../scripted-server.ts';
import { sharedService } from '../../support/shared-service.ts';

const BULK = ['track', '--stdin', '--bulk'];

describe('wl track --stdin --bulk', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });

  it('streams the lines as they are, and names those that are invalid', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `{"event_type":"row","insert_id":"i${i % 4_000}"}\n`);
    lines.splice(2, 0, '\n', '{"no":"type"}\n');
    const { code, stdout, stderr } = await service.wl(BULK, { input: lines.join('').trimEnd() });
    expect([code, JSON.parse(stdout)], stderr).to.deep.equal([1, { accepted: 5_000, rejected: 1 }]);
    expect(stderr).to.match(/^wl: line 4: .*event_type/);
    expect(await service.rows('row | last 1d | count')).to.deep.include({ count: 4_000 });
  });

  it('takes an answer that comes early, although whoever writes goes on', async () => {
    const child = startWl(BULK, { ...service.env, WINDLASS_API_KEY: `pk_${'x'.repeat(43)}` });
    child.stdin.on('error', () => undefined).write('{"event_type":"row"}\n'); // and stdin stays open
    const stderr = text(child.stderr);
    expect(await exitOf(child)).to.equal(1);
    expect(await stderr)
      .to.include('Stopped before line 1: ')
      .and.include('public key (pk_)');
  });

  it('says from which line to resume when the server ends it', async () => {
    const body = { error: 'No more this month.', code: 'limit_reached', accepted: 6, line: 7 };
    const server = new ScriptedServer([], json(403, body));
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'pk_x' };
    const { code, stdout, stderr } = await wl(BULK, env, { input: '{"event_type":"row"}\n'.repeat(9) });
    await server.stop();
    expect([code, JSON.parse(stdout), server.requests.length]).to.deep.equal([1, { accepted: 6, rejected: 0 }, 1]);
    expect(server.requests[0]?.headers['content-type']).to.equal('application/x-ndjson');
    expect(stderr).to.include('Stopped before line 8: No more this month.');
    expect(stderr).to.include('To resume: COMMAND | tail -n +8 | wl track --stdin --bulk');
  });

  it('refuses what it cannot do with lines that stay as they are', async () => {
    for (const flags of [['--map', 'event_type=type'], ['--dry-run']]) {
      const { code, stderr } = await service.wl([...BULK, ...flags]);
      expect([code, stderr.includes(`without ${flags[0]}`)], stderr).to.deep.equal([1, true]);
    }
    expect((await service.wl(['track', 'a', '--bulk'])).stderr).to.include('--bulk needs --stdin');
  });
});

describe('streams of lines', () => {
  it('hold every byte once, end at ends of lines, and count them, however the pieces fall', async () => {
    const whole = Buffer.from(Array.from({ length: 40 }, (_, i) => `${'x'.repeat(i % 7)}\n`).join('') + 'last');
    for (const step of [1, 3, 10, 1_000]) {
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let at = 0; at < whole.length; at += step) yield whole.subarray(at, at + step);
      }
      const streams = new LineStreams(pieces(), () => undefined, { streamBytes: 25 });
      const sent: Buffer[] = [];
      while (await streams.hasMore()) {
        const parts: Buffer[] = [];
        for await (const part of streams.stream()) parts.push(part);
        sent.push(Buffer.concat(parts));
      }
      expect(Buffer.concat(sent).equals(whole), `${step}`).to.equal(true);
      expect(streams.lines).to.equal(40);
      for (const one of sent.slice(0, -1)) expect(one.at(-1), `${step}`).to.equal(0x0a);
      expect(sent.length, `${step}`).to.be.greaterThan(step === 1_000 ? 1 : 4);
    }
  });

  it('end where nothing comes for a while, but not in the midst of a line, and go on with what comes then', async () => {
    const pieces = ['a\n', 'b\nc', 'd\n', 'e\n'].map((piece) => Buffer.from(piece));
    const asked: (() => void)[] = [];
    async function* slow(): AsyncGenerator<Buffer> {
      for (const piece of pieces) {
        await new Promise<void>((resolve) => asked.push(resolve));
        yield piece;
      }
    }
    const streams = new LineStreams(slow(), () => undefined, { quietMs: 50 });
    const come = async (): Promise<void> => {
      while (asked.length === 0) await sleep(1);
      asked.shift()!();
    };
    const read = async (): Promise<string> => {
      let whole = '';
      for await (const part of streams.stream()) whole += part.toString();
      return whole;
    };
    void come();
    expect(await streams.hasMore()).to.equal(true);
    expect(await read()).to.equal('a\n');
    void come();
    expect(await streams.hasMore()).to.equal(true);
    const second = read();
    await sleep(200);
    await come();
    expect(await second).to.equal('b\ncd\n');
    void come();
    expect(await streams.hasMore()).to.equal(true);
    expect(await read()).to.equal('e\n');
    expect(await streams.hasMore()).to.equal(false);
  });
});
