import type { BulkStream } from '../workers/event-store.ts';

/** Bytes of a piece that are gathered while another is written: fewer, larger commits. */
const PIECE_BYTES = 1_048_576;

/**
 * Writes a stream in pieces, one at a time: at once while the store is idle, so that slow streams are soon on disk, and
 * gathered while it is busy. `afterEach` runs between pieces.
 */
export class PieceWriter {
  readonly #stream: BulkStream;
  readonly #afterEach: () => Promise<void>;
  #gathered: Buffer[] = [];
  #bytes = 0;
  #writing: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  #taken: () => void = () => undefined;

  constructor(stream: BulkStream, afterEach: () => Promise<void>) {
    this.#stream = stream;
    this.#afterEach = afterEach;
  }

  /** Takes a chunk; resolves when there is room for the next. Rejects when a write has failed. */
  async add(chunk: Buffer): Promise<void> {
    this.#gathered.push(chunk);
    this.#bytes += chunk.length;
    this.#writing ??= this.#writeAll();
    while (this.#bytes >= PIECE_BYTES && this.#failure === null) await this.#nextTurn();
    this.#check();
  }

  /** Resolves when all is on disk. */
  async finish(): Promise<void> {
    await this.#writing;
    this.#check();
  }

  /** Waits for the write that takes what is gathered now. */
  async #nextTurn(): Promise<void> {
    await new Promise<void>((resolve) => (this.#taken = resolve));
  }

  /** Never rejects: whoever adds next is told. */
  async #writeAll(): Promise<void> {
    try {
      while (this.#bytes > 0) {
        await this.#stream.write(this.#take());
        await this.#afterEach();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#writing = null;
    this.#taken();
  }

  #take(): Uint8Array<ArrayBuffer> {
    const piece = new Uint8Array(this.#bytes);
    let at = 0;
    for (const chunk of this.#gathered) {
      piece.set(chunk, at);
      at += chunk.length;
    }
    this.#gathered = [];
    this.#bytes = 0;
    this.#taken();
    return piece;
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
