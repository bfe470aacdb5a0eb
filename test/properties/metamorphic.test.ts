import { expect } from 'chai';
import fc from 'fast-check';
import type { Answer } from '../oracle/table.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import { PLAIN, StoreSubject } from '../support/store-subject.ts';
import type { Subject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { timelineQuery, query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW, world } from './worlds.ts';

const queries = fc.noBias(fc.array(query, { minLength: 1, maxLength: 12, size: 'max' }));
const timelines = fc.noBias(fc.array(timelineQuery, { minLength: 1, maxLength: 12, size: 'max' }));
const settings = (normal: number) => ({ numRuns: runs(normal), ...replay() });

async function ask(subject: Subject, text: string): Promise<Answer> {
  return subject.query(compile(text, { now: NOW, timezone: null, limit: 10_000, offset: 0 }, []));
}

async function askAll(subject: Subject, texts: readonly string[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const text of texts) answers.push(await ask(subject, text));
  return answers;
}

function expectSame(requests: World, texts: readonly string[], [before, after]: readonly [Answer[], Answer[]]): void {
  for (const [at, expected] of before.entries()) {
    const actual = after[at]!;
    const difference = { world: requests, query: texts[at]!, zone: 'UTC', expected, actual };
    if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
  }
}

/** The numbers of a column. */
function numbers({ columns, rows }: Answer, name: string): number[] {
  const at = columns.findIndex((column) => column.name === name);
  return rows.map((row) => Number(row[at]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

describe('answers', function () {
  this.timeout(24 * 3600_000);
  let subject: PartsSubject;
  before(() => (subject = new PartsSubject()));
  after(() => subject.close());

  const load = (requests: World, rows = 1_000): Promise<void> => {
    subject.cutting = { turns: [][Symbol.iterator](), sealRows: rows, segmentRows: rows };
    return subject.load(requests);
  };

  it('are the same in any number of segments', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.oneof(queries, timelines), async (requests, texts) => {
        await load(requests);
        const whole = await askAll(subject, texts);
        await load(requests, 2);
        expectSame(requests, texts, [whole, await askAll(subject, texts)]);
      }),
      settings(10),
    );
  });

  it('are the same in any order of arrival, where no two events share a millisecond', async () => {
    const rank = fc.array(fc.nat(), { minLength: 9, maxLength: 9 });
    const asked = fc.oneof(queries, timelines).map((texts) => texts.filter((text) => !text.includes('insert_id')));
    await fc.assert(
      fc.asyncProperty(world, rank, asked, async (requests, order, texts) => {
        const apart = eventsApart(requests);
        const shuffled = apart.map((one, at) => ({ one, at })).sort((a, b) => order[a.at]! - order[b.at]!);
        await load(apart);
        const inOrder = await askAll(subject, texts);
        await load(
          shuffled.map(({ one }) => one),
          3,
        );
        expectSame(apart, texts, [inOrder, await askAll(subject, texts)]);
      }),
      settings(10),
    );
  });

  it('of a funnel: a wider window lowers no step', async () => {
    const windows = ['1 m', '1 h', '1 d', '2 d', '1 w', '1 mo', '1 y'];
    const steps = fc.array(fc.constantFrom('a', 'b', '*', 'a[event_properties.n > 0]'), { minLength: 2, maxLength: 4 });
    const exclude = fc.constantFrom('', '', ' exclude c', ' exclude b, c');
    await fc.assert(
      fc.asyncProperty(world, fc.tuple(steps, exclude), async (requests, [names, without]) => {
        await load(requests);
        let narrower = names.map(() => 0);
        for (const window of windows) {
          const text = `funnel ${names.join(' -> ')}${without} | from 2025-01-01 | window ${window}`;
          const users = numbers(await ask(subject, text), 'users');
          users.forEach((count, at) => expect(count, `step ${at + 1} of ${text}`).to.be.at.least(narrower[at]!));
          narrower = users;
        }
      }),
      settings(16),
    );
  });

  it('of retention with returning any: period 0 is the cohort', async () => {
    const by = fc.constantFrom('by day', 'by week', 'by month', 'by week, event_properties.p', 'by day, device_id');
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom('a', '*'), by, async (requests, event, groups) => {
        await load(requests);
        const answer = await ask(subject, `retention ${event} returning any | from 2026-02-20 | ${groups}`);
        const [first] = answer.columns.filter(({ name }) => name.endsWith('_0'));
        expect(numbers(answer, first!.name)).to.deep.equal(numbers(answer, 'users'));
      }),
      settings(16),
    );
  });

  it('of all sources count the same persons', async () => {
    const range = '| from 2026-02-20';
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom('a', 'b', '*'), async (requests, event) => {
        await load(requests);
        const persons = sum(numbers(await ask(subject, `${event} ${range} | unique`), 'unique'));
        const [first] = numbers(await ask(subject, `funnel ${event} -> c ${range}`), 'users');
        expect(first, 'step 1 of a funnel').to.equal(persons);
        for (const text of [
          `retention ${event} ${range}`,
          `stickiness ${event} ${range}`,
          `paths from ${event} ${range}`,
        ]) {
          expect(sum(numbers(await ask(subject, `${text} | limit 10000`), 'users')), text).to.equal(persons);
        }
      }),
      settings(16),
    );
  });

  it('of a lifecycle: who is new, returning or resurrected is who was there', async () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe');
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom('day', 'week', 'month'), zone, async (requests, unit, name) => {
        await load(requests);
        const stages = `from 2026-03-01 to 2026-03-30 | tz "${name}" | by ${unit}`;
        const lifecycle = await ask(subject, `lifecycle a | ${stages}`);
        const [fresh, returning, back] = ['new', 'returning', 'resurrected'].map((column) =>
          numbers(lifecycle, column),
        );
        const active = fresh!.map((count, at) => count + returning![at]! + back![at]!);
        const there = numbers(await ask(subject, `a | unique | ${stages}`), 'unique');
        // The range of a lifecycle extends to the start of its first bucket.
        expect(active.slice(1)).to.deep.equal(there.slice(1));
      }),
      settings(16),
    );
  });

  it('of sessions: there are as many as session ids', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (requests) => {
        await load(requests);
        const [ids] = numbers(await ask(subject, '* | unique session_id | from 2026-02-20'), 'unique');
        expect(sum(numbers(await ask(subject, 'sessions | from 2026-02-20'), 'sessions'))).to.equal(ids);
      }),
      settings(16),
    );
  });
});

describe('a tenant', function () {
  this.timeout(24 * 3600_000);
  let store: StoreSubject;
  before(() => (store = new StoreSubject({ ...PLAIN, queryEvery: 2, sealRows: 5 })));
  after(() => store.close());

  it('gets the answers that it gets alone, whatever another one sends and asks in between', async () => {
    await fc.assert(
      fc.asyncProperty(world, world, queries, async (own, foreign, texts) => {
        await store.load(own);
        const alone = await askAll(store, texts);
        await store.load([]);
        const tenant = store.project;
        await store.load([]);
        const neighbour = store.project;
        for (let at = 0; at < Math.max(own.length, foreign.length); at++) {
          for (const [project, request] of [
            [tenant, own[at]],
            [neighbour, foreign[at]],
          ] as const) {
            store.project = project;
            if (request !== undefined) await store.send(request);
          }
          await ask(store, texts[at % texts.length]!);
        }
        store.project = tenant;
        expectSame(own, texts, [alone, await askAll(store, texts)]);
      }),
      settings(10),
    );
  });
});

/** Only the events, each in its own millisecond, all sent at once: nothing depends on which came first. */
function eventsApart(requests: World): WorldRequest[] {
  const taken = new Set<number>();
  return requests.flatMap((request) => {
    if (!('track' in request)) return [];
    const track = request.track.flatMap((sent) => {
      if (typeof sent !== 'object' || sent === null || !('time' in sent) || typeof sent.time !== 'string') return [];
      let time = Date.parse(sent.time);
      if (Number.isNaN(time)) return [];
      while (taken.has(time)) time++;
      taken.add(time);
      const kept = Object.entries(sent).filter(([key]) => key !== 'insert_id' && key !== 'user_properties');
      return [{ ...Object.fromEntries(kept), time: new Date(time).toISOString() }];
    });
    return [{ at: NOW - 1_800_000, track }];
  });
}
