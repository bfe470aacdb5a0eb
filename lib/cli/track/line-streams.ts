/** Chunks of bytes → streams of whole lines, each below what a server accepts in one. */

/** Half of what a server accepts in a stream by default. */
const STREAM_BYTES = 268_435_456;
const LINE_FEED = 0x0a;

/** What was passed on so far. */
interface HandedOver {
  readonly lines: number;
  readonly bytes: number;
}

export class LineStreams {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #onPart: (now: HandedOver) => void;
  readonly #streamBytes: number;
  /** Read but not passed on. */
  #held: Buffer | null = null;
  #lines = 0;
  #bytes = 0;

  constructor(chunks: AsyncGenerator<Buffer>, onPart: (now: HandedOver) => void, streamBytes = STREAM_BYTES) {
    this.#chunks = chunks;
    this.#onPart = onPart;
    this.#streamBytes = streamBytes;
  }

  /** Line ends passed on. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether another stream has content. */
  async hasMore(): Promise<boolean> {
    while (this.#held === null || this.#held.length === 0) {
      const read = await this.#chunks.next();
      if (read.done === true) return false;
      this.#held = read.value;
    }
    return true;
  }

  /** The next stream, up to the line end at which it is long enough. */
  async *stream(): AsyncGenerator<Buffer> {
    for (let size = 0; await this.hasMore();) {
      const chunk = this.#held!;
      size += chunk.length;
      const end = size < this.#streamBytes ? 0 : chunk.lastIndexOf(LINE_FEED) + 1;
      const part = end === 0 ? chunk : chunk.subarray(0, end);
      this.#held = end === 0 ? null : chunk.subarray(end);
      this.#count(part);
      yield part;
      if (end > 0) return;
    }
  }

  #count(part: Buffer): void {
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) this.#lines += 1;
    this.#bytes += part.length;
    this.#onPart({ lines: this.#lines, bytes: this.#bytes });
  }
}
