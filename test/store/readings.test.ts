import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { Readings } from '../../lib/store/readings.ts';

const PROJECT = 'prj_read';
const REST = { project: PROJECT, file: 'prj_read.db' };
const BASE = { project: PROJECT, file: '', incarnation: 1, profileVersion: 0, segments: [] };

describe('the first snapshot of a project', () => {
  /** What the writer was asked, to be answered by the test. */
  let asked: PromiseWithResolvers<{ snapshot: Snapshot; retired: readonly number[] }>[];
  let readings: Readings;
  let isAtRest: boolean;
  beforeEach(() => {
    asked = [];
    isAtRest = false;
    readings = new Readings({
      ask: <T>() => {
        const answer = Promise.withResolvers<{ snapshot: Snapshot; retired: readonly number[] }>();
        asked.push(answer);
        return answer.promise as Promise<T>;
      },
      atRest: () => (isAtRest ? REST : null),
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

  it('is asked for once by queries that come together', async () => {
    const both = [readings.read(PROJECT), readings.read(PROJECT)];
    await turn();
    const first = answer(0);
    for (const { source } of await Promise.all(both)) expect(source).to.equal(first);
    expect((await readings.read(PROJECT)).source).to.equal(first);
    expect(asked).to.have.length(1);
  });

  it('is not enough for a query that comes after another event: that asks again', async () => {
    void readings.read(PROJECT);
    await turn();
    readings.handle(PROJECT).touch(); // acknowledged
    const later = readings.read(PROJECT);
    await turn();
    answer(0);
    const last = answer(1);
    expect((await later).source).to.equal(last);
  });

  it('that cannot be made is asked for again by the next query', async () => {
    const failed = readings.read(PROJECT).catch(String);
    await turn();
    asked[0]!.reject(new Error('the disk is full'));
    expect(await failed).to.equal('Error: the disk is full');
    const reading = readings.read(PROJECT);
    await turn();
    const made = answer(1);
    expect((await reading).source).to.equal(made);
  });

  describe('of a shard at rest', () => {
    const MADE = { ...BASE, identityVersion: 7 };
    beforeEach(() => (isAtRest = true));

    it('is made by who reads it first, and no writer is asked', async () => {
      const [one, other] = await Promise.all([readings.readFirst(PROJECT), readings.readFirst(PROJECT)]);
      expect([one.source, other.source]).to.deep.equal([REST, REST]);
      one.took(MADE);
      other.took({ ...MADE, identityVersion: 8 });
      expect((await readings.readFirst(PROJECT)).source).to.equal(MADE);
      expect((await readings.read(PROJECT)).source).to.equal(MADE);
      expect(asked).to.deep.equal([]);
    });

    it('lacks what is acknowledged while it is made', async () => {
      const reading = await readings.readFirst(PROJECT);
      readings.handle(PROJECT).touch();
      isAtRest = false;
      reading.took(MADE);
      expect(readings.current(PROJECT)).to.equal(null);
      const later = readings.readFirst(PROJECT);
      await new Promise(setImmediate);
      const last = answer(0);
      expect((await later).source).to.equal(last);
    });

    it('is older than one that the writer reports meanwhile', async () => {
      const reading = await readings.readFirst(PROJECT);
      const handle = readings.handle(PROJECT);
      handle.update({ ...BASE, identityVersion: 9 }, []);
      handle.cover(handle.acknowledged);
      reading.took(MADE);
      expect(readings.current(PROJECT)).to.deep.equal({ ...BASE, identityVersion: 9 });
    });

    it('keeps its segments until it is read, though a writer has replaced them', async () => {
      const reading = await readings.readFirst(PROJECT);
      const handle = readings.handle(PROJECT);
      handle.update({ ...BASE, identityVersion: 9 }, [1]);
      expect(handle.takeUnread()).to.deep.equal([]);
      reading.unpin();
      expect(handle.takeUnread()).to.deep.equal([1]);
    });

    it('is made by the writer for who cannot make it', async () => {
      const reading = readings.read(PROJECT);
      await new Promise(setImmediate);
      const whole = answer(0);
      expect((await reading).source).to.equal(whole);
    });
  });

  it('is not read by a query that waited for one erasure when another begins in the same turn', async () => {
    const end = await (await readings.open(PROJECT)).close();
    const other = readings.open(PROJECT).then((handle) => handle.close());
    const query = readings.read(PROJECT);
    end();
    const endOther = await other;
    await turn();
    expect(asked, 'while the other runs').to.have.length(0);
    endOther();
    await turn();
    const read = answer(0);
    const { source, interruption } = await query;
    expect([source, interruption.aborted]).to.deep.equal([read, false]);
  });
});

describe('replaced segments that nobody reads', () => {
  it('are named to the writer once, and again if it could not remove them', async () => {
    const asked: unknown[] = [];
    const troubles: unknown[] = [];
    const outcomes = [() => Promise.reject(new Error('the disk is full')), () => Promise.resolve(null)];
    const readings = new Readings({
      ask: <T>(_: string, message: unknown) => {
        asked.push(message);
        return outcomes.shift()!() as Promise<T>;
      },
      atRest: () => null,
      isOver: () => false,
      onTrouble: (error) => troubles.push(String(error)),
    });
    const handle = readings.handle(PROJECT);
    const purge = async (): Promise<void> => {
      handle.update({ ...BASE, identityVersion: 1 }, [1, 2]);
      readings.purge(handle);
      handle.update({ ...BASE, identityVersion: 2 }, [1, 2]);
      readings.purge(handle);
      await turn();
    };
    await purge();
    await purge();
    const once = { op: 'purge', project: PROJECT, segments: [1, 2] };
    expect([asked, troubles]).to.deep.equal([[once, once], ['Error: the disk is full']]);
  });
});
