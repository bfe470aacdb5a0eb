/** An NDJSON stream into a store: cuts pieces at line ends, keeps the unfinished line, adds up the answers. */
import { BYTE } from '../base/text/byte.ts';
import { GrowableUint8 } from '../base/growable.ts';
import type { Parts } from '../base/parts.ts';
import type { AppendAnswer } from '../shards/writer-messages.ts';
import type { BulkResult, BulkStream, LineWarning } from './event-store.ts';
import { MOST_TOLD } from '../base/text/shown.ts';

/** Most errors reported for one stream. */
const MAX_ERRORS = 10;

export interface BulkLinesOptions {
  /** Bytes of the longest line. */
  readonly lineLimit: number;
  /**
   * Stores whole lines; resolves when they are on disk. If `hasRoom`, it is called again before that; if it refuses lines, it
   * refuses all later ones.
   */
  readonly append: (lines: Parts, nth: number) => Promise<AppendAnswer>;
  /** Whether `append` may be called again now, for so many bytes. */
  readonly hasRoom: (bytes: number) => boolean;
  /** Called when everything was answered, and nothing more will come. */
  readonly ended: () => void;
}

export class BulkLines implements BulkStream {
  readonly #options: BulkLinesOptions;
  /** The unfinished line: a copy, as it may come in a million parts, each of a larger memory. */
  #rest = new GrowableUint8();
  /** Inside a line that is too long; skips everything up to its end. */
  #skipping = false;
  #pieces = 0;
  /** Everything so far is on disk and counted. */
  #stored: Promise<void> = Promise.resolve();
  #accepted = 0;
  #rejected = 0;
  #lines = 0;
  readonly #errors: { line: number; error: string }[] = [];
  readonly #warnings: LineWarning[] = [];

  constructor(options: BulkLinesOptions) {
    this.#options = options;
  }

  get progress(): BulkResult {
    const told = { firstErrors: [...this.#errors], warnings: [...this.#warnings] };
    return { accepted: this.#accepted, rejected: this.#rejected, lines: this.#lines, ...told };
  }

  write(piece: Parts): Promise<void> {
    const parts = this.#skipping ? this.#skip(piece) : piece;
    const at = parts.findLastIndex((part) => part.includes(BYTE.lineFeed));
    if (at < 0) this.#keep(parts);
    else {
      const last = parts[at]!;
      const end = last.lastIndexOf(BYTE.lineFeed) + 1;
      this.#append([...parts.slice(0, at), last.subarray(0, end)]);
      this.#keep([last.subarray(end), ...parts.slice(at + 1)]);
    }
    return this.#stored;
  }

  hasRoom(bytes: number): boolean {
    return this.#options.hasRoom(this.#rest.length + bytes);
  }

  /** The memory of the line, not its length. */
  get unfinished(): number {
    return this.#rest.values.length;
  }

  async end(): Promise<BulkResult> {
    if (this.#rest.length > 0) this.#append([]);
    await this.#stored;
    this.#options.ended();
    return this.progress;
  }

  abort(): BulkResult {
    this.#forgetRest();
    this.#options.ended();
    return this.progress;
  }

  /** What follows the line that is too long, if it ends here. */
  #skip(parts: Parts): Parts {
    const at = parts.findIndex((part) => part.includes(BYTE.lineFeed));
    if (at < 0) return [];
    this.#skipping = false;
    const first = parts[at]!;
    return [first.subarray(first.indexOf(BYTE.lineFeed) + 1), ...parts.slice(at + 1)];
  }

  #keep(parts: Parts): void {
    for (const part of parts) {
      if (this.#skipping) return;
      this.#rest.append(part, 0, part.length);
      if (this.#rest.length > this.#options.lineLimit + 1) this.#skipLine(); // a carriage return at its end does not count
    }
  }

  #skipLine(): void {
    this.#forgetRest();
    this.#skipping = true;
    this.#stored = this.#stored.then(() => {
      this.#reject(++this.#lines, `the line is longer than ${this.#options.lineLimit.toLocaleString('en')} bytes`);
    });
  }

  #forgetRest(): void {
    this.#rest = new GrowableUint8();
  }

  /** Passes on whole lines; the first began with the unfinished one. */
  #append(lines: Parts): void {
    const { values, length } = this.#rest;
    const parts = length === 0 ? lines : [new Uint8Array(values.subarray(0, length)), ...lines];
    if (length > 0) this.#forgetRest();
    this.#stored = this.#count(this.#stored, this.#options.append(parts, this.#pieces++));
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
    for (const { index, ...warning } of answer.warnings.slice(0, MOST_TOLD - this.#warnings.length))
      this.#warnings.push({ line: before + (index ?? 0) + 1, ...warning });
  }

  #reject(line: number, error: string): void {
    this.#rejected++;
    if (this.#errors.length < MAX_ERRORS) this.#errors.push({ line, error });
  }
}
