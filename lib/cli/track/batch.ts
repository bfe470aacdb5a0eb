/** Collects lines of events for the server. */
import { EventScan } from './event-scan.ts';
import { mappedEvent, noType, type FieldMap, type MapUse } from './field-map.ts';
import { InsertIds, isNothing } from './insert-id.ts';
import type { EventLine, LineBytes } from './lines.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';

export interface BadLine {
  readonly line: number;
  readonly why: string;
}

/** The server accepts bodies of 5 MiB; a batch is closed well below it, since the next line may have 1 MiB. */
const FULL_BYTES = 3_145_728;
const OPEN = '{"events":[';
const CLOSE = ']}';
const [COMMA = 0, CLOSE_OBJECT = 0] = Buffer.from(',}');
/** Bytes around an event, at most, and after the last. */
const MOST_AROUND = 128;
const NO_BYTES = Buffer.alloc(0);
const USUAL = 32_768; // bytes; a hundred ordinary events
/** Larger buffers, and more of them, are left to the garbage collector. */
const MOST_KEPT = 1_048_576; // bytes, of one
const MOST = 20;

/** Buffers for bodies, used again: a new one for each would cost more garbage collection than its lines cost to read. */
class BodyBuffers {
  readonly #free: Buffer[] = [];

  /** A buffer with whatever is in it. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(USUAL);
  }

  /** The same with more room, for one that is full up to `end`. */
  larger(buffer: Buffer, end: number, bytes: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, end + bytes));
    buffer.copy(larger, 0, 0, end);
    this.give(buffer);
    return larger;
  }

  /** Takes back a buffer that nobody reads any more. */
  give(buffer: Buffer): void {
    const isKept = buffer.length >= USUAL && buffer.length <= MOST_KEPT;
    if (isKept && this.#free.length < MOST) this.#free.push(buffer);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const scan = new EventScan();
const ids = new InsertIds();
const buffers = new BodyBuffers();

/** Some lines, in order. Ids are made when a line is added, so they stay however often the batch is sent. */
export class LineBatch {
  readonly bad: BadLine[] = [];
  readonly #lines: number[] = [];
  readonly #size: number;
  readonly #map: FieldMap;
  readonly #use: MapUse;
  /** The request so far: `{"events":[…`. */
  #body = buffers.take();
  #end = this.#body.write(OPEN, 'latin1');
  #last = 0;

  constructor({ batchSize, map, use }: { readonly batchSize: number; readonly map: FieldMap; readonly use: MapUse }) {
    this.#use = use;
    this.#size = batchSize;
    this.#map = map;
  }

  add(line: EventLine): void {
    if ('problem' in line) this.#refuse(line.number, line.problem);
    else if (this.#map.size === 0 && scan.isEvent(line)) this.#append(line, scan.brace, !scan.hasId);
    else this.#parse(line);
  }

  get isFull(): boolean {
    return this.events >= this.#size || this.bad.length >= this.#size || this.#end >= FULL_BYTES;
  }

  get isEmpty(): boolean {
    return this.events + this.bad.length === 0;
  }

  /** Of its events. */
  get bytes(): number {
    return this.#end;
  }

  get events(): number {
    return this.#lines.length;
  }

  /** The number of its last line. */
  get last(): number {
    return this.#last;
  }

  /** The line of an event, by its index in the body. */
  lineOf(index: number): number {
    return this.#lines[index] ?? this.#last;
  }

  /** The request: `{"events":[…]}`. Nothing can be added after it. */
  body(): Buffer {
    const end = this.#end + this.#body.write(CLOSE, this.#end, 'latin1');
    return this.#body.subarray(0, end);
  }

  /** Call this when the server has the request: its memory is used again. */
  release(): void {
    buffers.give(this.#body);
    this.#body = NO_BYTES;
  }

  #parse({ number, bytes, from, to }: LineBytes): void {
    const text = decode(bytes.subarray(from, to));
    if (text === '') return;
    const event = text === null ? 'it is not UTF-8' : parseEvent(text, this.#map, this.#use);
    if (typeof event === 'string') return this.#refuse(number, event);
    const json = Buffer.from(event.json);
    this.#append({ number, bytes: json, from: 0 }, json.length - 1, event.needsId);
  }

  #refuse(line: number, why: string): void {
    this.#last = line;
    this.bad.push({ line, why });
  }

  /** Adds an event up to its closing brace. Its text stays: long numbers and repeated keys are for the server to read. */
  #append({ number, bytes, from }: Omit<LineBytes, 'to'>, to: number, needsId: boolean): void {
    this.#makeRoom(to - from + MOST_AROUND);
    const body = this.#body;
    let end = this.#end;
    if (this.#lines.length > 0) body[end++] = COMMA;
    end += bytes.copy(body, end, from, to);
    if (needsId) end = ids.write(body, end);
    body[end++] = CLOSE_OBJECT;
    this.#end = end;
    this.#last = number;
    this.#lines.push(number);
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes > this.#body.length) this.#body = buffers.larger(this.#body, this.#end, bytes);
  }
}

function decode(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes).trim();
  } catch {
    return null;
  }
}

function parseEvent(text: string, map: FieldMap, use: MapUse): { json: string; needsId: boolean } | string {
  let line: unknown;
  try {
    line = readJsonWithDigits(text, String);
  } catch {
    return 'it is not JSON';
  }
  if (!isRecord(line)) return 'it is not a JSON object';
  use.note(line);
  const event = map.size === 0 ? line : mappedEvent(map, line);
  if (!Object.hasOwn(event, 'event_type')) return noType(line);
  const json = event === line ? text : JSON.stringify(event);
  return { json, needsId: isNothing(event['insert_id']) };
}
