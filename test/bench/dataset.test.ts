import { expect } from 'chai';
import { bindingLines, eventLines, type DatasetOptions } from '../../bench/dataset/lines.ts';
import { MinHeap } from '../../bench/dataset/min-heap.ts';

const EVENTS = 20_000;
const START = Date.UTC(2024, 0, 1);
const DAY = 86_400_000;

interface Line {
  readonly event_type: string;
  readonly user_id?: string;
  readonly device_id: string;
  readonly session_id: string;
  readonly time: string;
  readonly insert_id: string;
  readonly event_properties: { readonly path: string; readonly amount?: number; readonly duration_ms?: number };
}

function lines(options: Partial<DatasetOptions> = {}): string[] {
  return [...eventLines({ events: EVENTS, seed: 1, late: 0, duplicates: 0, ...options })];
}

function parsed(text: readonly string[]): Line[] {
  return text.map((line): Line => JSON.parse(line));
}

describe("the bench's data set", () => {
  it('has the same bytes for the same seed and others for another', () => {
    expect(lines()).to.deep.equal(lines());
    expect(lines({ seed: 2 })).to.not.deep.equal(lines());
  });

  it('has exactly the events asked for, in order of time, no two in one millisecond, inside 90 days', () => {
    const times = parsed(lines()).map(({ time }) => Date.parse(time));
    expect(times).to.have.length(EVENTS);
    expect(times.every((time, i) => time >= START && time < START + 90 * DAY && time > (times[i - 1] ?? 0))).to.equal(
      true,
    );
  });

  it('delays late events by at most 3 days', () => {
    const times = parsed(lines({ late: 0.02 })).map(({ time }) => Date.parse(time));
    let latest = 0;
    let late = 0;
    for (const time of times) {
      expect(latest - time).to.be.below(3 * DAY);
      if (time < latest) late++;
      latest = Math.max(latest, time);
    }
    expect(late / EVENTS).to.be.within(0.015, 0.025);
  });

  it('repeats duplicates byte for byte, on top of the events asked for', () => {
    const all = lines({ late: 0.02, duplicates: 0.01 });
    expect(new Set(all).size).to.equal(EVENTS);
    expect(all.length - EVENTS).to.be.within(EVENTS * 0.005, EVENTS * 0.015);
  });

  it('has the shares of types, anonymous events, sessions and properties that the peers are measured with', () => {
    const events = parsed(lines());
    const share = (is: (event: Line) => boolean): number => events.filter(is).length / EVENTS;
    expect(share(({ event_type }) => event_type === 'page_view')).to.be.within(0.38, 0.42);
    expect(share(({ event_type }) => event_type === 'signup')).to.be.within(0.016, 0.024);
    expect(share(({ user_id }) => user_id === undefined)).to.be.within(0.22, 0.28);
    expect(share(({ event_properties }) => event_properties.duration_ms !== undefined)).to.be.within(0.09, 0.11);
    expect(
      events.every(
        ({ event_type, event_properties }) => (event_type === 'purchase') === (event_properties.amount !== undefined),
      ),
    ).to.equal(true);
    expect(EVENTS / new Set(events.map(({ session_id }) => session_id)).size).to.be.within(7, 9);
  });

  it('binds every second device to a user', () => {
    const bindings = [...bindingLines({ events: EVENTS, seed: 1 })];
    expect(bindings).to.have.length(EVENTS / 50);
    expect(bindings[1]).to.match(/^\{"user_id":"u\d+","device_id":"d2"\}\n$/);
  });
});

describe('MinHeap', () => {
  it('gives back values by their numbers', () => {
    const heap = new MinHeap<string>();
    for (const key of [5, 1, 4, 1, 3, 9, 2]) heap.push(key, `v${key}`);
    const out = Array.from({ length: 7 }, () => heap.pop());
    expect(out).to.deep.equal(['v1', 'v1', 'v2', 'v3', 'v4', 'v5', 'v9']);
    expect(() => heap.pop()).to.throw('empty');
  });
});
