import { expect } from 'chai';
import type { Post } from '../../sdk/core/delivery.ts';
import { createDelivery } from '../../sdk/core/delivery.ts';
import type { Kind } from '../../sdk/core/item.ts';
import type { Answer } from '../../sdk/core/verdict.ts';
import { ListQueue } from './list-queue.ts';

interface Sent {
  readonly kind: Kind;
  readonly body: string;
  readonly outlives: boolean;
}

/** A delivery whose requests get `answers` in turn, then always the last. */
function started(...answers: Partial<Answer>[]) {
  const queue = new ListQueue();
  const sent: Sent[] = [];
  const timers = { count: 0 };
  const troubles: (readonly [status: number, items: number])[] = [];
  const post: Post = (kind, body, outlives) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    sent.push({ kind, body, outlives });
    return Promise.resolve({ status: 200, wait: NaN, ...answer });
  };
  const delivery = createDelivery({
    queue,
    post,
    allowed: () => true,
    onTrouble: (status, items) => troubles.push([status, items]),
    onTimer: (timer) => {
      timer.unref();
      timers.count++;
    },
  });
  const events = (): number[] => sent.map(({ body }) => (JSON.parse(body) as { events: unknown[] }).events.length);
  return { queue, sent, troubles, timers, delivery, events };
}

describe('the delivery of a queue', () => {
  it('sends events fifty at a time, in order, with the time of sending', async () => {
    const { queue, sent, delivery, events } = started({});
    for (let i = 0; i < 120; i++) queue.add('track', { i });
    const before = Date.now();
    await delivery.flush();
    expect(events()).to.deep.equal([50, 50, 20]);
    expect((JSON.parse(sent[0]?.body ?? '') as { sent_at: number }).sent_at).to.be.within(before, Date.now());
    expect(queue.size()).to.equal(0);
  });

  it('keeps the order of events and identifies', async () => {
    const { queue, sent, delivery } = started({});
    for (const kind of ['track', 'track', 'identify', 'identify', 'track'] as const) queue.add(kind, {});
    await delivery.flush();
    expect(sent.map(({ kind }) => kind)).to.deep.equal(['track', 'identify', 'identify', 'track']);
  });

  it('halves what is too large, drops what is alone too large, and tells of it', async () => {
    const { queue, delivery, events, troubles } = started({ status: 413 }, { status: 413 }, { status: 413 }, {});
    for (let i = 0; i < 4; i++) queue.add('track', { i });
    await delivery.flush();
    expect(events()).to.deep.equal([4, 2, 1, 3]);
    expect(troubles).to.deep.equal([[413, 4], [413, 2], [413, 1]]); // prettier-ignore
  });

  it('keeps everything when the key is refused, and sends no more', async () => {
    const { queue, sent, delivery } = started({ status: 401 });
    queue.add('track', {});
    await delivery.flush();
    await delivery.flush();
    delivery.spill();
    expect([sent.length, queue.size()]).to.deep.equal([1, 1]);
  });

  it('leaves a server alone for as long as it says, also when the page goes', async () => {
    const { queue, sent, delivery } = started({ status: 429, wait: 60 });
    queue.add('track', {});
    await delivery.flush();
    await delivery.flush();
    delivery.spill();
    expect([sent.length, queue.size()]).to.deep.equal([1, 1]);
  });

  it('waits no longer than an hour in all, and without spinning, where the clock is set back meanwhile', async () => {
    const { queue, sent, timers, delivery } = started({ status: 429, wait: 60 });
    queue.add('track', {});
    await delivery.flush();
    const now = Date.now;
    try {
      Date.now = () => now() - 40 * 86_400_000; // a timer of so many milliseconds would fire at once
      await delivery.flush();
      const before = timers.count;
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([sent.length, timers.count - before]).to.deep.equal([1, 0]);
      Date.now = () => now() - 40 * 86_400_000 + 3_601_000;
      await delivery.flush();
      expect(sent.length, 'an hour later').to.equal(2);
    } finally {
      Date.now = now;
    }
  });

  it('goes on when the time that the server said is over', async () => {
    const { queue, sent, delivery } = started({ status: 503, wait: 0.02 }, {});
    queue.add('track', {});
    await delivery.flush();
    await new Promise((resolve) => setTimeout(resolve, 30));
    await delivery.flush();
    expect([sent.length, queue.size()]).to.deep.equal([2, 0]);
  });

  it('sends pieces of at most 16 KiB when the page goes, at most 60 KiB of them, and keeps the rest', async () => {
    const { queue, sent, delivery } = started({});
    for (let i = 0; i < 100; i++) queue.add('track', { text: 'ä'.repeat(500) });
    delivery.spill();
    expect(sent.every(({ outlives }) => outlives)).to.equal(true);
    const sizes = sent.map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).to.be.at.most(16_384);
    expect(sizes.reduce((a, b) => a + b)).to.be.within(45_000, 61_440);
    const here = sent.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(queue.size()).to.be.within(40, 60);
    await delivery.flush();
    expect(queue.size()).to.equal(0);
    expect(sent.length).to.be.greaterThan(here);
  });

  it('sends what is added between two flushes of one moment', async () => {
    const { queue, sent, delivery } = started({});
    void delivery.flush();
    queue.add('track', {});
    delivery.added();
    await delivery.flush();
    expect([sent.length, queue.size()]).to.deep.equal([1, 0]);
  });

  it('does not send again what is under way', async () => {
    const { queue, sent, delivery } = started({});
    queue.add('track', {});
    delivery.spill();
    delivery.spill();
    await delivery.flush();
    expect(sent.length).to.equal(1);
  });

  it('sends an event of more than 16 KiB when the page goes, once', async () => {
    const { queue, sent, delivery } = started({});
    queue.add('track', { text: 'x'.repeat(20_000) });
    delivery.spill();
    delivery.spill();
    await new Promise((resolve) => setImmediate(resolve));
    expect([sent.length, queue.size()]).to.deep.equal([1, 0]);
  });
});
