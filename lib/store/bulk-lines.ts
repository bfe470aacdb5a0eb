/** An NDJSON stream into a store: cuts pieces at line ends, keeps the unfinished line, adds up the answers. */
import type { AppendAnswer } from '../shards/writer-messages.ts';
import type { BulkResult, BulkStream } from './event-store.ts';

/** Most errors reported for one stream. */
const MAX_ERRORS = 10;
const NEWLINE = 10;

export interface BulkLinesOptions {
  /** Bytes of the longest line. */
  readonly lineLimit: number;
  /** Stores whole lines; resolves when they are on disk. */
  readonly append: (lines: Uint8Array<ArrayBuffer>) => Promise<AppendAnswer>;
}

export class BulkLines implements BulkStream {
  readonly #options: BulkLinesOptions;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  /** Inside a line that is too long; skips everything up to its end. */
  #skipping = false;
  #accepted = 0;
  #rejected = 0;
  #lines = 0;
  readonly #errors: { line: number; error: string }[] = [];

  constructor(options: BulkLinesOptions) {
    this.#options = options;
  }

  get progress(): BulkResult {
    return { accepted: this.#accepted, rejected: this.#rejected, lines: this.#lines, firstErrors: [...this.#errors] };
  }

  async write(piece: Uint8Array<ArrayBuffer>): Promise<void> {
    let start = 0;
    if (this.#skipping) {
      const end = piece.indexOf(NEWLINE);
      if (end < 0) return;
      this.#skipping = false;
      start = end + 1;
    }
    const last = piece.lastIndexOf(NEWLINE);
    if (last < start) {
      this.#keep(piece.subarray(start));
      return;
    }
    const lines = this.#take(piece.subarray(start, last + 1));
    this.#keep(piece.slice(last + 1));
    await this.#append(lines);
  }

  async end(): Promise<BulkResult> {
    if (this.#restBytes > 0) await this.#append(this.#take(new Uint8Array(0)));
    return this.progress;
  }

  abort(): BulkResult {
    this.#rest = [];
    this.#restBytes = 0;
    return this.progress;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#rest.push(piece);
    this.#restBytes += piece.length;
    if (this.#restBytes <= this.#options.lineLimit) return;
    this.abort();
    this.#skipping = true;
    this.#lines++;
    this.#reject(this.#lines, `the line is longer than ${this.#options.lineLimit} bytes`);
  }

  /** The unfinished line and the piece that ends it, in a new buffer. */
  #take(piece: Uint8Array): Uint8Array<ArrayBuffer> {
    const whole = new Uint8Array(this.#restBytes + piece.length);
    let at = 0;
    for (const part of [...this.#rest, piece]) {
      whole.set(part, at);
      at += part.length;
    }
    this.#rest = [];
    this.#restBytes = 0;
    return whole;
  }

  async #append(lines: Uint8Array<ArrayBuffer>): Promise<void> {
    const before = this.#lines;
    const answer = await this.#options.append(lines);
    this.#accepted += answer.accepted;
    this.#rejected += answer.rejected - answer.errors.length;
    this.#lines = before + answer.lines;
    for (const { index, error } of answer.errors) this.#reject(before + index + 1, error);
  }

  #reject(line: number, error: string): void {
    this.#rejected++;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push({ line, error });
  }
}
