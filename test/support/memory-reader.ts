/** A shard in memory: the read side of events as the engine sees it, built from plain rows with real arrays and dictionaries. */
import { compareCodePoints } from '../../lib/dsl/plan/value.ts';
import { countTypes, type TypeCounts } from '../../lib/shards/segment/type-rows.ts';
import {
  INSERT_TEXT,
  OVERFLOW,
  type Column,
  type Dictionary,
  type Identity,
  type InsertIdColumn,
  type Profile,
  type Segment,
  type ShardReader,
  type Snapshot,
  type TextType,
} from '../../lib/shards/shard-reader.ts';

export interface MemoryEvent {
  readonly arrival: number;
  readonly time: number;
  readonly type: string;
  readonly userId: string | null;
  readonly deviceId: string | null;
  readonly sessionId: string | null;
  readonly insertId: string;
  readonly properties: { readonly [key: string]: unknown };
  readonly userProperties: { readonly [key: string]: unknown };
  readonly enriched: { readonly [name: string]: string };
  /** The person under the current bindings. */
  readonly distinctId: string | null;
}

export interface MemoryProfile {
  readonly userId: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly properties: { readonly [key: string]: unknown };
}

export interface MemoryShardOptions {
  /** The segment of an event, by its arrival number. */
  readonly segmentOf: (event: MemoryEvent) => number;
  /** Keys of properties without a column of their own. */
  readonly overflowed?: (key: string) => boolean;
  /** Keys whose dictionaries belong to one segment. */
  readonly local?: (key: string) => boolean;
}

export class MemoryDictionary implements Dictionary {
  readonly key: string;
  readonly #types: TextType[] = ['null'];
  readonly #texts: string[] = [''];
  readonly #codes = new Map<TextType, Map<string, number>>();

  constructor(key: string) {
    this.key = key;
  }
  get size(): number {
    return this.#texts.length - 1;
  }
  type(code: number): TextType {
    return this.#types[code]!;
  }
  text(code: number): string {
    return this.#texts[code]!;
  }
  find(text: string): number {
    return this.#codes.get('string')?.get(text) ?? 0;
  }
  compare(a: number, b: number): number {
    return compareCodePoints(this.text(a), this.text(b));
  }
  code(type: TextType, text: string): number {
    const known = this.#codes.get(type)?.get(text);
    if (known !== undefined) return known;
    this.#types.push(type);
    this.#texts.push(text);
    if (!this.#codes.has(type)) this.#codes.set(type, new Map());
    this.#codes.get(type)!.set(text, this.size);
    return this.size;
  }
}

export class MemoryShard implements ShardReader {
  readonly #segments: ReadonlyMap<number, MemorySegment>;
  readonly #ids = new MemoryDictionary('ids');
  readonly #types = new MemoryDictionary('event_type');
  readonly #shared: ReadonlyMap<string, MemoryDictionary>;
  readonly #profiles: readonly Profile[];

  constructor(events: readonly MemoryEvent[], profiles: readonly MemoryProfile[], options: MemoryShardOptions) {
    const shared = new Map<string, MemoryDictionary>([
      ['user_id', this.#ids],
      ['device_id', this.#ids],
      ['event_type', this.#types],
    ]);
    this.#shared = shared;
    for (const { distinctId } of events) if (distinctId !== null) this.#ids.code('string', distinctId);
    this.#profiles = profiles.map(({ userId, ...rest }) => ({ person: this.#ids.code('string', userId), ...rest }));
    const numbers = [...new Set(events.map(options.segmentOf))];
    this.#segments = new Map(
      numbers.map((id) => {
        const own = events.filter((event) => options.segmentOf(event) === id);
        return [id, new MemorySegment(id, own, { shared, ...options })];
      }),
    );
  }

  segment(id: number): Segment {
    const segment = this.#segments.get(id);
    if (segment === undefined) throw new Error(`no segment ${id}`);
    return segment;
  }
  ids(): Dictionary {
    return this.#ids;
  }
  /** The store is asked for them. */
  names(): null {
    return null;
  }

  eventTypes(): Dictionary {
    return this.#types;
  }
  sharedDictionary(key: string): Dictionary | null {
    return [...this.#shared.values()].find((dictionary) => dictionary.key === key) ?? null;
  }
  /** Persons come from the events themselves: only its size is used. */
  identity(version: number): Identity {
    return { version, size: this.#ids.size + 1, personOfDevice: new Uint32Array(0) };
  }
  boundAt(): Float64Array {
    return new Float64Array(0);
  }
  profiles(): readonly Profile[] {
    return this.#profiles;
  }

  snapshot(project = 'prj_memory'): Snapshot {
    const segments = [...this.#segments.values()].map(({ id, rows, first, last }) => ({ id, rows, first, last }));
    return { project, file: ':memory:', incarnation: 1, segments, identityVersion: 1, profileVersion: 1 };
  }
}

interface SegmentOptions extends MemoryShardOptions {
  readonly shared: Map<string, MemoryDictionary>;
}

class MemorySegment implements Segment {
  readonly id: number;
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  readonly types: TypeCounts;
  readonly #events: readonly MemoryEvent[];
  readonly #columns = new Map<string, Column>();
  readonly #persons: Uint32Array;
  readonly #times: Float64Array;

  constructor(id: number, events: readonly MemoryEvent[], options: SegmentOptions) {
    this.id = id;
    this.#events = events.toSorted((a, b) => a.time - b.time || a.arrival - b.arrival);
    this.rows = events.length;
    this.#times = Float64Array.from(this.#events, ({ time }) => time);
    this.first = this.#events[0]!.time;
    this.last = this.#events.at(-1)!.time;
    for (const [key, values] of columnsOf(this.#events, options)) {
      const column = columnOf(values, dictionaryOf(key, id, options));
      if (column !== null) this.#columns.set(key, column);
    }
    this.types = countTypes(this.#columns.get('event_type')!.codes!);
    const ids = options.shared.get('user_id')!;
    this.#persons = Uint32Array.from(this.#events, ({ distinctId }) =>
      distinctId === null ? 0 : ids.find(distinctId),
    );
  }

  times(): Float64Array {
    return this.#times;
  }
  rowAt(time: number): number {
    const row = this.#times.findIndex((own) => own >= time);
    return row < 0 ? this.rows : row;
  }
  arrivals(): Float64Array {
    return Float64Array.from(this.#events, ({ arrival }) => arrival);
  }
  column(key: string): Column | null {
    return this.#columns.get(key) ?? null;
  }
  columnKeys(): readonly string[] {
    return [...this.#columns.keys()];
  }
  rowsOfType(code: number): Uint32Array {
    const codes = this.#columns.get('event_type')!.codes!;
    return Uint32Array.from(Array.from(codes.keys()).filter((row) => codes[row] === code));
  }
  persons(): Uint32Array {
    return this.#persons;
  }
  timesAt(rows: Uint32Array): Float64Array<ArrayBuffer> {
    return Float64Array.from(rows, (row) => this.#times[row]!);
  }
  personsAt(rows: Uint32Array): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(rows, (row) => this.#persons[row]!);
  }
  insertIds(): InsertIdColumn {
    return {
      kinds: new Uint8Array(this.rows).fill(INSERT_TEXT),
      low: new Uint32Array(this.rows),
      high: new Uint32Array(this.rows),
      text: (row) => this.#events[row]!.insertId,
    };
  }
  /** Made again each time: caching must not matter. */
  derived<T>(_name: string, make: () => { value: T; bytes: number }): T {
    return make().value;
  }
}

/** Enriched fields that are not stored: they are string properties. */
const DERIVED = new Set(['_url', '_title', '_referrer']);

function columnsOf(events: readonly MemoryEvent[], options: SegmentOptions): Map<string, unknown[]> {
  const columns = new Map<string, unknown[]>();
  const put = (key: string, row: number, value: unknown): void => {
    const values = columns.get(key) ?? new Array<unknown>(events.length).fill(undefined);
    values[row] = value;
    columns.set(key, values);
  };
  for (const [row, event] of events.entries()) {
    put('event_type', row, event.type);
    put('user_id', row, event.userId ?? undefined);
    put('device_id', row, event.deviceId ?? undefined);
    put('session_id', row, event.sessionId ?? undefined);
    for (const [name, text] of Object.entries(event.enriched)) if (!DERIVED.has(name)) put(name, row, text);
    for (const [prefix, object] of [
      ['p', event.properties],
      ['u', event.userProperties],
    ] as const) {
      const entries = Object.entries(object);
      const over = entries.filter(([key]) => options.overflowed?.(key) === true);
      for (const [key, value] of entries) if (options.overflowed?.(key) !== true) put(`${prefix}:${key}`, row, value);
      if (over.length > 0) put(`${prefix}:${OVERFLOW}`, row, Object.fromEntries(over));
    }
  }
  return columns;
}

function dictionaryOf(key: string, segment: number, { shared, local }: SegmentOptions): MemoryDictionary {
  if (local?.(key) === true) return new MemoryDictionary(`${key}/${segment}`);
  const known = shared.get(key) ?? new MemoryDictionary(key);
  shared.set(key, known);
  return known;
}

/** null if no row has a value. */
function columnOf(values: readonly unknown[], dictionary: MemoryDictionary): Column | null {
  const codes = new Uint32Array(values.length);
  const rows: number[] = [];
  const numbers: number[] = [];
  for (const [row, value] of values.entries()) {
    if (typeof value === 'number') {
      rows.push(row);
      numbers.push(value);
    } else if (value !== undefined) {
      codes[row] = dictionary.code(...typed(value));
    }
  }
  const coded = codes.some((code) => code !== 0);
  if (!coded && rows.length === 0) return null;
  return {
    codes: coded ? narrow(codes) : null,
    dictionary: coded ? dictionary : null,
    numbers:
      rows.length === 0
        ? null
        : { rows: rows.length === values.length ? null : Uint32Array.from(rows), values: Float64Array.from(numbers) },
  };
}

function narrow(codes: Uint32Array): Uint8Array | Uint16Array | Uint32Array {
  const most = codes.reduce((max, code) => Math.max(max, code), 0);
  return most < 256 ? Uint8Array.from(codes) : most < 65_536 ? Uint16Array.from(codes) : codes;
}

function typed(value: unknown): [TextType, string] {
  if (value === null) return ['null', ''];
  if (typeof value === 'string') return ['string', value];
  if (typeof value === 'boolean') return ['boolean', String(value)];
  return [Array.isArray(value) ? 'array' : 'object', JSON.stringify(value)];
}
