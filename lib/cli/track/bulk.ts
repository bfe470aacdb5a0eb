/**
 * Streams events from stdin unchanged, one a line: the server stores them as they arrive. Nothing is retried, since only the
 * server knows which lines it has; if it stops, the user learns from which line to resume.
 */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession } from '../client/client-command.ts';
import { ClientError, ServerError, TransportError } from '../client/client-error.ts';
import { stdinChunks } from '../client/stdin.ts';
import { plainInput } from './plain-input.ts';
import { LineReport } from './line-tally.ts';
import { Progress } from './progress.ts';
import type { Again } from './resume-command.ts';
import { sendEvents } from './send-events.ts';
import type { Totals } from './upload.ts';
import { BYTE } from '../../base/text/byte.ts';

/** Sends all of stdin. `stopped`: why it ended early. `size`: bytes of stdin, null if unknown. `again`: for the user. */
export async function sendBulk(
  session: ClientSession,
  { size, again, strict }: { readonly size: number | null; readonly again: Again; readonly strict: boolean },
): Promise<Totals & { readonly stopped: Error | null }> {
  const progress = new Progress(session.terminal, size);
  const reading = new AbortController();
  const chunks = plainInput(stdinChunks(AbortSignal.any([session.signal, reading.signal])), again);
  const streams = new LineStreams(chunks, ({ lines, bytes }) => progress.show({ events: lines, retries: 0, bytes }));
  const totals = { accepted: 0, rejected: 0 };
  try {
    while (await streams.hasMore()) {
      const before = streams.lines;
      try {
        const stream = Readable.from(streams.stream(), { objectMode: false });
        const taken = await sendEvents(session.api, stream, 'never', { strict });
        totals.accepted += taken.accepted;
        totals.rejected += taken.rejected;
        const report = new LineReport();
        report.add(taken, (index) => before + index + 1, streams.lines);
        for (const told of report.told()) session.terminal.say(`wl: ${told}`);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (error instanceof ServerError) totals.accepted += error.taken?.accepted ?? 0;
        return { ...totals, stopped: stoppedAt(error, before, again) };
      }
    }
    return { ...totals, stopped: null };
  } finally {
    progress.end();
    reading.abort(); // stdin may never end by itself
  }
}

function stoppedAt(error: ClientError, before: number, again: Again): ClientError {
  if (error instanceof ServerError) {
    const next = before + (error.taken?.line ?? 0) + 1;
    const resume = `To resume: ${again(`tail -n +${next}`)}`;
    return new ClientError(`Stopped before line ${next}: ${error.message}`, [...error.hints, resume]);
  }
  if (!(error instanceof TransportError)) return error;
  return new ClientError(error.message, [
    ...error.hints,
    `The server may have stored lines after line ${before}. Lines with an insert_id can be sent again: they are stored once.`,
  ]);
}

/** Of stdin, after which a stream ends, and the next begins with what comes: servers end one on which nothing comes for 30 s. Milliseconds. */
const QUIET_MS = 10_000;

/** What was passed on so far. */
interface HandedOver {
  readonly lines: number;
  readonly bytes: number;
}

interface StreamLimits {
  readonly streamBytes?: number;
  readonly quietMs?: number;
}

/** Chunks of bytes → streams of whole lines, each below what a server accepts in one, and none longer than the chunks come. */
export class LineStreams {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #onPart: (now: HandedOver) => void;
  readonly #streamBytes: number;
  readonly #quietMs: number;
  /** Read but not passed on. */
  #held: Buffer | null = null;
  /** The next chunk, which somebody waits for. */
  #reading: Promise<IteratorResult<Buffer>> | null = null;
  #lines = 0;
  #bytes = 0;

  constructor(
    chunks: AsyncGenerator<Buffer>,
    onPart: (now: HandedOver) => void,
    // Half of what a server accepts in a stream by default.
    { streamBytes = 268_435_456, quietMs = QUIET_MS }: StreamLimits = {},
  ) {
    this.#chunks = chunks;
    this.#onPart = onPart;
    this.#streamBytes = streamBytes;
    this.#quietMs = quietMs;
  }

  /** Line ends passed on. */
  get lines(): number {
    return this.#lines;
  }

  /** Whether another stream has content. */
  async hasMore(): Promise<boolean> {
    while (this.#held === null || this.#held.length === 0) {
      const read = await this.#read();
      this.#reading = null;
      if (read.done === true) return false;
      this.#held = read.value;
    }
    return true;
  }

  /** The next stream, up to the line end at which it is long enough, or after which nothing comes soon. */
  async *stream(): AsyncGenerator<Buffer> {
    let endsLine = false;
    for (let size = 0; !(endsLine && (await this.#isQuiet())) && (await this.hasMore());) {
      const chunk = this.#held!;
      size += chunk.length;
      const end = size < this.#streamBytes ? 0 : chunk.lastIndexOf(BYTE.lineFeed) + 1;
      const part = end === 0 ? chunk : chunk.subarray(0, end);
      this.#held = end === 0 ? null : chunk.subarray(end);
      this.#count(part);
      yield part;
      if (end > 0) return;
      endsLine = part.at(-1) === BYTE.lineFeed;
    }
  }

  #read(): Promise<IteratorResult<Buffer>> {
    return (this.#reading ??= this.#chunks.next());
  }

  /** Whether nothing comes for a while. */
  async #isQuiet(): Promise<boolean> {
    const over = new AbortController();
    const came = this.#read().then(
      () => false,
      () => false, // whoever reads it learns why
    );
    const quiet = sleep(this.#quietMs, true, { signal: over.signal }).catch(() => true);
    try {
      return await Promise.race([came, quiet]);
    } finally {
      over.abort();
    }
  }

  #count(part: Buffer): void {
    for (let at = part.indexOf(BYTE.lineFeed); at !== -1; at = part.indexOf(BYTE.lineFeed, at + 1)) this.#lines += 1;
    this.#bytes += part.length;
    this.#onPart({ lines: this.#lines, bytes: this.#bytes });
  }
}
