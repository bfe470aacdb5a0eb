/** Before the first request comes: what serves queries is run until its code is compiled. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { DailySalt } from '../control/daily-salt.ts';
import { ControlDatabase } from '../control/database.ts';
import { MAX_QUERY_BYTES } from '../dsl/compile.ts';
import { silentLog } from '../log.ts';
import { createListener } from '../router/app.ts';
import { createContext } from '../router/context.ts';
import { Lifecycle } from '../router/lifecycle.ts';
import { createHttpServer, listen } from '../router/server.ts';
import type { Address } from '../setting-types.ts';
import type { EventStore } from '../workers/event-store.ts';
import { EmptyStore } from './empty-store.ts';

/** Rounds of all requests. Of the time that the first query after a start takes besides reading data, twelve save seven eighths. */
const ROUNDS = 12;
const TIMEOUT = 10_000;
const QUERIES = [
  { q: 'signup | last 30d | count by day', format: 'json' },
  { q: '* | last 7d | where event_properties.plan = "pro" | count by _country | top 10' },
];

/**
 * Asks typical questions over HTTP, of a project that is nowhere but in a control database of its own: nothing that the service
 * keeps or counts knows of it, and all that it shares with the service are the threads of the store. Rejects when that fails,
 * which does no harm but that first queries are slower.
 */
export async function warmUp(config: Config, store: EventStore): Promise<void> {
  if (store.rehearse === undefined) return;
  const rehearse = store.rehearse.bind(store);
  const folder = mkdtempSync(join(tmpdir(), 'windlass-warm-up-'));
  try {
    await askTypical(config, folder, new EmptyStore((_project, plan, options) => rehearse(plan, options)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param folder Of the control database. */
async function askTypical(config: Config, folder: string, store: EventStore): Promise<void> {
  const control = ControlDatabase.open(folder, { secret: null });
  const publicUrl = (): string => 'http://127.0.0.1';
  const unbounded = { queriesPerMinute: 0, queryConcurrency: 0, queryTimeout: TIMEOUT, queryLength: MAX_QUERY_BYTES };
  const salt = new DailySalt(folder);
  const settings = { ...config, ...unbounded, data: folder, maintenance: false, queries: true };
  const lifecycle = new Lifecycle();
  const context = createContext({ config: settings, log: silentLog(), control, store, lifecycle, salt, publicUrl });
  const server = createHttpServer(createListener(context), config);
  try {
    const address = await listen(server, { host: '127.0.0.1', port: 0 }, 'WINDLASS_ADDR');
    const { secretKey } = control.ensureDefaults({ name: 'warm-up', ip: null })!;
    for (let round = 0; round < ROUNDS; round++) {
      for (const body of QUERIES) await ask(address, secretKey, JSON.stringify(body));
    }
  } finally {
    server.close();
    server.closeAllConnections();
    context.deletions.close();
    context.bodies.close();
    context.security.close();
    salt.close();
    control.close();
  }
}

/** On a connection of its own: the first request of a client has one, too. */
async function ask({ host, port }: Address, key: string, body: string): Promise<void> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const sent = request({ host, port, path: '/query', method: 'POST', headers, agent: new Agent() });
  sent.end(body);
  await new Promise<void>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`a typical query was answered with ${response.statusCode}`));
      response.on('error', reject).on('end', resolve).resume();
    });
  });
}
