import { monotonic } from '../../lib/base/monotonic.ts';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { askedMetrics } from '../../lib/dsl/plan/columns.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { PageResult, QueryResult } from '../../lib/workers/query-result.ts';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { formatPage } from '../../lib/dsl/format/page.ts';
import type { Tenant } from '../../lib/base/project.ts';
import { setThresholds } from '../../lib/base/threshold.ts';
import { QueryEngine, type QueryEngineOptions } from '../../lib/workers/engine.ts';
import { Pool, type PoolOptions } from '../../lib/workers/pool/pool.ts';
import type { AggregatePlan, Condition, DidSpan, Field, Plan } from '../../lib/dsl/plan/plan.ts';
import * as plans from '../dsl/plans.ts';
import { projectShard, WIDE } from '../support/memory-projects.ts';

const WORKER = new URL('../support/memory-worker.bundle.js', import.meta.url).href;
const PATIENT = 300_000;
const range = { from: plans.JANUARY, to: plans.JANUARY + 30 * plans.DAY };
const aggregate = (parts: Partial<AggregatePlan>): AggregatePlan => plans.aggregate({ range, ...parts });
/** In an organization of its own. */
const own = (project: string): Tenant => ({ id: project, orgId: `org_of_${project}`, weight: 1 });
const core = (name: 'distinct_id' | 'insert_id'): Field => ({ kind: 'core', name });

/** One query that counts by number fits, two do not. Bytes. */
const ROOM = 8 * 2 ** 20;
const SMALL = 'rows of a small question';
const SHARED = 'work of several parts';

describe('QueryEngine', () => {
  let engine: QueryEngine;
  // The project's name decides how threads behave, and all these projects have few rows.
  before(() => setThresholds('least', [SMALL, SHARED]));
  after(() => setThresholds('usual', [SMALL, SHARED]));
  const open = (options: Partial<QueryEngineOptions & PoolOptions> = {}): void => {
    const defaults = { threads: 1, memoryBytes: 2 ** 30, maxGroups: 1_000_000, cacheBytes: 2 ** 20 };
    const all = { ...defaults, ...options };
    engine = new QueryEngine(all, new Pool({ ...all, filename: WORKER }));
  };
  const ask = (project: string, plan: Plan = aggregate({}), ms = PATIENT): Promise<QueryResult> =>
    engine.query(projectShard(project).snapshot(project), plan, { deadline: monotonic() + ms, tenant: own(project) });
  const codeOf = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => 'answered',
      (error: unknown) => (error instanceof AppError ? error.data.code : String(error)),
    );
  afterEach(() => engine.close());

  it('answers, and says which rows were read where', async () => {
    open({ threads: 2 });
    const { table, observations, parts, times } = await ask('prj_plain');
    expect(table.rows).to.deep.equal([[200]]);
    expect(observations).to.deep.equal({ unseenEvents: [], unseenFields: [], rowsScanned: 200 });
    expect(parts.map(({ segments, rows }) => [segments, rows])).to.deep.equal([[2, 200]]);
    expect(times.map(({ stage }) => stage)).to.deep.equal(['place', 'run', 'merge']);
  });

  it('lets queries wait for each other that together need more memory than is available, and answers all', async () => {
    const byNumber = aggregate({ groups: [plans.byField('number')] });
    open({ threads: 2, memoryBytes: ROOM, cacheBytes: ROOM });
    const snapshot = projectShard('prj_wide').snapshot('prj_wide');
    const asked = ['a', 'a', 'b', 'b', 'c'].map((name) =>
      engine.query(snapshot, byNumber, { deadline: monotonic() + PATIENT, tenant: own(name) }),
    );
    for (const { table } of await Promise.all(asked)) expect(table.total).to.equal(WIDE);
  });

  it('writes the rows of an answer as text in its threads, as they are written elsewhere', async () => {
    open({ threads: 2 });
    const plan = aggregate({ groups: [plans.byField('number')] });
    const snapshot = projectShard('prj_wide').snapshot('prj_wide');
    const options = { deadline: monotonic() + PATIENT, tenant: own('prj_wide') };
    const { table } = await engine.query(snapshot, plan, options);
    for (const format of ['llm', 'json', 'csv'] as const) {
      const { page } = await engine.answer(snapshot, plan, { ...options, format });
      expect(page).to.deep.equal(formatPage(format, table, plan.zone, askedMetrics(plan)));
    }
  });

  for (const which of ['usual', 'least'] as const)
    it(`answers from a shard at rest as from its snapshot, which it tells, with the ${which} bound of small questions`, async () => {
      setThresholds(which, [SMALL]);
      open({ threads: 2 });
      const plan = aggregate({ groups: [plans.byField('number')] });
      const snapshot = projectShard('prj_wide').snapshot('prj_wide');
      const options = { deadline: monotonic() + PATIENT, tenant: own('prj_wide'), format: 'json' } as const;
      const told: Snapshot[] = [];
      const shard = { project: 'prj_wide', file: snapshot.file };
      const atRest = await engine.answer(shard, plan, { ...options, took: (made) => told.push(made) });
      const usual = await engine.answer(snapshot, plan, options);
      for (const key of ['page', 'observations'] as const) expect(atRest[key]).to.deep.equal(usual[key]);
      const read = ({ parts }: PageResult): unknown => parts.map(({ segments, rows }) => [segments, rows]);
      expect(read(atRest)).to.deep.equal(read(usual));
      expect(atRest.times.map(({ stage }) => stage)).to.deep.equal(['place', 'run', 'merge']);
      expect(told).to.deep.equal([snapshot]);
      setThresholds('least', [SMALL]);
    });

  it('joins the parts of several threads, once they are up', async () => {
    open({ threads: 2 });
    const plan = aggregate({ metrics: [{ kind: 'unique', field: core('distinct_id'), column: 'unique' }] });
    const seen = new Set<number>();
    while (!seen.has(2)) {
      const { table, parts } = await ask('prj_wide', plan);
      expect(table.rows).to.deep.equal([[WIDE]]);
      seen.add(parts.length);
    }
    expect([...seen]).to.deep.equal([1, 2]);
  });

  it('finds who did what a plan asks in all of its threads, of one snapshot, and within its memory', async () => {
    open({ threads: 2 });
    const did = (event: string | null, span: DidSpan): Condition => {
      const literal = { type: 'number', value: 1 } as const;
      return {
        kind: 'test',
        field: { kind: 'did', event, where: null, span },
        test: { op: 'compare', sign: '>=', literal },
      };
    };
    const within = { kind: 'within', duration: { count: 1, unit: 'd' }, of: null } as const;
    const terms = [
      did(null, { kind: 'asked' }),
      did(null, within),
      { kind: 'not', term: did('nothing', { kind: 'all' }) } as const,
    ];
    const plan = aggregate({
      where: { kind: 'and', terms },
      metrics: [{ kind: 'unique', field: core('distinct_id'), column: 'unique' }],
    });
    const seen = new Set<number>();
    while (!seen.has(7)) {
      const { table, parts, observations, times } = await ask('prj_wide', plan);
      expect(table.rows).to.deep.equal([[WIDE]]);
      expect(observations.undone).to.deep.equal({ events: ['nothing'], fields: [], rows: 3 * WIDE });
      expect(observations.rowsScanned).to.equal(4 * WIDE);
      expect(times[0]!.stage).to.equal('did');
      seen.add(parts.length); // of four plans, of which that with a window always has one
    }
    const snapshot = projectShard('prj_wide').snapshot('prj_wide');
    const told: Snapshot[] = [];
    const options = {
      deadline: monotonic() + PATIENT,
      tenant: own('prj_wide'),
      took: (made: Snapshot) => told.push(made),
    };
    const { table } = await engine.query({ project: 'prj_wide', file: snapshot.file }, plan, options);
    expect([table.rows, told]).to.deep.equal([[[WIDE]], [snapshot]]);
    await engine.close();
    open({ memoryBytes: 2 * WIDE });
    expect(await codeOf(ask('prj_wide', plan))).to.equal('bad_query');
  });

  it('names what of a plan has no row in the range', async () => {
    open();
    const plan = aggregate({ event: 'nothing', groups: [plans.byField('nowhere'), plans.byField('text')] });
    const { observations } = await ask('prj_plain', plan);
    expect(observations.unseenEvents).to.deep.equal(['nothing']);
    expect(observations.unseenFields).to.deep.equal(['event_properties.nowhere']);
  });

  it('answers query_timeout at the deadline, though the thread goes on until its next look at the clock', async () => {
    open();
    await ask('prj_slow'); // the thread is up and knows the project
    expect(await codeOf(ask('prj_slow', aggregate({}), 100))).to.equal('query_timeout');
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
    expect(engine.stats().workerRestarts).to.equal(0);
  });

  it('answers query_timeout at the deadline though the thread never comes back, and replaces the thread', async () => {
    open();
    await ask('prj_plain'); // the thread is up
    const stuck = codeOf(ask('prj_stuck', aggregate({}), 300));
    const others = [ask('prj_plain'), ask('prj_other'), ask('prj_wide')];
    const late = new AbortController();
    expect(await Promise.race([stuck, pause(5_000, 'late', late)])).to.equal('query_timeout');
    late.abort();
    const answers = await Promise.all(others);
    expect(answers.map(({ table }) => table.rows)).to.deep.equal([[[200]], [[200]], [[WIDE]]]);
    while (engine.stats().workerRestarts === 0) await pause(10);
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
    expect(engine.stats().workerRestarts).to.equal(1);
  });

  it('takes a thread that a query holds for one that works, which is why a service would not be ready', async () => {
    open();
    await ask('prj_plain'); // the thread is up
    const stuck = codeOf(ask('prj_stuck', aggregate({}), 1_000));
    await engine.probe(monotonic() + 300);
    expect(await stuck).to.equal('query_timeout');
    while (engine.stats().workerRestarts === 0) await pause(10);
    await engine.probe(monotonic() + PATIENT);
  });

  it('loses only the query that ends a thread: those that wait there are answered by the next one', async () => {
    open();
    const dying = codeOf(ask('prj_dies'));
    const others = [ask('prj_plain'), ask('prj_other')];
    expect(await dying).not.to.equal('answered');
    const answers = await Promise.all(others);
    expect(answers.map(({ table }) => table.rows)).to.deep.equal([[[200]], [[200]]]);
  });

  it('runs a query once more when its thread dies: the cause may have been another', async () => {
    open();
    const project = `prj_dies_once_${randomUUID()}`;
    const [{ table }, other] = await Promise.all([ask(project), ask('prj_plain')]);
    fs.rmSync(path.join(os.tmpdir(), `windlass-${process.pid}-${project}`));
    expect([table.rows, other.table.rows]).to.deep.equal([[[200]], [[200]]]);
    expect(engine.stats().workerRestarts).to.equal(1);
  });

  it('says bad_query and what to narrow when a query fills the heap of its thread, and answers all others', async () => {
    open({ heapBytes: 32 * 2 ** 20 });
    const hungry = ask('prj_hungry').catch((thrown: unknown) => thrown);
    const others = await Promise.all([ask('prj_plain'), ask('prj_other')]);
    const error = await hungry;
    expect(error).to.be.instanceOf(AppError);
    expect(error).to.have.nested.property('data.code', 'bad_query');
    expect(String(error)).to.include('more memory than is available').and.include('narrow the range');
    expect(others.map(({ table }) => table.rows)).to.deep.equal([[[200]], [[200]]]);
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
  });

  it('says bad_query and what to narrow when a query makes a text longer than any may be', async () => {
    open();
    const error = await ask('prj_long').catch((thrown: unknown) => thrown);
    expect(error).to.have.nested.property('data.code', 'bad_query');
    expect(String(error)).to.include('more memory than is available');
    expect(engine.stats().workerRestarts).to.equal(0);
  });

  it('says of a thread that dies of a query what it died of, for the log', async () => {
    open();
    const error = await ask('prj_dies').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(AppError);
    expect(error).to.have.nested.property('cause.message').that.includes('exited');
  });

  it('answers a small question, by the statistics of its segments, while a large one holds every thread', async () => {
    setThresholds('usual', [SMALL]);
    open();
    await ask('prj_plain'); // the thread is up
    const snapshot = projectShard('prj_stuck').snapshot('prj_stuck');
    const segments = snapshot.segments.map((segment) => ({ ...segment, rows: 1_000_000 }));
    const plan = aggregate({ groups: [plans.byField('text')] });
    const options = { deadline: monotonic() + PATIENT, tenant: own('prj_stuck') };
    const cancel = new AbortController();
    const large = engine.query({ ...snapshot, segments }, plan, { ...options, signal: cancel.signal });
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
    expect((await ask('prj_other')).table.rows).to.deep.equal([[200]]);
    cancel.abort();
    expect(await codeOf(large)).to.equal('overloaded');
    setThresholds('least', [SMALL]);
  });

  describe('while an organization asks what never ends', () => {
    const held: { readonly cancel: AbortController; readonly over: Promise<string> }[] = [];
    const askFor = (orgId: string, project: string, signal?: AbortSignal): Promise<QueryResult> => {
      const options = { deadline: monotonic() + PATIENT, tenant: { id: project, orgId, weight: 1 } };
      const all = signal === undefined ? options : { ...options, signal };
      return engine.query(projectShard(project).snapshot(project), aggregate({}), all);
    };
    /** Asks what never ends. */
    const hold = (project: string): void => {
      const cancel = new AbortController();
      held.push({ cancel, over: codeOf(askFor(`org_of_${project}`, project, cancel.signal)) });
    };
    const busy = async (threads: number): Promise<void> => {
      while (engine.stats().busyThreads !== threads) await pause(5);
    };
    const release = async (): Promise<void> => {
      for (const { cancel } of held) cancel.abort();
      for (const { over } of held.splice(0)) expect(await over).to.equal('overloaded');
    };
    afterEach(release);

    it('answers others, and has its own wait', async () => {
      open();
      hold('prj_stuck_a');
      hold('prj_stuck_a');
      await busy(1);
      const answers = await Promise.all([ask('prj_plain'), ask('prj_other')]);
      expect(answers.map(({ table }) => table.rows)).to.deep.equal([[[200]], [[200]]]);
      const waiting = askFor('org_of_prj_stuck_a', 'prj_plain');
      expect(await Promise.race([waiting, pause(200, 'waits')])).to.equal('waits');
      await release();
      expect((await waiting).table.rows).to.deep.equal([[200]]);
    });

    it('answers small questions of others, although its own looked small', async () => {
      setThresholds('usual', [SMALL]);
      open();
      hold('prj_stuck_a');
      await busy(1);
      const answers = await Promise.all([ask('prj_plain'), ask('prj_other')]);
      expect(answers.map(({ table }) => table.rows)).to.deep.equal([[[200]], [[200]]]);
      setThresholds('least', [SMALL]);
    });

    it('shares questions of others among threads, too', async () => {
      open({ threads: 2 });
      const plan = aggregate({ metrics: [{ kind: 'unique', field: core('distinct_id'), column: 'unique' }] });
      while ((await ask('prj_wide', plan)).parts.length === 1) await pause(5);
      for (const threads of [1, 2]) {
        hold('prj_stuck_a');
        await busy(threads);
      }
      const { table, parts } = await ask('prj_wide', plan);
      expect([table.rows, parts.length]).to.deep.equal([[[WIDE]], 2]);
    });
  });

  it('stops a query that is cancelled', async () => {
    open();
    const cancel = new AbortController();
    const snapshot = projectShard('prj_slow').snapshot('prj_slow');
    const asked = codeOf(
      engine.query(snapshot, aggregate({}), {
        ...{ deadline: monotonic() + PATIENT, signal: cancel.signal, tenant: own('prj_slow') },
      }),
    );
    cancel.abort();
    expect(await asked).not.to.equal('answered');
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
  });

  it('refuses what needs more memory than a query may hold, and says what to narrow', async () => {
    open({ memoryBytes: 2 ** 20 });
    const plan = aggregate({ groups: [plans.byField('number')] });
    const error: unknown = await ask('prj_wide', plan).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AppError);
    expect(String(error)).to.include('more than 1 MiB of memory').and.include('narrow');
  });

  it('refuses more groups than a query may hold, whatever way they are counted', async () => {
    open({ maxGroups: 1_000, threads: 2 });
    for (const field of [plans.property('text'), plans.property('number'), core('insert_id')]) {
      const plan = aggregate({ groups: [{ kind: 'field', field, column: 'group' }] });
      const error: unknown = await ask('prj_wide', plan).catch((thrown: unknown) => thrown);
      expect(String(error)).to.include('more than 1000 groups');
    }
  });

  it('reads a project anew after it was forgotten', async () => {
    open({ threads: 2 });
    await ask('prj_plain');
    await engine.forget('prj_plain');
    expect((await ask('prj_plain')).table.rows).to.deep.equal([[200]]);
  });
});
