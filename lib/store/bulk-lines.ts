/** An NDJSON stream into a store: cuts pieces at line ends, keeps the unfinished line, adds up the answers. */
import type { AppendAnswer } from '../shards/writer-messages.ts';
import type { BulkResult, BulkStream } from './event-store.ts';

/** Most errors reported for one stream. */
const MAX_ERRORS = 10;
const NEWLINE = 10;

export interface BulkLinesOptions {
  /** Bytes of the longest line. */
  readonly lineLimit: number;
  /**
   * Stores whole lines; resolves when they are on disk. If `hasRoom`, it is called again before that; if it refuses lines, it
   * refuses all later ones.
   */
  readonly append: (lines: Uint8Array<ArrayBuffer>, nth: number) => Promise<AppendAnswer>;
  /** Whether `append` may be called again now, for so many bytes. */
  readonly hasRoom: (bytes: number) => boolean;
  /** Called when everything was answered, and nothing more will come. */
  readonly ended: () => void;
}

export class BulkLines implements BulkStream {
  readonly #options: BulkLinesOptions;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  /** Inside a line that is too long; skips everything up to its end. */
  #skipping = false;
  #pieces = 0;
  /** Everything so far is on disk and counted. */
  #stored: Promise<void> = Promise.resolve();
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

  write(piece: Uint8Array<ArrayBuffer>): Promise<void> {
    let start = 0;
    if (this.#skipping) {
      const end = piece.indexOf(NEWLINE);
      if (end < 0) return this.#stored;
      this.#skipping = false;
      start = end + 1;
    }
    const last = piece.lastIndexOf(NEWLINE);
    if (last < start) this.#keep(piece.subarray(start));
    else {
      this.#append(this.#take(piece.subarray(start, last + 1)));
      this.#keep(piece.subarray(last + 1));
    }
    return this.#stored;
  }

  hasRoom(bytes: number): boolean {
    return this.#options.hasRoom(this.#restBytes + bytes);
  }

  async end(): Promise<BulkResult> {
    if (this.#restBytes > 0) this.#append(this.#take(new Uint8Array(0)));
    await this.#stored;
    this.#options.ended();
    return this.progress;
  }

  abort(): BulkResult {
    this.#forgetRest();
    this.#options.ended();
    return this.progress;
  }

  /** Keeps a copy, not the memory of a whole piece for the beginning of a line. */
  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#rest.push(new Uint8Array(piece));
    this.#restBytes += piece.length;
    if (this.#restBytes <= this.#options.lineLimit) return;
    this.#forgetRest();
    this.#skipping = true;
    this.#stored = this.#stored.then(() => {
      this.#reject(++this.#lines, `the line is longer than ${this.#options.lineLimit} bytes`);
    });
  }

  #forgetRest(): void {
    this.#rest = [];
    this.#restBytes = 0;
  }

  /** The unfinished line and the piece that ends it. */
  #take(piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (this.#restBytes === 0) return piece;
    const whole = Buffer.concat([...this.#rest, piece]);
    this.#forgetRest();
    return whole;
  }

  #append(lines: Uint8Array<ArrayBuffer>): void {
    this.#stored = this.#count(this.#stored, this.#options.append(lines, this.#pieces++));
  }

  /** Adds up an answer after those before it. */
  async #count(earlier: Promise<void>, answered: Promise<AppendAnswer>): Promise<void> {
    await Promise.allSettled([earlier, answered]);
    await earlier;
    const before = this.#lines;
    const answer = await answered;
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
