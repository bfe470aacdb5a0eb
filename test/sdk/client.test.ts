import { getEventListeners } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { exposure } from '../../sdk/client/choice.ts';
import type { ClientOptions, Event } from '../../sdk/client/client.ts';
import { createClient } from '../../sdk/client/client.ts';
import type { WindlassError } from '../../sdk/client/errors.ts';
import { fileQueue } from '../../sdk/client/file-queue.ts';
import { VERSION } from '../../sdk/core/version.ts';
import type { TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { sharedService } from '../support/shared-service.ts';

describe('windlass-client', () => {
  let test: TestService;
  before(async () => {
    test = await sharedService();
  });

  function client(options: Partial<ClientOptions> = {}) {
    const errors: WindlassError[] = [];
    const made = createClient({
      key: test.keys.secretKey,
      host: `${test.url}/`,
      onError: (error) => errors.push(error),
      ...options,
    });
    return { ...made, errors };
  }
  const DOWN = 'http://127.0.0.1:9';

  it('has the version of the service', () => {
    for (const file of ['package.json', 'sdk/package.json']) {
      expect((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version, file).to.equal(VERSION);
    }
  });

  it('sends events and identifies in order, as a server: without browser, place or bot mark of its own', async () => {
    const { track, identify, close, errors } = client();
    track({ event_type: 'seen', device_id: 'd1', event_properties: { n: 1 } });
    identify({ user_id: 'ann', device_id: 'd1', user_properties: { plan: 'pro' } });
    track({ event_type: 'paid', user_id: 'ann', user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0' }); // prettier-ignore
    expect(await close()).to.equal(0);
    expect(errors).to.deep.equal([]);
    const rows = await test.rows('* | where event_type in ("seen", "paid") | list');
    expect(rows.map((row) => [row['event_type'], row['distinct_id'], row['_browser'], row['_ingest_origin']])).to.deep.equal([
      ['paid', 'ann', 'Firefox', 'server'],
      ['seen', 'ann', null, 'server'],
    ]); // prettier-ignore
    expect(rows[1]).to.include({ _device_type: null, _ip: null });
    expect(await test.rows('users | where user_id = "ann" | count by user.plan')).to.deep.equal([
      { 'user.plan': 'pro', count: 1 },
    ]);
  });

  it('never throws: tells what is no JSON, what comes after the end and what is too much', async () => {
    const { track, close, errors } = client({ host: DOWN, most: 2 });
    const circle: Record<string, unknown> = {};
    circle['circle'] = circle;
    track({ event_type: 'a', event_properties: circle });
    for (let i = 0; i < 3; i++) track({ event_type: 'a' });
    expect(await close()).to.equal(2);
    track({ event_type: 'a' });
    expect(errors.map(({ trouble, items }) => [trouble, items])).to.deep.equal([
      ['usage', 1],
      ['full', 1],
      ['unreachable', 2],
      ['full', 1],
    ]);
  });

  it('keeps events in a file over a restart of the program, and sends them once', async () => {
    const file = join(temporaryFolder(), 'queue');
    const first = client({ host: DOWN, queue: fileQueue(file) });
    for (let i = 0; i < 3; i++) first.track({ event_type: 'kept', event_properties: { i } });
    await first.flush();
    const second = client({ queue: fileQueue(file) }); // as after a kill: the first was not closed
    second.track({ event_type: 'kept', event_properties: { i: 3 } });
    expect(await second.close()).to.equal(0);
    expect(await test.rows('kept | unique event_properties.i, count')).to.deep.equal([{ unique: 4, count: 4 }]);
    expect(readFileSync(file, 'utf8')).to.equal('');
  });

  it('keeps back what is older than the 7 days for which insert ids are known, tells of it, and sends it when asked', async () => {
    const file = join(temporaryFolder(), 'old');
    const idOf = (time: number, n: number): string => {
      const digits = time.toString(16).padStart(12, '0');
      return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-00000000000${n}`;
    };
    const DAY_MS = 86_400_000;
    const old = [8, 7].map((days, n) => idOf(Date.now() - days * DAY_MS, n));
    const recent = idOf(Date.now() - 6 * DAY_MS, 3);
    const lineOf = (id: string): string => {
      const event = { event_type: 'aged', insert_id: id, event_properties: { id } };
      return `\n+${JSON.stringify([id, 'track', JSON.stringify(event)])}`;
    };
    writeFileSync(file, [...old, recent].map(lineOf).join(''));
    const told: number[] = [];
    const first = client({ queue: fileQueue(file), onExpired: (items) => told.push(items) });
    first.track({ event_type: 'aged', event_properties: { id: 'new' } });
    await first.flush();
    await first.flush();
    expect(await test.rows('aged | unique event_properties.id, count')).to.deep.equal([{ unique: 2, count: 2 }]);
    expect(told, 'told once').to.deep.equal([2]);
    expect(await first.close(), 'they are still there').to.equal(2);
    const second = client({ queue: fileQueue(file), onExpired: () => { throw new Error('on purpose'); } }); // prettier-ignore
    await second.flush();
    expect(second.errors.map(({ trouble, message }) => [trouble, message])).to.deep.equal([
      ['usage', 'onExpired failed'],
    ]);
    await second.flush({ expired: true });
    expect(await second.close()).to.equal(0);
    expect(await test.rows('aged | unique event_properties.id, count')).to.deep.equal([{ unique: 4, count: 4 }]);
  });

  it('hands an edge runtime what it has to wait for, once for all that a task tracks', async () => {
    const waits: Promise<void>[] = [];
    const { track } = client({ waitUntil: (sending) => waits.push(sending) });
    track({ event_type: 'edge' });
    track({ event_type: 'edge' });
    expect(waits).to.have.length(1);
    await waits[0];
    expect(await test.rows('edge | count')).to.deep.equal([{ count: 2 }]);
  });

  it('asks: typed rows, text, and page after page', async () => {
    const { query, pages, track, flush } = client();
    for (let i = 0; i < 25; i++) track({ event_type: 'asked', event_properties: { i } });
    await flush();
    const [row] = await query<{ count: number }>('asked | count');
    expect(row?.count).to.equal(25);
    expect(await query('asked | count', { format: 'csv' })).to.equal('count\r\n25\r\n');
    expect(await query('asked | count', { format: 'llm' })).to.contain('| 25 |');
    const sizes: number[] = [];
    for await (const page of pages('asked | list', { limit: 10 })) sizes.push(page.length);
    expect(sizes).to.deep.equal([10, 10, 5]);
  });

  it('rejects a question with what the server says, and ends it with a signal', async () => {
    const { query } = client();
    const wrong = await query('asked | cuont').catch((error: unknown) => error as WindlassError);
    expect(wrong).to.include({ name: 'WindlassError', trouble: 'query', status: 400, code: 'bad_query', position: 8 });
    const signal = AbortSignal.abort(new Error('on purpose'));
    const ended = await query('asked | count', { signal }).catch((error: unknown) => error as Error);
    expect(ended).to.include({ message: 'on purpose' });
    const away = await client({ host: DOWN }).query('a').catch((error: unknown) => error as WindlassError); // prettier-ignore
    expect(away).to.include({ trouble: 'query', status: 0 });
  });

  it('tells of an event without a type, of which the server would say nothing', async () => {
    const { track, close, errors } = client();
    for (const event of [{ event_type: ' ' }, { event: 'paid' } as unknown as Event, null as unknown as Event])
      track(event);
    expect(await close()).to.equal(0);
    expect(errors.map(({ trouble, items }) => [trouble, items])).to.deep.equal(Array(3).fill(['usage', 1]));
  });

  it('does not end the program without a host, nor where waitUntil throws', async () => {
    const { track, close, errors } = client({
      host: undefined as unknown as string,
      waitUntil: () => {
        throw new TypeError('Illegal invocation');
      },
    });
    track({ event_type: 'a' });
    expect(await close()).to.equal(1);
    expect(errors.map(({ trouble }) => trouble)).to.deep.equal(['usage', 'unreachable']);
  });

  it('stops when a queue of the program throws, and tells of it', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    const fault = (): never => {
      throw new Error('on purpose');
    };
    const first = client({ queue: { size: () => 1, head: fault, remove: fault, add: () => true } });
    first.track({ event_type: 'a' });
    await first.flush();
    const second = client({ queue: { size: fault, head: fault, remove: fault, add: fault } });
    second.track({ event_type: 'a' });
    expect(await second.close()).to.equal(0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(rejections).to.deep.equal([]);
    expect(first.errors.map(({ trouble }) => trouble)).to.deep.equal(['file']);
    expect(new Set(second.errors.map(({ trouble }) => trouble))).to.deep.equal(new Set(['file']));
  });

  it('sends nothing after the end, when its number of unsent items is told', async () => {
    let requests = 0;
    const fetching: typeof fetch = () => {
      requests++;
      return Promise.resolve(new Response('{}', { status: 503, headers: { 'Retry-After': '0.05' } }));
    };
    const { track, close } = client({ fetch: fetching });
    track({ event_type: 'a' });
    expect(await close()).to.equal(1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(requests).to.equal(1);
  });

  it('leaves nothing behind in a signal that many queries share', async () => {
    const { signal } = new AbortController();
    const { query } = client();
    for (let i = 0; i < 3; i++) await query('asked | count', { signal });
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });

  it('rejects with its own error where an answer ends early, is no JSON, or is ended while it comes', async () => {
    const answering = (body: string | ReadableStream) =>
      client({ fetch: () => Promise.resolve(new Response(body)) }).query;
    const cut = new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    for (const body of [cut, '<html>'])
      expect(await answering(body)('a').catch((error: unknown) => error as WindlassError)).to.include({ trouble: 'query' }); // prettier-ignore
    const controller = new AbortController();
    const fetching: typeof fetch = (_, init) => {
      const endless = new ReadableStream({
        start: (stream) => init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason)),
      });
      return Promise.resolve(new Response(endless));
    };
    const asking = client({ fetch: fetching }).query('a', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('on purpose')), 10);
    expect(await asking.catch((error: unknown) => error as Error)).to.include({ message: 'on purpose' });
  });

  it('tells of exposures as pages do', async () => {
    const { track, close, query } = client();
    track({ ...exposure('price', 'b'), user_id: 'bob' });
    await close();
    expect(await query('choice price')).to.deep.equal([{ variant_key: 'b', count: 1 }]);
  });
});
