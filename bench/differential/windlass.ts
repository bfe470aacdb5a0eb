/** Windlass's side: worlds in projects of one embedded store, queried in the pipe language. */
import { monotonic } from '../../lib/base/monotonic.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { openEmbeddedStore } from '../../lib/store/open-embedded-store.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import type { Cell, Row } from '../peers/peer.ts';
import { NOW, type SentRequest, type World } from './world.ts';

const MIB = 1_048_576;
/** More rows than any answer has. */
const LIMIT = 10_000;
/** Milliseconds that one query may take. */
const PATIENCE = 60_000;
/** Runs a query after every so many requests, which seals them: a world has several segments, some overlapping in time. */
const SEAL_EVERY = 3;
const CONTEXT = { keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;

export class Windlass {
  readonly #store: EventStore;
  #projects = 0;

  private constructor(store: EventStore) {
    this.#store = store;
  }

  static async open(folder: string, threads: number): Promise<Windlass> {
    const fail = (error: unknown): never => {
      throw error;
    };
    const store = await openEmbeddedStore({
      ...{ folder, threads, writers: 1, onTrouble: fail, onFatal: fail, geoipFile: null },
      ...{ queueBytes: 64 * MIB, queryBytes: 64 * MIB, queryMemory: 1024 * MIB, queryGroups: 1_000_000 },
      ...{
        bodyLimit: 5 * MIB,
        batchLimit: 2_000,
        lineLimit: MIB,
        openShards: 8,
        dictionaryBytes: 64 * 2 ** 20,
        projectDictionaryBytes: 64 * 2 ** 20,
      },
      ...{
        sealRows: 200,
        sealBytes: 64 * MIB,
        sealAge: 600_000,
        pendingBytes: 256 * MIB,
        journalBytes: 256 * MIB,
        segmentRows: 400,
      },
    });
    return new Windlass(store);
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

  close(): Promise<void> {
    return this.#store.close();
  }
}

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
    const answer = await this.#store.append({
      // The real time, not the world's: insert ids are known for a week after arrival, by the clock.
      ...{ project: this.#project, kind, context: { ...CONTEXT, receivedAt: Date.now() }, encoding: 'identity' },
      body: new Uint8Array(Buffer.from(JSON.stringify(body))),
    });
    if (!answer.ok) throw new Error(answer.error.message);
  }

  /** Rows as in the answer. */
  async ask(pipe: string): Promise<Row[]> {
    const { plan } = compileQuery(pipe, { now: NOW, timezone: { project: 'UTC' }, limit: LIMIT, offset: 0 });
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
