/** Windlass's side: worlds in projects of one store, queried in the pipe language. */
import { monotonic } from '../../lib/base/monotonic.ts';
import { ClickHouseStore } from '../../cluster/lib/clickhouse/store.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { openEmbeddedStore } from '../../lib/store/open-embedded-store.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { startChdbProcess, type ChdbProcess } from '../../cluster/test/support/chdb-server/chdb-process.ts';
import { accessTo } from '../../cluster/test/support/chdb-server/new-database.ts';
import type { Cell, Row } from '../peers/peer.ts';
import { COHORTS } from './did.ts';
import { NOW, type SentRequest, type World } from './world.ts';

const MIB = 1_048_576;
/** More rows than any answer has. */
const LIMIT = 10_000;
/** Milliseconds that one query may take. */
const PATIENCE = 60_000;
/** Runs a query after every so many requests, which seals them: a world has several segments, some overlapping in time. */
const SEAL_EVERY = 3;
const CONTEXT = { keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;

/** Where Windlass keeps its events. */
export type StoreName = 'embedded' | 'clickhouse';

export class Windlass {
  readonly #store: EventStore;
  readonly #engine: ChdbProcess | null;
  #projects = 0;

  private constructor(store: EventStore, engine: ChdbProcess | null = null) {
    this.#store = store;
    this.#engine = engine;
  }

  /** @param folder Empty. The store on ClickHouse has chDB, or the server that CLICKHOUSE_URL names. */
  static async open(folder: string, { name, threads }: { name: StoreName; threads: number }): Promise<Windlass> {
    if (name === 'embedded')
      return new Windlass(await openEmbeddedStore({ ...LIMITS, ...OF_FOLDERS, folder, threads }));
    const given = process.env['CLICKHOUSE_URL'];
    const engine = given === undefined ? await startChdbProcess(folder) : null;
    const access = await accessTo(given ?? engine?.url ?? '');
    return new Windlass(new ClickHouseStore({ ...LIMITS, access, turns: null }), engine);
  }

  /** Loads a world into a project of its own. */
  async load(world: World): Promise<LoadedWorld> {
    const project: ProjectRef = {
      id: `prj_${++this.#projects}`,
      orgId: 'org_test',
      weight: 1,
      retentionDays: null,
      ipPolicy: 'anonymized',
    };
    const loaded = new LoadedWorld(this.#store, project);
    for (const [at, request] of world.entries()) {
      await loaded.send(request);
      if (at % SEAL_EVERY === SEAL_EVERY - 1) await loaded.ask('* | count');
    }
    return loaded;
  }

  async close(): Promise<void> {
    await this.#store.close();
    await this.#engine?.kill();
  }
}

const fail = (error: unknown): never => {
  throw error;
};

const LIMITS = {
  writers: 1,
  queueBytes: 64 * MIB,
  queryMemory: 1024 * MIB,
  queryGroups: 1_000_000,
  bodyLimit: 5 * MIB,
  batchLimit: 2_000,
  lineLimit: MIB,
  geoipFile: null,
  onTrouble: fail,
};

/** What is not of all stores: small segments, so that a world has several. */
const OF_FOLDERS = {
  queryBytes: 64 * MIB,
  openShards: 8,
  dictionaryBytes: 64 * MIB,
  projectDictionaryBytes: 64 * MIB,
  sealRows: 200,
  sealBytes: 64 * MIB,
  sealAge: 600_000,
  pendingBytes: 256 * MIB,
  journalBytes: 256 * MIB,
  segmentRows: 400,
  onFatal: fail,
};

export class LoadedWorld {
  readonly #store: EventStore;
  readonly #project: ProjectRef;

  constructor(store: EventStore, project: ProjectRef) {
    this.#store = store;
    this.#project = project;
  }

  async send(request: SentRequest): Promise<void> {
    const { kind } = request;
    const { user_id, device_id } = kind === 'identify' ? request : { user_id: '', device_id: '' };
    const body = kind === 'track' ? { events: request.events } : { user_id, device_id };
    await this.#store.append({
      // The real time, not the world's: insert ids are known for a week after arrival, by the clock.
      ...{ project: this.#project, kind, context: { ...CONTEXT, receivedAt: Date.now() }, encoding: 'identity' },
      body: new Uint8Array(Buffer.from(JSON.stringify(body))),
    });
  }

  /** Rows as in the answer. */
  async ask(pipe: string): Promise<Row[]> {
    const cohorts = { names: [...COHORTS.keys()], conditions: COHORTS };
    const { plan } = compileQuery(pipe, { now: NOW, timezone: { project: 'UTC' }, limit: LIMIT, offset: 0, cohorts });
    const { table } = await this.#store.query(this.#project, plan, { deadline: monotonic() + PATIENCE });
    return table.rows.map((row) => row.map(plainCell));
  }

  drop(): Promise<void> {
    return this.#store.drop(this.#project.id);
  }
}

function plainCell(cell: unknown): Cell {
  if (Array.isArray(cell)) return cell.map(plainCell);
  if (cell === null || typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean') return cell;
  throw new Error('an answer has an object, of which SQL knows nothing');
}
