import { expect } from 'chai';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { Readings } from '../../lib/store/readings.ts';

const PROJECT = 'prj_read';
const BASE = { project: PROJECT, file: '', incarnation: 1, profileVersion: 0, segments: [] };

describe('the first snapshot of a project', () => {
  /** What the writer was asked, to be answered by the test. */
  let asked: PromiseWithResolvers<{ snapshot: Snapshot; retired: readonly number[] }>[];
  let readings: Readings;
  beforeEach(() => {
    asked = [];
    readings = new Readings({
      ask: <T>() => {
        const answer = Promise.withResolvers<{ snapshot: Snapshot; retired: readonly number[] }>();
        asked.push(answer);
        return answer.promise as Promise<T>;
      },
      isOver: () => false,
      onTrouble: (error) => {
        throw error;
      },
    });
  });
  const answer = (nth: number): Snapshot => {
    const snapshot = { ...BASE, identityVersion: nth };
    asked[nth]!.resolve({ snapshot, retired: [] });
    return snapshot;
  };

  it('that a query expects is the one it reads, asked for once', async () => {
    readings.expect(PROJECT);
    readings.expect(PROJECT);
    const both = [readings.read(PROJECT), readings.read(PROJECT)];
    await Promise.resolve();
    const first = answer(0);
    for (const { snapshot } of await Promise.all(both)) expect(snapshot).to.equal(first);
    expect((await readings.read(PROJECT)).snapshot).to.equal(first);
    expect(asked).to.have.length(1);
  });

  it('is not enough for a query that comes after another event: that asks again', async () => {
    readings.expect(PROJECT);
    readings.handle(PROJECT).touch(); // acknowledged
    const later = readings.read(PROJECT);
    await Promise.resolve();
    answer(0);
    const last = answer(1);
    expect((await later).snapshot).to.equal(last);
  });

  it('is the only one expected: queries after it ask when they run', async () => {
    readings.expect(PROJECT);
    answer(0);
    await readings.read(PROJECT);
    readings.handle(PROJECT).touch();
    readings.expect(PROJECT);
    expect(asked).to.have.length(1);
  });

  it('that cannot be made is told to the query, which asks again', async () => {
    readings.expect(PROJECT);
    asked[0]!.reject(new Error('the disk is full'));
    await new Promise(setImmediate);
    const reading = readings.read(PROJECT);
    await new Promise(setImmediate);
    asked[1]!.reject(new Error('the disk is still full'));
    const told = await reading.catch((error: unknown) => error);
    expect(String(told)).to.equal('Error: the disk is still full');
  });
});
