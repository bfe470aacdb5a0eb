import { expect } from 'chai';
import { delayBefore } from '../../../lib/cli/client/retry.ts';
import { TransportError } from '../../../lib/cli/client/client-error.ts';
import { wlInside } from '../run-inside.ts';
import { cut, json, ScriptedServer, silence, taken } from '../scripted-server.ts';

const BUSY = json(429, { error: 'Too many queries.', code: 'rate_limited' });
const BROKEN = json(500, { error: 'Something broke on our side (id x).', code: 'internal' });
const FULL = json(503, { error: 'The disk is full.', code: 'storage_unavailable' });
const LATE = json(504, { error: 'The query took too long.', code: 'query_timeout' });

/** A pause is told in tenths of a second, and a timer may be early, milliseconds. */
const ROUNDING = 50;
const EARLY = 10;

describe('tries after a failure', () => {
  let server: ScriptedServer;
  let host: string;
  async function serve(...replies: ConstructorParameters<typeof ScriptedServer>[0][number][]): Promise<void> {
    server = new ScriptedServer(replies.slice(0, -1), replies.at(-1) ?? silence);
    host = await server.start();
  }
  afterEach(() => server.stop());
  const run = (...args: string[]) => wlInside(args, { WINDLASS_HOST: host, WINDLASS_API_KEY: 'sk_0123456789abcdef' });
  /** Milliseconds between requests as they came: no less than was waited. */
  const pauses = (): number[] => server.requests.slice(1).map(({ at }, i) => at - (server.requests[i]?.at ?? 0));

  it('are three of a 429, each after a longer pause', async () => {
    await serve(BUSY, BUSY, BUSY, json(200, [{ count: 1 }]));
    const { code, stdout, stderr } = await run('query', 'a | count');
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, [{ count: 1 }]]);
    const told = [...stderr.matchAll(/Too many queries\. Trying again in (\d\.\d) s \((\d) of 3\)\.\n/g)];
    expect(told.map(([, , nth]) => nth)).to.deep.equal(['1', '2', '3']);
    for (const [nth, least] of [250, 500, 1_000].entries()) {
      expect(Number(told[nth]![1]) * 1_000).to.be.within(least - ROUNDING, 2 * least + ROUNDING);
      expect(pauses()[nth]).to.be.at.least(least - EARLY);
    }
  });

  it('end after the third, with what the server said', async () => {
    await serve(BUSY);
    const { code, stdout, stderr } = await run('query', 'a');
    expect([code, stdout, server.requests.length]).to.deep.equal([1, '', 4]);
    expect(stderr.trim().split('\n').at(-1)).to.equal('wl: Too many queries.');
  });

  it('wait as long as Retry-After says, in seconds or as a date', async () => {
    const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000).toUTCString();
    await serve(
      json(429, { error: 'x' }, { 'retry-after': '2' }),
      json(429, { error: 'x' }, { 'retry-after': soon }),
      json(200, []),
    );
    expect((await run('query', 'a')).code).to.equal(0);
    expect(pauses()[0]).to.be.at.least(2_000 - EARLY);
    expect(server.requests[2]?.at).to.be.at.least(Date.parse(soon) - EARLY);
  });

  it('are not made when the server asks for more time than anybody waits', async () => {
    await serve(json(429, { error: 'Come tomorrow.' }, { 'retry-after': '86400' }));
    const { code, stderr } = await run('query', 'a');
    expect([code, stderr, server.requests.length]).to.deep.equal([1, 'wl: Come tomorrow.\n', 1]);
  });

  it('are made of a 5xx for reading and for track, with the same insert id', async () => {
    await serve(BROKEN, FULL, taken);
    expect((await run('track', 'signup')).code).to.equal(0);
    const ids = server.requests.map(({ body }) => JSON.parse(body).insert_id);
    expect(ids).to.have.length(3);
    expect(new Set(ids).size).to.equal(1);
    expect(ids[0]).to.match(/^[0-9a-f-]{36}$/);
    await server.stop();
    await serve(BROKEN, json(200, []));
    expect((await run('project', 'list')).code).to.equal(0);
    expect(server.requests).to.have.length(2);
  });

  it('are not made of a 5xx for what could be done twice', async () => {
    const lines = [
      ['query', 'a'],
      ['identify', '--user-id', 'u', '--add', 'n=1'],
      ['project', 'create', 'x'],
      ['gdpr', 'delete', 'u', '--yes'],
    ];
    await serve(BROKEN);
    for (const line of lines) {
      const before = server.requests.length;
      const { code, stderr } = await run(...line);
      expect([code, server.requests.length - before], line.join(' ')).to.deep.equal([1, 1]);
      expect(stderr, line.join(' ')).to.include('Something broke on our side');
    }
  });

  it('are never made of a 504', async () => {
    await serve(LATE);
    for (const line of [
      ['query', 'a'],
      ['track', 'a'],
      ['project', 'list'],
    ]) {
      const before = server.requests.length;
      expect((await run(...line)).code).to.equal(1);
      expect(server.requests.length - before, line.join(' ')).to.equal(1);
    }
  });

  it('are bounded each by --timeout, which a server that never answers uses up', async () => {
    await serve(silence);
    const { code, stdout, stderr } = await run('query', 'a', '--timeout', '300ms');
    expect([code, stdout, server.requests.length]).to.deep.equal([1, '', 1]);
    expect(stderr).to.include(`${host} did not answer within 0.3 s.`).and.include('--timeout');
  });

  it('count the time of a body too: an answer that does not end is none', async () => {
    await serve((response) => void response.writeHead(200).write('['));
    const { code, stderr } = await run('query', 'a', '--timeout', '300ms');
    expect(code).to.equal(1);
    expect(stderr).to.include('did not answer within');
  });

  it('are not made of a connection that breaks off', async () => {
    await serve(cut);
    const { code, stderr } = await run('query', 'a');
    expect([code, server.requests.length]).to.deep.equal([1, 1]);
    expect(stderr).to.include(`The connection to ${host} was lost`);
  });
});

describe('the pause before a try', () => {
  const at = { now: Date.parse('2026-01-01T00:00:00Z'), random: 1 };
  it('doubles, with jitter of a half', () => {
    const outcome = { status: 429, retryAfter: null };
    expect([1, 2, 3, 4].map((tries) => delayBefore('rate', outcome, { ...at, tries }))).to.deep.equal([500, 1_000, 2_000, null]);
    expect(delayBefore('rate', outcome, { ...at, tries: 1, random: 0 })).to.equal(250);
  }); // prettier-ignore

  it('is never shorter than Retry-After, which may be garbage or in the past', () => {
    const pause = (retryAfter: string): number | null =>
      delayBefore('rate', { status: 429, retryAfter }, { ...at, tries: 1, random: 0 });
    expect(pause('60')).to.equal(60_000);
    expect(pause('Thu, 01 Jan 2026 00:00:09 GMT')).to.equal(9_000);
    expect([pause('soon'), pause('Thu, 01 Jan 2015 00:00:09 GMT'), pause('0')]).to.deep.equal([250, 250, 250]);
    expect([pause('601'), pause('99999999999')]).to.deep.equal([null, null]);
  });

  it('comes after a broken connection only in streams, and after 5xx only where it is safe', () => {
    const broken = new TransportError('refused', 'x', []);
    const policies = ['never', 'rate', 'safe', 'stream'] as const;
    const again = (outcome: Parameters<typeof delayBefore>[1]): boolean[] =>
      policies.map((policy) => delayBefore(policy, outcome, { ...at, tries: 1 }) !== null);
    expect(again(broken)).to.deep.equal([false, false, false, true]);
    expect(again({ status: 429, retryAfter: null })).to.deep.equal([false, true, true, true]);
    expect(again({ status: 503, retryAfter: null })).to.deep.equal([false, false, true, true]);
    expect(again({ status: 504, retryAfter: null })).to.deep.equal([false, false, false, false]);
    expect(again({ status: 400, retryAfter: null })).to.deep.equal([false, false, false, false]);
  });
});
