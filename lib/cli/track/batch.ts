/** Lines of events on their way to the server. */
import { withInsertId } from './insert-id.ts';
import type { Line } from './lines.ts';

export interface BadLine {
  readonly line: number;
  readonly why: string;
}

/** The server takes bodies of 5 MiB; a batch is closed well below it, for the next line may have 1 MiB. */
const FULL_BYTES = 3_145_728;

/** Some lines, in order. Ids are made when a line comes in: however often the batch is sent, they stay. */
export class Batch {
  readonly #events: string[] = [];
  readonly #lines: number[] = [];
  readonly bad: BadLine[] = [];
  readonly #size: number;
  #bytes = 0;
  #last = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(line: Line): void {
    this.#last = line.number;
    const event = 'text' in line ? parseEvent(line.text) : line.problem;
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

  get events(): number {
    return this.#events.length;
  }

  /** Number of its last line. */
  get last(): number {
    return this.#last;
  }

  /** The line of an event, by its place in the body. */
  lineOf(index: number): number {
    return this.#lines[index] ?? this.#last;
  }

  /** The request: `{"events":[…]}`. */
  body(): string {
    return `{"events":[${this.#events.join(',')}]}`;
  }
}

/** The event as it is sent, or what is wrong with it. */
function parseEvent(text: string): { json: string } | string {
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return 'it is not a JSON object';
  return { json: withInsertId(text, event) };
}
