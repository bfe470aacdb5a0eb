import { expect } from 'chai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../lib/base/config/config.ts';
import { silentLog } from '../../../lib/base/log.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { startService } from '../../../lib/server/service.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Events of an export of about 70 MB: few long ones, since bytes are what counts here. */
const MANY = 9_000;
/** Exports one after the other, until three in a row take no further memory; what keeps something of each never gets there. */
const MOST_EXPORTS = 40;
const WITHOUT_GROWTH = 3;
const LONG = Array.from({ length: 9 }, (_, n) => `page ${n} `.repeat(880));
const START = Date.now() - 30 * 86_400_000;
const SETTINGS = { WINDLASS_EVENTS_PER_MINUTE: '0', WINDLASS_SEAL_ROWS: '2250' };

describe('a long export', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService(SETTINGS);
    // In another order than that of their times.
    const lines = Array.from({ length: MANY }, (_, n) => {
      const time = new Date(START + ((n * 7919) % MANY) * 100).toISOString();
      const event_properties = { n, page: LONG[n % LONG.length] };
      return `${JSON.stringify({ event_type: 'e', user_id: `u${n % 10}`, time, event_properties })}\n`;
    });
    const answer = await test.post('/track', lines.join(''), { 'Content-Type': 'application/x-ndjson' });
    expect(await answer.json()).to.include({ accepted: MANY });
  });
  after(() => test.stop());

  /** A reader that takes nothing until told to. */
  async function slowly(key = test.keys.secretKey): Promise<IncomingMessage> {
    const asked = httpRequest(`${test.url}/export`, { headers: { 'X-API-Key': key } });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response.pause();
  }

  /** Reads all that comes. */
  const isWhole = (reader: IncomingMessage): Promise<boolean> =>
    new Promise((resolve) => {
      reader.on('end', () => resolve(reader.complete));
      reader.on('error', () => resolve(false));
      reader.resume();
    });

  interface Read {
    readonly numbers: readonly number[];
    readonly inOrder: boolean;
  }

  async function readAll(pieces: AsyncIterable<unknown>): Promise<Read> {
    const found = { numbers: [] as number[], inOrder: true };
    let [rest, last] = ['', ''];
    for await (const piece of pieces) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { time, event_properties } = JSON.parse(line) as { time: string; event_properties: { n: number } };
        found.inOrder &&= time >= last;
        last = time;
        found.numbers.push(event_properties.n);
      }
    }
    expect(rest).to.equal('');
    return found;
  }

  it('streams the events in order of time, in the memory of a few', async () => {
    const { inOrder, numbers } = await readAll((await slowly()).setEncoding('utf8'));
    expect([inOrder, new Set(numbers).size, numbers.length]).to.deep.equal([true, MANY, MANY]);
    const bytesOf = async (): Promise<number> => {
      let bytes = 0;
      for await (const piece of await slowly()) bytes += (piece as Buffer).length;
      return bytes;
    };
    // The garbage of other threads comes and goes: one reading says nothing, and a busy machine collects late.
    let [most, inARow] = [0, 0];
    for (let time = 0; time < MOST_EXPORTS && inARow < WITHOUT_GROWTH; time++) {
      const bytes = await bytesOf();
      const { rss } = process.memoryUsage();
      inARow = rss < most + bytes / 4 ? inARow + 1 : 0;
      most = Math.max(most, rss);
    }
    expect(inARow, 'exports one after the other that took no further memory').to.equal(WITHOUT_GROWTH);
  });

  it('holds neither a thread nor a turn while nobody reads it, and lets go when the client leaves', async () => {
    const readers = [await slowly(), await slowly()];
    const third = await fetch(`${test.url}/export`, { headers: { 'X-API-Key': test.keys.secretKey } });
    expect(third.status, 'a project has two at once').to.equal(429);
    expect(await test.rows('* | count | all'), 'the one thread answers others').to.deep.equal([{ count: MANY }]);
    for (const reader of readers) reader.destroy();
    for (let status = 0; status !== 200;) {
      await sleep(20);
      const again = await fetch(`${test.url}/export?limit=1`, { headers: { 'X-API-Key': test.keys.secretKey } });
      await again.text();
      const whole = await fetch(`${test.url}/export`, { headers: { 'X-API-Key': test.keys.secretKey } });
      status = whole.status;
      await whole.body?.cancel();
    }
  });

  it('is cut off when its client has read nothing for a minute', async () => {
    const sockets: Socket[] = [];
    const began = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('http.server.request.start', began);
    const reader = await slowly().finally(() => unsubscribe('http.server.request.start', began));
    const [socket] = sockets;
    expect(socket?.timeout).to.equal(60_000);
    while (socket!.writableLength === 0) await sleep(10); // the service has more than the system takes
    socket!.emit('timeout'); // as the socket does when the limit has passed
    expect(await isWhole(reader)).to.equal(false);
  });

  it('breaks off when its token is revoked meanwhile', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const projectId = test.keys.project.id;
    const by = { name: 'test', ip: null };
    const { token, key } = await control.tokens.create({ projectId, name: 'robot', scopes: ['query'] }, by);
    const reader = await slowly(key);
    await control.tokens.revoke(projectId, token.id, by);
    await control.close();
    await sleep(1_500);
    expect(await isWhole(reader)).to.equal(false);
  });

  it('goes on while users are erased, and has nothing of them behind that', async () => {
    const reader = await slowly();
    const erased = await fetch(`${test.url}/api/gdpr/users/u3`, {
      method: 'DELETE',
      headers: { 'X-API-Key': test.keys.secretKey },
    });
    expect(await erased.json()).to.deep.include({ deleted: { events: MANY / 10, profiles: 1, devices: 0 } });
    const { numbers, inOrder } = await readAll(reader.setEncoding('utf8'));
    const others = numbers.filter((n) => n % 10 !== 3);
    expect([inOrder, new Set(others).size, others.length]).to.deep.equal([true, (MANY * 9) / 10, (MANY * 9) / 10]);
    expect(numbers.length, 'all of the first page may have been read before').to.be.below(MANY);
  });

  it('goes on with its cursor when the service was restarted in the middle', async () => {
    const numbersOf = (text: string): number[] =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { event_properties: { n: number } }).event_properties.n);
    let { url } = test;
    const ask = async (
      cursor: string | null,
    ): Promise<{ numbers: number[]; cursor: string | null; complete: boolean }> => {
      const more = cursor === null ? '' : `&cursor=${cursor}`;
      const response = await fetch(`${url}/export?limit=4000${more}`, {
        headers: { 'X-API-Key': test.keys.secretKey },
      });
      const numbers = numbersOf(await response.text());
      const { headers } = response;
      return { numbers, cursor: headers.get('x-next-cursor'), complete: headers.get('x-complete') === 'true' };
    };
    await test.service.close();
    const config = readConfig({ ...SETTINGS, WINDLASS_DATA: test.folder, WINDLASS_ADDR: '127.0.0.1:0', WINDLASS_METRICS_ADDR: '127.0.0.1:0', WINDLASS_THREADS: '1' }); // prettier-ignore
    let service = await startService({ config, log: silentLog() });
    const all: number[] = [];
    ({ url } = service);
    for (let page = await ask(null); ; page = await ask(page.cursor)) {
      all.push(...page.numbers);
      if (page.complete) break;
      await service.close();
      service = await startService({ config, log: silentLog() });
      ({ url } = service);
    }
    await service.close();
    expect([new Set(all).size, all.length]).to.deep.equal([(MANY * 9) / 10, (MANY * 9) / 10]);
  });
});
