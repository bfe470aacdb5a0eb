/** An in-memory store of events: it really inflates, parses, stores and counts, and answers queries with the slow evaluator. */
import { askedMetrics } from '../../lib/dsl/plan/columns.ts';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { formatPage } from '../../lib/dsl/format/page.ts';
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import { AppError } from '../../lib/base/errors.ts';
import { joinedParts, type Parts } from '../../lib/base/parts.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import type {
  AppendRequest,
  AppendAnswer,
  BulkResult,
  BulkStream,
  Catalog,
  DeviceBindings,
  EventStore,
  Extent,
  RequestContext,
  StoreStats,
  UsageTotals,
} from '../../lib/store/event-store.ts';
import type { PageResult, QueryOptions, QueryResult } from '../../lib/workers/query-result.ts';
import { answer } from '../oracle/answer.ts';
import { gather } from '../oracle/gather.ts';
import { normaliseEvent, normaliseId } from '../oracle/normalise.ts';
import { isObject } from '../oracle/world.ts';
import type { WorldRequest } from '../oracle/world.ts';
import { readJson } from '../../lib/base/text/read-json.ts';

export class MemoryStore implements EventStore {
  readonly mode = 'embedded';
  readonly worlds = new Map<string, WorldRequest[]>();
  /** Contexts of requests as received, oldest first. */
  readonly contexts: RequestContext[] = [];
  /** Awaited before anything is stored or answered: tests use it to hold requests back. */
  gate: () => Promise<void> = () => Promise.resolve();
  notReady: string | null = null;
  closed = false;
  #listeners: ((totals: UsageTotals) => void)[] = [];

  async append({ project, kind, context, body, encoding }: AppendRequest): Promise<AppendAnswer> {
    this.contexts.push(context);
    await this.gate();
    const parsed = parse(inflate(body, encoding));
    if (!isObject(parsed)) throw new AppError('bad_json', 'the body is no JSON object');
    if (kind === 'identify') return this.#identify(project, context, parsed);
    const events = 'events' in parsed ? parsed['events'] : [parsed];
    if (!Array.isArray(events)) throw new AppError('bad_request', '"events" is no array');
    return this.#track(project, context, events);
  }

  bulk(project: ProjectRef, kind: 'track' | 'identify', context: RequestContext): BulkStream {
    this.contexts.push(context);
    const take = (line: string): string | null => {
      const value = parse(Buffer.from(line));
      const one = isObject(value) ? value : {};
      if (kind === 'identify' && !namesUser(one)) return 'invalid';
      const { accepted } =
        kind === 'track' ? this.#track(project, context, [value]) : this.#identify(project, context, one);
      return accepted === 1 ? null : 'invalid';
    };
    return new MemoryStream(take, () => this.gate());
  }

  expect(): void {
    return;
  }

  async query(project: ProjectRef, plan: Plan, options: QueryOptions): Promise<QueryResult> {
    await Promise.race([this.gate(), aborted(options.signal)]);
    const world = this.worlds.get(project.id) ?? [];
    const { columns, rows, total } = answer(plan, world);
    const rowsScanned = world.reduce((sum, request) => sum + ('track' in request ? request.track.length : 0), 0);
    return {
      table: { columns, rows, total },
      observations: { unseenEvents: [], unseenFields: [], rowsScanned },
      times: [{ stage: 'run', ms: 1 }],
      parts: [{ thread: 0, segments: 1, rows: rowsScanned, ms: 1 }],
    };
  }

  async answer(...[project, plan, options]: Parameters<EventStore['answer']>): Promise<PageResult> {
    const { table, ...rest } = await this.query(project, plan, options);
    return { ...rest, page: formatPage(options.format, table, plan.zone, askedMetrics(plan)) };
  }

  async catalog(project: ProjectRef): Promise<Catalog> {
    const events = (this.worlds.get(project.id) ?? []).flatMap((request) => ('track' in request ? request.track : []));
    const fields = new Set<string>();
    for (const event of events) {
      const properties = isObject(event) ? event['event_properties'] : null;
      if (isObject(properties)) for (const key of Object.keys(properties)) fields.add(`event_properties.${key}`);
    }
    return { events: [], fields: [...fields] };
  }

  async extent(project: ProjectRef): Promise<Extent | null> {
    const times = gather(this.worlds.get(project.id) ?? []).events.map(({ time }) => time);
    return times.length === 0 ? null : { rows: times.length, first: Math.min(...times), last: Math.max(...times) };
  }

  onUsage(listener: (totals: UsageTotals) => void): void {
    this.#listeners.push(listener);
  }

  async *exportUser(): AsyncIterable<Uint8Array> {
    yield Buffer.from('');
  }

  storedBy(): number {
    return 0;
  }

  queuedBy(): number {
    return 0;
  }

  replace(): Promise<void> {
    return Promise.reject(new Error('the store in memory has no files'));
  }

  async eraseUser(
    ...[, , before]: Parameters<EventStore['eraseUser']>
  ): Promise<{ events: number; profiles: number; devices: number }> {
    await this.gate();
    await before?.({ devices: [], upTo: 1 });
    return { events: 0, profiles: 0, devices: 0 };
  }

  async deleteEvents(...[, , , before]: Parameters<EventStore['deleteEvents']>): Promise<number> {
    await this.gate();
    await before({ events: 1, arrivals: [] });
    return 1;
  }

  device(): Promise<DeviceBindings | null> {
    return Promise.resolve(null);
  }

  unbindDevice(project: ProjectRef, deviceId: string): Promise<boolean> {
    const world = this.#world(project);
    const bound = world.some(
      (request) => 'identify' in request && isObject(request.identify) && request.identify['device_id'] === deviceId,
    );
    world.push({ at: Date.now(), unbind: deviceId });
    return Promise.resolve(bound);
  }

  drop(projectId: string): Promise<void> {
    this.worlds.delete(projectId);
    return Promise.resolve();
  }

  stats(): StoreStats {
    const damage = { journalDamagedFiles: 0, journalLostRecords: 0, journalLostBytes: 0 };
    const nothing = {
      ...damage,
      cacheBytes: 0,
      journalBytes: 0,
      pendingRows: 0,
      queuedBytes: 0,
      workerRestarts: 0,
      busyThreads: 0,
    };
    return {
      ...nothing,
      openShards: this.worlds.size,
      seals: 0,
      sealSeconds: 0,
      sealFailures: 0,
      pendingSeconds: 0,
      compactions: 0,
    };
  }

  ready(): { ok: boolean; reason?: string } {
    return this.notReady === null ? { ok: true } : { ok: false, reason: this.notReady };
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  #track(project: ProjectRef, { receivedAt: at, keyKind }: RequestContext, events: readonly unknown[]): AppendAnswer {
    const publicKey = keyKind === 'public';
    const valid = events.filter((event) => normaliseEvent(event, at, publicKey) !== null);
    const errors = events.flatMap((event, index) => (valid.includes(event) ? [] : [{ index, error: 'invalid' }]));
    this.#world(project).push({ at, track: valid, publicKey });
    this.#tell(project, valid.length);
    const { length: lines } = events;
    return {
      accepted: valid.length,
      rejected: errors.length,
      errors: errors.slice(0, 20),
      warnings: [],
      ignored: [],
      lines,
    };
  }

  #identify(
    project: ProjectRef,
    { receivedAt: at }: RequestContext,
    body: Readonly<Record<string, unknown>>,
  ): AppendAnswer {
    if (!namesUser(body)) throw new AppError('bad_request', 'user_id is missing');
    this.#world(project).push({ at, identify: body });
    const ops = isObject(body['user_property_ops']) ? body['user_property_ops'] : {};
    const add = isObject(ops['$add']) ? Object.entries(ops['$add']) : [];
    const ignored = add.filter(([, amount]) => typeof amount !== 'number').map(([name]) => name);
    return { accepted: 1, rejected: 0, errors: [], warnings: [], ignored, lines: 1 };
  }

  #world(project: ProjectRef): WorldRequest[] {
    const world = this.worlds.get(project.id) ?? [];
    this.worlds.set(project.id, world);
    return world;
  }

  #tell(project: ProjectRef, events: number): void {
    const none = {
      eventsRejected: 0,
      eventsDuplicate: 0,
      eventsDropped: 0,
      timesReplaced: 0,
      fieldsIgnored: 0,
      valuesTrimmed: 0,
      idsIgnored: 0,
      bytesStored: 0,
    };
    const date = new Date().toISOString().slice(0, 10);
    for (const tell of this.#listeners)
      tell({ project: project.id, date, eventsIngested: events, eventsStored: events, ...none });
  }
}

class MemoryStream implements BulkStream {
  readonly #take: (line: string) => string | null;
  readonly #gate: () => Promise<void>;
  #rest = '';
  #result = { accepted: 0, rejected: 0, lines: 0, firstErrors: [] as { line: number; error: string }[], warnings: [] };

  constructor(take: (line: string) => string | null, gate: () => Promise<void>) {
    this.#take = take;
    this.#gate = gate;
  }

  get progress(): BulkResult {
    return this.#result;
  }

  get unfinished(): number {
    return this.#rest.length;
  }

  async write(piece: Parts): Promise<void> {
    await this.#gate();
    const lines = (this.#rest + Buffer.from(joinedParts(piece)).toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  hasRoom(): boolean {
    return false;
  }

  async end(): Promise<BulkResult> {
    await this.write([new Uint8Array(Buffer.from('\n'))]);
    return this.abort();
  }

  abort(): BulkResult {
    return this.#result;
  }

  #line(line: string): void {
    this.#result.lines += 1;
    if (line.trim() === '') return;
    const error = this.#take(line);
    if (error === null) this.#result.accepted += 1;
    else {
      this.#result.rejected += 1;
      if (this.#result.firstErrors.length < 10) this.#result.firstErrors.push({ line: this.#result.lines, error });
    }
  }
}

function inflate(body: Uint8Array, encoding: AppendRequest['encoding']): Uint8Array {
  if (encoding === 'gzip') return gunzipSync(body);
  if (encoding === 'deflate') return inflateSync(body);
  return encoding === 'br' ? brotliDecompressSync(body) : body;
}

function parse(body: Uint8Array): unknown {
  try {
    return readJson(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined; // the caller reports "no JSON"
  }
}

function namesUser(body: Readonly<Record<string, unknown>>): boolean {
  return typeof normaliseId(body['user_id']) === 'string';
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  const late = new AppError('query_timeout', 'the deadline has passed');
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(late)));
}
