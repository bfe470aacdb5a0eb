/** Collects lines of events for the server. */
import { mappedEvent, noType, type FieldMap } from './field-map.ts';
import { withInsertId } from './insert-id.ts';
import { isRecord } from '../client/records.ts';
import type { Line } from './lines.ts';

export interface BadLine {
  readonly line: number;
  readonly why: string;
}

/** The server accepts bodies of 5 MiB; a batch is closed well below it, since the next line may have 1 MiB. */
const FULL_BYTES = 3_145_728;

/** Some lines, in order. Ids are made when a line is added, so they stay however often the batch is sent. */
export class Batch {
  readonly #events: string[] = [];
  readonly #lines: number[] = [];
  readonly bad: BadLine[] = [];
  readonly #size: number;
  readonly #map: FieldMap;
  #bytes = 0;
  #last = 0;

  constructor({ batchSize, map }: { readonly batchSize: number; readonly map: FieldMap }) {
    this.#size = batchSize;
    this.#map = map;
  }

  add(line: Line): void {
    this.#last = line.number;
    const event = 'text' in line ? parseEvent(line.text, this.#map) : line.problem;
    if (typeof event === 'string') {
      this.bad.push({ line: line.number, why: event });
      return;
    }
    this.#events.push(event.json);
    this.#lines.push(line.number);
    this.#bytes += event.json.length;
  }

  get isFull(): boolean {
    return this.#events.length >= this.#size || this.bad.length >= this.#size || this.#bytes >= FULL_BYTES;
  }

  get isEmpty(): boolean {
    return this.#events.length + this.bad.length === 0;
  }

  /** Of its events. */
  get bytes(): number {
    return this.#bytes;
  }

  get events(): number {
    return this.#events.length;
  }

  /** The number of its last line. */
  get last(): number {
    return this.#last;
  }

  /** The line of an event, by its index in the body. */
  lineOf(index: number): number {
    return this.#lines[index] ?? this.#last;
  }

  /** The request: `{"events":[…]}`. */
  body(): string {
    return `{"events":[${this.#events.join(',')}]}`;
  }
}

/** The event to send, or what is wrong with it. */
function parseEvent(text: string, map: FieldMap): { json: string } | string {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (!isRecord(line)) return 'it is not a JSON object';
  const event = map.size === 0 ? line : mappedEvent(map, line);
  if (!Object.hasOwn(event, 'event_type')) return noType(line);
  return { json: withInsertId(event === line ? text : JSON.stringify(event), event) };
}
