/** Sends a data set to a project as a node does: bodies are read, rows made and inserted. Counts processor time, of node and engine. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Fold } from '../lib/clickhouse/ingest/fold.ts';
import { RequestParser, type ParsedRequest, type RawRequest } from '../lib/clickhouse/ingest/parse-request.ts';
import { HOT_KEYS, EVENTS, IDENTITIES } from '../lib/clickhouse/schema.ts';
import { Slots } from '../lib/clickhouse/hot/slots.ts';
import type { DataSet } from '../../bench/data-set.ts';
import type { Chdb } from './chdb.ts';

/** Lines of an insert, as the queues of a busy node have them. */
const LINES = 20_000;

export class TenantLoader {
  readonly #chdb: Chdb;
  readonly #project: string;
  readonly #parser = new RequestParser({ bodyLimit: 1 << 30, batchLimit: LINES, lineLimit: 1 << 20, geoipFile: null });
  readonly #ids = new Map<string, number>();
  #slots = new Slots([]);
  #next = 1;
  events = 0;
  /** Processor time, seconds. */
  readonly seconds = { node: 0, engine: 0 };

  constructor(chdb: Chdb, project: string) {
    this.#chdb = chdb;
    this.#project = project;
  }

  async load({ events, bindings }: DataSet): Promise<void> {
    for await (const lines of linesOf(events)) await this.#store(lines, 'track_lines');
    for await (const lines of linesOf(bindings)) await this.#store(lines, 'identify_lines');
  }

  async #store(lines: readonly string[], kind: RawRequest['kind']): Promise<void> {
    const before = process.cpuUsage();
    const parsed = await this.#read(Buffer.from(`${lines.join('\n')}\n`), kind);
    const stored = {
      ids: this.#ids,
      imported: new Set<string>(),
      profiles: new Map(),
      bindings: new Map(),
      datedSince: -Infinity,
    };
    const { events, identities } = new Fold(this.#project, stored, this.#next).fold([parsed]);
    for (const item of parsed.items)
      if (item.kind === 'event' && item.insertId !== null) this.#ids.set(item.insertId, parsed.receivedAt);
    this.#next += parsed.items.length + 1;
    this.events += events.length;
    const between = process.cpuUsage();
    await this.#chdb.insert(IDENTITIES, identities);
    await this.#chdb.insert(EVENTS, events);
    this.seconds.node += secondsBetween(before, between);
    this.seconds.engine += secondsBetween(between, process.cpuUsage());
  }

  async #read(text: Buffer, kind: RawRequest['kind']): Promise<ParsedRequest> {
    const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
    const project = { id: this.#project, retentionDays: null, ipPolicy: 'anonymized' } as const;
    for (;;) {
      const body = new Uint8Array(text);
      const parsed = this.#parser.parse({ project, kind, context, body, encoding: 'identity', slots: this.#slots });
      if (parsed.met.length === 0) return parsed;
      const added = this.#slots.assign(parsed.met);
      const rows = added.map(({ kind: of, key, slot }) => `${JSON.stringify([this.#project, of, key, slot])}\n`);
      await this.#chdb.insert(HOT_KEYS, rows);
      this.#slots = new Slots([...this.#slots.entries, ...added]);
    }
  }

  get slots(): Slots {
    return this.#slots;
  }
}

async function* linesOf(file: string): AsyncGenerator<readonly string[]> {
  let lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (lines.push(line) < LINES) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

const secondsBetween = (from: NodeJS.CpuUsage, to: NodeJS.CpuUsage): number =>
  (to.user + to.system - from.user - from.system) / 1e6;
