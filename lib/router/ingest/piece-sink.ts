import { Writable } from 'node:stream';
import type { Parts } from '../../base/parts.ts';
import type { StreamRoom } from '../http/stream-room.ts';
import type { BulkStream } from '../../store/event-store.ts';

/**
 * Bytes gathered while a piece is written: this makes fewer, larger commits. Others need not wait for it, as it is read in slices.
 */
const PIECE_BYTES = 1 << 20;

type Done = (error?: Error | null) => void;

/**
 * The sink of a stream of lines: passes pieces to the store, at once while the store is idle, so that slow streams are soon on
 * disk, and gathered while it is busy. `afterEach` runs when a piece is on disk, and may hold up the next; it learns whether
 * there is anything left to hold up. If it or the store fails, the sink is destroyed at once, whether or not more bytes come.
 */
export class PieceSink extends Writable {
  readonly #stream: BulkStream;
  readonly #afterEach: (over: () => boolean) => Promise<void>;
  readonly #received: (bytes: number) => Promise<void>;
  readonly #room: Pick<StreamRoom, 'cover' | 'shrink'>;
  #gathered: Buffer<ArrayBuffer>[] = [];
  #bytes = 0;
  /** Of pieces that the store has not been given yet. */
  #leaving = 0;
  /** Pieces that the store has not answered, or for which `received` or `afterEach` runs. */
  #passing = 0;
  /** For how many of them either runs. */
  #pauses = 0;
  /** Settles when the store has answered for all pieces. */
  #written: Promise<void> = Promise.resolve();
  #wantMore: Done | null = null;
  #whenAllIsWritten: Done | null = null;

  /** `received` gets the bytes of each piece before it is stored. Its rejection ends the stream. `room`: for what is held here. */
  constructor(
    stream: BulkStream,
    afterEach: (over: () => boolean) => Promise<void>,
    received: (bytes: number) => Promise<void>,
    room: Pick<StreamRoom, 'cover' | 'shrink'>,
  ) {
    super({ decodeStrings: true });
    this.#room = room;
    this.#received = received;
    this.#stream = stream;
    this.#afterEach = afterEach;
  }

  /** Whether the store, or what slows the stream, has still to do with what came. */
  get isBusy(): boolean {
    return this.#passing > 0 || this.writableLength > 0;
  }

  override _write(chunk: Buffer<ArrayBuffer>, _encoding: BufferEncoding, done: Done): void {
    const wait = this.#room.cover(() => this.#held + chunk.length);
    if (wait === null) this.#gather(chunk, done);
    else wait.then(() => this.#gather(chunk, done), done);
  }

  /** With what the store holds of an unfinished line. */
  get #held(): number {
    return this.#bytes + this.#leaving + this.#stream.unfinished;
  }

  #gather(chunk: Buffer<ArrayBuffer>, done: Done): void {
    this.#gathered.push(chunk);
    this.#bytes += chunk.length;
    // Most parts gathered: one may be a single byte, and takes some hundred of memory.
    if (this.#bytes < PIECE_BYTES && this.#gathered.length < 4_096) done();
    else this.#wantMore = done;
    this.#send();
  }

  override _final(done: Done): void {
    this.#whenAllIsWritten = done;
    this.#send();
  }

  /** Resolves when the store has answered for the last piece, even with an error. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#written]);
  }

  /** Passes on what was gathered, if it is time. */
  #send(): void {
    const idle = this.#passing === 0;
    if (idle && this.#bytes === 0) this.#whenAllIsWritten?.();
    // Pieces with the store at a time: it reads one while the disk syncs the one before.
    const full = this.#passing === 2 || (!idle && this.#bytes < PIECE_BYTES);
    if (full || this.#pauses > 0 || this.#bytes === 0 || this.destroyed) return;
    this.#passing++;
    void this.#pass();
  }

  /** Never rejects: a failure destroys the sink. */
  async #pass(): Promise<void> {
    try {
      this.#pauses++; // no piece overtakes another
      const { piece, bytes } = this.#take();
      this.#leaving += bytes;
      await this.#received(bytes);
      if (!this.#stream.hasRoom(bytes)) await this.settled();
      this.#pauses--;
      if (this.destroyed) return;
      const written = this.#stream.write(piece);
      this.#written = written;
      this.#leaving -= bytes;
      this.#room.shrink(this.#held);
      this.#send();
      await written;
      this.#pauses++;
      // What is left when all has come is one piece. A compressed body has come long before what it inflates to.
      await this.#afterEach(() => this.destroyed || this.#whenAllIsWritten !== null);
      this.#pauses--;
      this.#passing--;
      this.#send();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(): { readonly piece: Parts; readonly bytes: number } {
    const taken = { piece: this.#gathered, bytes: this.#bytes };
    this.#gathered = [];
    this.#bytes = 0;
    const more = this.#wantMore;
    this.#wantMore = null;
    more?.();
    return taken;
  }
}
