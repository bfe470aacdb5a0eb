/** A whole service on ephemeral ports with its own data folder, over real HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../lib/base/config/config.ts';
import { ControlDatabase, type Defaults } from '../../lib/control/database.ts';
import type { ProjectUsageRow } from '../../lib/control/types.ts';
import type { Log } from '../../lib/base/log.ts';
import { silentLog } from '../../lib/base/log.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { startService } from '../../lib/server/service.ts';
import type { RunningService } from '../../lib/server/service.ts';
import { fetch, holdToDescription, letGo } from './checked-fetch.ts';
import { MemoryStore } from './memory-store.ts';

export interface TestService {
  readonly service: RunningService;
  readonly keys: Defaults;
  readonly url: string;
  /** The data folder. */
  readonly folder: string;
  /** POSTs a JSON value (or bytes unchanged) with a key. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The rows of an answer. */
  rows(q: string): Promise<Record<string, unknown>[]>;
  /** The first project's usage as on disk, at most a second old. */
  usage(range: { from: string; to: string }): Promise<ProjectUsageRow[]>;
  /** The same service, with the keys of a new organization's project. */
  another(): Promise<TestService>;
  stop(): Promise<void>;
}

/** A service with its own store in its data folder. `settings`: WINDLASS_ variables. */
export function startTestService(
  settings: Readonly<Record<string, string>> = {},
  options: { readonly log?: Log } = {},
): Promise<TestService> {
  return start(settings, options);
}

/** A service with an in-memory store that tests can hold back and inspect. */
export async function startHeldService(
  settings: Readonly<Record<string, string>> = {},
  options: { readonly log?: Log } = {},
): Promise<TestService & { readonly store: MemoryStore }> {
  const store = new MemoryStore();
  return { ...(await start(settings, { ...options, store })), store };
}

/** A service for tests that are not about events: its store is in memory, so it starts in a sixth of the time. */
export function startWithoutShards(
  settings: Readonly<Record<string, string>> = {},
  options: { readonly log?: Log } = {},
): Promise<TestService> {
  return start(settings, { ...options, store: new MemoryStore() });
}

/** A service over a store that is open already. */
export function startOnStore(store: EventStore, settings: Readonly<Record<string, string>> = {}): Promise<TestService> {
  return start(settings, { store });
}

async function start(
  settings: Readonly<Record<string, string>>,
  { store, log = silentLog() }: { readonly store?: EventStore; readonly log?: Log },
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
  const fixed = {
    WINDLASS_DATA: folder,
    WINDLASS_ADDR: '127.0.0.1:0',
    WINDLASS_METRICS_ADDR: '127.0.0.1:0',
    WINDLASS_THREADS: '1',
    WINDLASS_QUERY_TIMEOUT: '10m',
    WINDLASS_QUERIES_PER_MINUTE: '0', // a test may ask until it sees what it waits for
  };
  const config = readConfig({ ...fixed, ...settings });
  const memory = store === undefined ? {} : { store: () => Promise.resolve(store) };
  const service = await startService({ config, log, ...memory });
  holdToDescription(service.url);
  const keys = service.defaults;
  if (keys === null) throw new Error('a new folder has keys');
  return withKeys({ service, folder }, keys);
}

function withKeys(running: Pick<TestService, 'service' | 'folder'>, keys: Defaults): TestService {
  const { service, folder } = running;
  const post: TestService['post'] = (path, body, headers = {}) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'X-API-Key': keys.secretKey, ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  const inControl = async <T>(use: (control: ControlDatabase) => T | Promise<T>): Promise<T> => {
    const control = await ControlDatabase.open(folder, { secret: null });
    try {
      return await use(control);
    } finally {
      await control.close();
    }
  };
  return {
    ...running,
    keys,
    url: service.url,
    post,
    rows: async (q) => {
      const response = await post('/query', { q, format: 'json' });
      if (!response.ok) throw new Error(await response.text());
      return objects(await response.json());
    },
    usage: (range) => inControl(({ usage }) => usage.ofProject(keys.project.id, range)),
    another: async () => withKeys(running, await inControl(newProject)),
    stop: async () => {
      await service.close();
      letGo(service.url);
      rmSync(folder, { recursive: true });
    },
  };
}

async function newProject({ organizations, projects }: ControlDatabase): Promise<Defaults> {
  const made = await organizations.create('Another');
  return { ...made, ...(await projects.create(made.organization.id, 'Another', { name: 'test', ip: null })) };
}

/** The body of a response as a JSON object. */
export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json();
  if (typeof value !== 'object' || value === null) throw new Error('no JSON object');
  return { ...value };
}

function objects(value: unknown): Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Error('no array');
  return value.map((row: unknown) => ({ ...(typeof row === 'object' ? row : {}) }));
}
