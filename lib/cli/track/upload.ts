/**
 * Events from stdin, a line each, in batches that are sent one after another: the order stays, and where one fails for good
 * everything before it is stored. While a batch is on its way the next one is read, so that two are held at most.
 */
import { setFlagsFromString } from 'node:v8';
import type { Session } from '../client/client-command.ts';
import { ClientError, Interrupted } from '../client/client-error.ts';
import { stdinChunks } from '../client/stdin.ts';
import { Batch } from './batch.ts';
import { LineSplitter } from './lines.ts';
import { Progress } from './progress.ts';
import { sendEvents } from './send-events.ts';
import type { Taken } from './send-events.ts';

export interface Totals {
  readonly accepted: number;
  readonly rejected: number;
}

interface UploadOptions {
  /** Events of a request, at most. */
  readonly batchSize: number;
  /** Bytes of stdin, null when nobody knows. */
  readonly size: number | null;
  /** Sends a batch, or shows what would be sent. */
  readonly send: (body: string) => Promise<Taken>;
}

/** A batch that is not full is sent all the same when nothing comes for so long: whoever writes may be a running program. */
const IDLE_MS = 1_000;

/** Sends all of stdin. `stopped`: why it ended before, with the line to resume from. */
export async function upload(session: Session, options: UploadOptions): Promise<Totals & { stopped: Error | null }> {
  // Young objects hold the chunks and bodies outside the heap. Where V8 lets their space grow, these pile up with the input.
  setFlagsFromString('--semi-space-growth-factor=1');
  const run = new Upload(session, options);
  try {
    await run.all();
    return { ...run.totals, stopped: null };
  } catch (error) {
    if (!(error instanceof ClientError) && !(error instanceof Interrupted)) throw error;
    return { ...run.totals, stopped: await run.stop(error) };
  } finally {
    run.end();
  }
}

/** How an upload with a server sends. */
export function sendTo(session: Session): UploadOptions['send'] {
  return (body) => sendEvents(session.api, body, 'stream');
}

class Upload {
  readonly progress: Progress;
  readonly #session: Session;
  readonly #options: UploadOptions;
  #batch: Batch;
  #bytes = 0;
  #accepted = 0;
  #rejected = 0;
  /** Everything up to this line has been dealt with. */
  #done = 0;
  #underWay: Promise<void> = Promise.resolve();
  /** Ends the reading of stdin, which may have no end of its own. */
  readonly #reading = new AbortController();

  constructor(session: Session, options: UploadOptions) {
    this.#session = session;
    this.#options = options;
    this.#batch = new Batch(options.batchSize);
    this.progress = new Progress(session.terminal, options.size);
  }

  get totals(): Totals {
    return { accepted: this.#accepted, rejected: this.#rejected };
  }

  async all(): Promise<void> {
    const lines = new LineSplitter();
    const chunks = stdinChunks(AbortSignal.any([this.#session.signal, this.#reading.signal]));
    for await (const chunk of orIdle(chunks, () => this.#isWaiting)) {
      if (chunk === null) {
        await this.#dispatch();
        continue;
      }
      this.#bytes += chunk.length;
      for (const line of lines.push(chunk)) {
        this.#batch.add(line);
        if (this.#batch.isFull) await this.#dispatch();
      }
    }
    for (const line of lines.end()) this.#batch.add(line);
    await this.#dispatch();
    await this.#underWay;
  }

  /** Lets the batch that is under way come to its end. Answers the error with the line to resume from. */
  async stop(reason: ClientError | Interrupted): Promise<Error> {
    await Promise.allSettled([this.#underWay]); // where it failed, that is the reason, or as good as it
    const next = this.#done + 1;
    const resume = `To resume: tail -n +${next} FILE | wl track --stdin`;
    const before = `The lines before line ${next} are done, none of the others is.`;
    if (reason instanceof Interrupted) {
      this.#session.terminal.say(`wl: stopped before line ${next}.\n  ${before}\n  ${resume}`);
      return reason;
    }
    return new ClientError(`Stopped before line ${next}: ${reason.message}`, [...reason.hints, before, resume]);
  }

  end(): void {
    this.#reading.abort();
    this.progress.end();
  }

  get #isWaiting(): boolean {
    return !this.#batch.isEmpty;
  }

  /** Hands the batch over; waits for the one before. */
  async #dispatch(): Promise<void> {
    await this.#underWay;
    const batch = this.#batch;
    if (batch.isEmpty) return;
    this.#session.signal.throwIfAborted();
    this.#batch = new Batch(this.#options.batchSize);
    this.#underWay = this.#send(batch);
    this.#underWay.catch(() => undefined); // whoever waits for it next is told
  }

  async #send(batch: Batch): Promise<void> {
    const { accepted, rejected, errors } =
      batch.events > 0 ? await this.#options.send(batch.body()) : { accepted: 0, rejected: 0, errors: [] };
    this.#accepted += accepted;
    this.#rejected += rejected + batch.bad.length;
    this.#done = batch.last;
    const named = [...batch.bad, ...errors.map(({ index, error }) => ({ line: batch.lineOf(index), why: error }))];
    for (const { line, why } of named.sort((a, b) => a.line - b.line)) {
      this.#session.terminal.say(`wl: line ${line}: ${why}`);
    }
    const unnamed = rejected - errors.length;
    if (unnamed > 0) this.#session.terminal.say(`wl: ${unnamed} more lines up to line ${batch.last} were rejected`);
    const events = this.#accepted + this.#rejected;
    this.progress.show({ events, retries: this.#session.api.retries, bytes: this.#bytes });
  }
}

/** Chunks as they come, and null when none came for a while and somebody waits. */
async function* orIdle(chunks: AsyncGenerator<Buffer>, isWaited: () => boolean): AsyncGenerator<Buffer | null> {
  let next = chunks.next();
  for (;;) {
    next.catch(() => undefined); // when nobody waits for it any more
    const result = isWaited() ? await firstOf(next, IDLE_MS) : await next;
    if (result === null) {
      yield null;
      continue;
    }
    if (result.done === true) return;
    yield result.value;
    next = chunks.next();
  }
}

async function firstOf<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
