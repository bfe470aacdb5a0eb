/** A steady load over many projects: batches at a fixed rate from random projects, and queries beside them. */
import { HttpConnection, postRequest } from '../http-connection.ts';
import { quantile } from '../statistics.ts';
import { Asker } from './asker.ts';
import type { BareServer } from './bare.ts';
import type { TenantProject } from './projects.ts';
import { Shapes } from './shapes.ts';

const EVENTS_A_SECOND = 2_000;
/** Events per batch: what a page or a small server sends. */
const BATCH = 10;
const QUESTIONS_A_SECOND = 5;
/** For the bare server beside it, which shows what the machine has left. */
const BARE_A_SECOND = 10;
/** Most requests in flight; further ones that are due wait, and their waiting counts. */
const CONNECTIONS = 16;

export interface Steady {
  readonly events: number;
  /** Milliseconds from when a batch was due until it was acknowledged. */
  readonly acknowledged: { readonly p50: number; readonly p99: number };
  /** The same for queries, each to a random project. */
  readonly answered: { readonly p50: number; readonly p99: number; readonly count: number };
  /** The same for the bare server. */
  readonly bare: { readonly p50: number; readonly p99: number };
}

export interface SteadyOptions {
  readonly bare: BareServer;
  /** Ends it once true. */
  readonly until: () => boolean;
  readonly seed: number;
}

export async function steadyLoad(
  port: number,
  projects: readonly TenantProject[],
  { bare, until, seed }: SteadyOptions,
): Promise<Steady> {
  const shapes = new Shapes(seed);
  const batches: number[] = [];
  const questions: number[] = [];
  const units: number[] = [];
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => HttpConnection.open('127.0.0.1', port)),
  );
  const asker = await Asker.open(port);
  const sending = paced(EVENTS_A_SECOND / BATCH, connections, until, async (connection, due) => {
    const { key } = shapes.pick(projects);
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const { status, body } = await connection.send(postRequest('/track', headers, batchBody(shapes)));
    if (status !== 200) throw new Error(`a batch was answered ${status} ${body.toString()}`);
    batches.push(performance.now() - due);
  });
  const asking = paced(QUESTIONS_A_SECOND, [asker], until, async (_asker, due) => {
    await asker.query(shapes.pick(projects).key, shapes.next());
    questions.push(performance.now() - due);
  });
  const comparing = paced(BARE_A_SECOND, [bare], until, async (_bare, due) => {
    await bare.ask('beside');
    units.push(performance.now() - due);
  });
  try {
    await Promise.all([sending, asking, comparing]);
  } finally {
    for (const connection of connections) connection.close();
    asker.close();
  }
  return {
    events: batches.length * BATCH,
    acknowledged: spread(batches),
    answered: { ...spread(questions), count: questions.length },
    bare: spread(units),
  };
}

const spread = (times: readonly number[]): { p50: number; p99: number } => ({
  p50: quantile(times, 0.5),
  p99: quantile(times, 0.99),
});

/** Does something so many times per second, shared among `workers`. */
async function paced<Worker>(
  perSecond: number,
  workers: readonly Worker[],
  until: () => boolean,
  run: (worker: Worker, due: number) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  let nth = 0;
  await Promise.all(
    workers.map(async (worker) => {
      while (!until()) {
        const due = begun + (nth++ * 1_000) / perSecond;
        await new Promise((wait) => setTimeout(wait, Math.max(0, due - performance.now())));
        await run(worker, Math.max(due, begun));
      }
    }),
  );
}

function batchBody(shapes: Shapes): Buffer {
  const events = Array.from({ length: BATCH }, () => ({
    event_type: shapes.pick(['page_view', 'click', 'signup', 'purchase', 'search']),
    user_id: `user-${shapes.below(500)}`,
    insert_id: `${shapes.below(2 ** 31).toString(16)}-${shapes.below(2 ** 31).toString(16)}`,
    event_properties: { path: `/p/${shapes.below(200)}`, plan: shapes.pick(['free', 'pro']), amount: shapes.below(99) },
  }));
  return Buffer.from(JSON.stringify({ events }));
}
