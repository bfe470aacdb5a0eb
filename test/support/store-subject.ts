/** The embedded store as a subject: takes bodies as POSTed, runs optimized plans. */
import { monotonic } from '../../lib/base/monotonic.ts';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ProjectRef } from '../../lib/base/project.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import type { EmbeddedStoreOptions } from '../../lib/store/store-threads.ts';
import { openEmbeddedStore } from '../../lib/store/open-embedded-store.ts';
import { AppError } from '../../lib/base/errors.ts';
import type { Answer } from '../oracle/table.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import { compile, type CompiledPlans } from './compile.ts';
import type { Subject } from './subject.ts';
import { wireJson } from './wire-json.ts';
import { outcomeOf } from './refusal.ts';

export interface Segmenting {
  /** Pending rows that trigger a seal. */
  readonly sealRows: number;
  /** A query after every so many requests seals pending events: segments in order of arrival. 0: never. */
  readonly queryEvery: number;
  /** Rows per large segment. */
  readonly segmentRows: number;
  /** Reopens the store before queries. */
  readonly restart: boolean;
}

/** Answers from one segment, in one go. */
export const PLAIN: Segmenting = { sealRows: 262_144, queryEvery: 0, segmentRows: 262_144, restart: false };

/** Opens a store with limits; one that is embedded with all of them. */
type OpenStore = (options: EmbeddedStoreOptions) => Promise<EventStore>;

/** Opens the embedded store; with WINDLASS_TEST_STORE=clickhouse that one, which only tests can start. */
function testStoreOpener(): OpenStore {
  if (process.env['WINDLASS_TEST_STORE'] !== 'clickhouse') return openEmbeddedStore;
  let opener: Promise<OpenStore> | null = null;
  return async (options) => {
    opener ??= import('../../cluster/test/support/clickhouse-opener.ts').then(({ clickHouseOpener }) =>
      clickHouseOpener(),
    );
    return (await opener)(options);
  };
}

/** Another project's, sent first: after such keys JSON.parse of Node 24 and 26 misreads `\u…`, `\"` and others in their place. */
const POISON = [['plan', 'caf\\'], ['shop', '\\u'], ['a', 'k\\'], ['plan', '\\'], ['', '\\u']].map(([first = '', misread = '']) => {
  return { event_type: 'e', event_properties: { [first]: 0, [misread]: 1 } };
}); // prettier-ignore

/** Milliseconds that one query may take. */
const PATIENCE = 300_000;

export class StoreSubject implements Subject {
  readonly #folder: string;
  readonly #segmenting: Segmenting;
  #store: Promise<EventStore>;
  readonly #open: OpenStore;
  #projects = 0;
  /** The project for requests and queries: the last one loaded, unless set. */
  project = '';

  /** @param folder A data folder; left out: a new one. */
  constructor(
    segmenting: Segmenting,
    open: OpenStore = testStoreOpener(),
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-subject-')),
  ) {
    this.#folder = folder;
    this.#segmenting = segmenting;
    this.#open = open;
    this.#store = open(this.#options());
  }

  /** For what is no query. */
  get store(): Promise<EventStore> {
    return this.#store;
  }

  async load(world: World): Promise<void> {
    if (this.#projects === 0) {
      this.project = 'prj_poison';
      await this.send({ at: 0, track: POISON });
    }
    this.project = `prj_${++this.#projects}`;
    const { queryEvery, restart } = this.#segmenting;
    for (const [index, request] of world.entries()) {
      await this.send(request);
      if (queryEvery > 0 && index % queryEvery === 0) await this.#ask(EVERYTHING.optimized);
    }
    if (restart) await this.reopen();
  }

  async query({ optimized }: CompiledPlans): Promise<Answer> {
    return this.#ask(optimized);
  }

  /** Closes the store and reopens its folder. */
  async reopen(): Promise<void> {
    await (await this.#store).close();
    this.#store = this.#open(this.#options());
  }

  /** Closes the store and removes its folder. */
  async close(): Promise<void> {
    await (await this.#store).close();
    fs.rmSync(this.#folder, { recursive: true });
  }

  async #ask(plan: CompiledPlans['optimized']): Promise<Answer> {
    const store = await this.#store;
    const { table } = await store.query(this.#project(), plan, { deadline: monotonic() + PATIENCE });
    return table;
  }

  async send(request: WorldRequest): Promise<void> {
    const store = await this.#store;
    if ('unbind' in request) {
      await atTime(request.at, () => store.unbindDevice(this.#project(), request.unbind));
      return;
    }
    const isTrack = 'track' in request;
    const body = wireJson(isTrack ? { events: request.track } : request.identify);
    const answer = store.append({
      project: this.#project(),
      kind: isTrack ? 'track' : 'identify',
      context: {
        receivedAt: request.at,
        keyKind: isTrack && request.publicKey === true ? 'public' : 'trusted',
        ip: null,
        userAgent: null,
        place: null,
      },
      body: new Uint8Array(Buffer.from(body)),
      encoding: 'identity',
    });
    const outcome = await outcomeOf(answer);
    if ('error' in outcome && outcome.error.code !== 'bad_request') throw AppError.from(outcome.error);
  }

  #project(): ProjectRef {
    return { id: this.project, orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' };
  }

  #options(): EmbeddedStoreOptions {
    const fail = (error: unknown): never => {
      throw error;
    };
    return {
      folder: this.#folder,
      writers: 1,
      threads: 2,
      queueBytes: 64 * 2 ** 20,
      queryBytes: 64 * 2 ** 20,
      queryMemory: 2 ** 30,
      queryGroups: 1_000_000,
      bodyLimit: 5 * 2 ** 20,
      batchLimit: 2_000,
      lineLimit: 2 ** 20,
      openShards: 32,
      dictionaryBytes: 64 * 2 ** 20,
      projectDictionaryBytes: 64 * 2 ** 20,
      sealRows: this.#segmenting.sealRows,
      sealBytes: 64 * 2 ** 20,
      sealAge: 600_000,
      pendingBytes: 256 * 2 ** 20,
      journalBytes: 256 * 2 ** 20,
      segmentRows: this.#segmenting.segmentRows,
      geoipFile: null,
      onTrouble: fail,
      onFatal: fail,
    };
  }
}

const EVERYTHING = compile('* | count', { now: 0, timezone: null, limit: 1, offset: 0 }, []);

/** Begins a task whose date is that of the clock: an undo of today would be newer than all of a world's later identifies. */
function atTime<T>(time: number, begin: () => Promise<T>): Promise<T> {
  const { now } = Date;
  Date.now = () => time;
  try {
    return begin();
  } finally {
    Date.now = now;
  }
}
