/**
 * Events from stdin, one a line, in batches, of which several are in flight at a time. If one fails for good, the others in
 * flight finish, no more are sent, and the user learns which lines are left.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, asRecord } from '../client/client-command.ts';
import { ClientError, Interrupted } from '../client/client-error.ts';
import { passingChunks } from '../client/stdin.ts';
import { readJson } from '../../base/text/read-json.ts';
import { LineBatch } from './batch.ts';
import { DryRun } from './dry-run.ts';
import { MapUse, type FieldMap } from './field-map.ts';
import { LineReport } from './line-tally.ts';
import { LineSplitter } from './lines.ts';
import { plainInput } from './plain-input.ts';
import { Progress } from './progress.ts';
import type { Again } from './resume-command.ts';
import { sendEvents, type TrackAnswer } from './send-events.ts';

export interface Totals {
  readonly accepted: number;
  readonly rejected: number;
}

interface UploadOptions {
  /** Events per request, at most. */
  readonly batchSize: number;
  /** Batches in flight, at most. With one, lines also stay in order. */
  readonly concurrency: number;
  readonly map: FieldMap;
  /** Bytes of stdin, null if unknown. */
  readonly size: number | null;
  /** Whether the server rejects what it would else replace or leave out. */
  readonly strict: boolean;
  /** Shows what would be sent, without sending it. */
  readonly isDry: boolean;
  /** For the user, if this stops. */
  readonly again: Again;
}

/** What to call while a batch is being sent. */
interface Watch {
  /** It has left: the next may follow. */
  readonly onSent: () => void;
  /** The server may have stored it, but has not said so. */
  readonly onUncertain: () => void;
}

interface Flight {
  readonly lines: LineRange;
  isUncertain: boolean;
  readonly bytes: number;
  readonly landed: Promise<void>;
}

const NOTHING: TrackAnswer = { accepted: 0, rejected: 0, errors: [], warnings: [] };

/** Sends all of stdin. `stopped`: why it ended early, with the lines to resume with. */
export async function upload(
  session: ClientSession,
  options: UploadOptions,
): Promise<Totals & { stopped: Error | null }> {
  const run = new Upload(session, options);
  try {
    await run.all();
    return { ...run.totals, stopped: run.mapProblem() };
  } catch (error) {
    if (!(error instanceof ClientError) && !(error instanceof Interrupted)) throw error;
    const stopped = await run.stop(error);
    return { ...run.totals, stopped };
  } finally {
    await run.end();
  }
}

class Upload {
  readonly progress: Progress;
  readonly #session: ClientSession;
  readonly #options: UploadOptions;
  #batch: LineBatch;
  #bytes = 0;
  #accepted = 0;
  #rejected = 0;
  readonly #report = new LineReport();
  readonly #use: MapUse;
  readonly #dry: DryRun;
  /** The last line passed on. */
  #sent = 0;
  /** Resolves when the last batch has left. */
  #left: Promise<void> = Promise.resolve();
  /** Unfinished batches: those in flight, and those that failed. */
  readonly #flights = new Set<Flight>();
  /** Stops reading stdin, which may never end by itself. */
  readonly #reading = new AbortController();

  constructor(session: ClientSession, options: UploadOptions) {
    this.#session = session;
    this.#options = options;
    this.#use = new MapUse(options.map);
    this.#dry = new DryRun((json) => session.terminal.print(json));
    this.#batch = new LineBatch({ ...options, use: this.#use });
    this.progress = new Progress(session.terminal, options.size);
  }

  get totals(): Totals {
    return { accepted: this.#accepted, rejected: this.#rejected };
  }

  async all(): Promise<void> {
    const lines = new LineSplitter();
    const { again } = this.#options;
    const chunks = plainInput(passingChunks(AbortSignal.any([this.#session.signal, this.#reading.signal])), again);
    for await (const chunk of orIdle(chunks, () => !this.#batch.isEmpty)) {
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
    await Promise.all(this.#landings());
  }

  /** Lets the batches in flight finish. Returns the error with the lines to resume with. */
  async stop(reason: ClientError | Interrupted): Promise<Error> {
    await Promise.allSettled(this.#landings()); // if one failed, that is the reason, or equivalent to it
    const failed = Array.from(this.#flights, ({ lines, isUncertain }) => ({ ...lines, isUncertain }));
    const { first, hints } = linesLeft(failed, this.#sent, this.#options.again);
    if (reason instanceof Interrupted) {
      this.#session.terminal.say([`wl: stopped before line ${first}.`, ...hints].join('\n  '));
      return reason;
    }
    return new ClientError(`Stopped before line ${first}: ${reason.message}`, [...reason.hints, ...hints]);
  }

  /** Why the whole of what was sent may be wrong: a mapped path that no line has. */
  mapProblem(): ClientError | null {
    const problem = this.#use.problem(false);
    return problem === null || this.#sent === 0 ? null : new ClientError(problem);
  }

  async end(): Promise<void> {
    this.#reading.abort();
    this.progress.end();
    const { terminal, output } = this.#session;
    for (const told of this.#report.told()) terminal.say(`wl: ${told}`);
    if (this.#options.isDry) terminal.say(await output.tableText(this.#dry.table()));
  }

  /**
   * Passes the batch on, once there is room for it and the previous one has left, so that the server gets them in order, or
   * nearly so: each has its own connection.
   */
  async #dispatch(): Promise<void> {
    await this.#left;
    while (this.#isFull) await Promise.race(this.#landings());
    const batch = this.#batch;
    if (batch.isEmpty) return;
    this.#session.signal.throwIfAborted();
    if (this.#sent === 0) this.#checkMap();
    this.#batch = new LineBatch({ ...this.#options, use: this.#use });
    this.#left = new Promise((left) => this.#start(batch, left));
  }

  /** Before anything is sent: what looks misspelt would be missing in every event. */
  #checkMap(): void {
    const problem = this.#use.problem(true);
    if (problem !== null) throw new ClientError(problem);
  }

  get #isFull(): boolean {
    const { size } = this.#flights;
    let { bytes } = this.#batch;
    for (const flight of this.#flights) bytes += flight.bytes;
    // Bytes of batches in flight, if several: more would not be faster, and each takes several times its size in
    // memory.
    return size >= this.#options.concurrency || (size > 0 && bytes > 1_048_576);
  }

  #start(batch: LineBatch, left: () => void): void {
    const lines = { first: this.#sent + 1, last: batch.last };
    this.#sent = batch.last;
    const watch = { onSent: left, onUncertain: () => void (flight.isUncertain = true) };
    const landed = this.#send(batch, watch).then(() => void this.#flights.delete(flight));
    const flight: Flight = { lines, isUncertain: false, bytes: batch.bytes, landed };
    this.#flights.add(flight);
    landed.catch((error: unknown) => this.#reading.abort(error)).finally(left);
  }

  #landings(): Promise<void>[] {
    return Array.from(this.#flights, ({ landed }) => landed);
  }

  async #send(batch: LineBatch, watch: Watch): Promise<void> {
    const taken = batch.events > 0 ? await this.#pass(batch.body(), watch) : NOTHING;
    batch.release();
    this.#accepted += taken.accepted;
    this.#rejected += taken.rejected + batch.bad.length;
    for (const { line, why } of batch.bad) this.#report.bad(line, why);
    this.#report.add(taken, (index) => batch.lineOf(index), batch.last);
    const events = this.#accepted + this.#rejected;
    this.progress.show({ events, retries: this.#session.api.retries, bytes: this.#bytes });
  }

  async #pass(body: Buffer, watch: Watch): Promise<TrackAnswer> {
    const { strict, isDry } = this.#options;
    if (!isDry) return sendEvents(this.#session.api, body, 'stream', { strict, ...watch });
    const { events } = asRecord(readJson(body.toString()));
    this.#dry.take(Array.isArray(events) ? events : []);
    return NOTHING;
  }
}

/** Chunks as they come, and null if none came for a while and somebody waits. */
async function* orIdle(chunks: AsyncGenerator<Buffer>, isWaited: () => boolean): AsyncGenerator<Buffer | null> {
  let next = chunks.next();
  for (;;) {
    next.catch(() => undefined); // in case nobody waits for it any more
    // A partial batch is sent if nothing comes for this long: the input may come from a running program.
    const result = isWaited() ? await firstOf(next, 1_000) : await next;
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
  const done = new AbortController();
  try {
    return await Promise.race([promise, pause(ms, null, { signal: done.signal })]);
  } finally {
    done.abort();
  }
}

/** Inclusive, from 1. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

interface FailedLines extends LineRange {
  /** No answer says whether the server stored them. */
  readonly isUncertain: boolean;
}

interface LinesLeft {
  readonly first: number;
  /** Which lines they are, and the command that sends them. */
  readonly hints: readonly string[];
}

/** @param failed In order. @param sent The last line sent: none after it was. @param again For the command. */
export function linesLeft(failed: readonly FailedLines[], sent: number, again: Again): LinesLeft {
  const ranges = joinedRanges([...failed, { first: sent + 1, last: Infinity }]);
  const uncertain = joinedRanges(failed.filter(({ isUncertain }) => isUncertain));
  const isCertain = uncertain.length === 0;
  const { first } = ranges[0]!;
  if (ranges.length === 1) {
    if (isCertain && first === 1) return { first, hints: ['No line was sent.'] };
    const before =
      first === 1 ? [] : [`Lines before line ${first} were sent${isCertain ? '; the rest were not' : ''}.`];
    const resume = `To resume: ${again(`tail -n +${first}`)}`;
    return { first, hints: [...before, ...mayBeStored(uncertain), resume] };
  }
  const rest = ranges.at(-1)!.first;
  const parts = ranges.map((range) => `${range.first},${range.last === Infinity ? '$' : range.last}p`);
  const what = isCertain ? 'Not sent' : 'Not answered or not sent';
  return {
    first,
    hints: [
      `${what}: lines ${spans(ranges.slice(0, -1))} and all from line ${rest} on.`,
      ...mayBeStored(uncertain),
      `To resume: ${again(`sed -n '${parts.join(';')}'`)}`,
    ],
  };
}

/** Ranges in order, those that touch as one. */
function joinedRanges(ranges: readonly LineRange[]): readonly LineRange[] {
  const joined: LineRange[] = [];
  for (const { first, last } of ranges) {
    const before = joined.at(-1);
    if (before?.last === first - 1) joined.splice(-1, 1, { first: before.first, last });
    else joined.push({ first, last });
  }
  return joined;
}

/** A batch is sent again with the ids of before, but the next command makes new ones. */
function mayBeStored(uncertain: readonly LineRange[]): readonly string[] {
  if (uncertain.length === 0) return [];
  return [
    `The server may have stored lines from ${spans(uncertain)}: no answer to them arrived.`,
    'Sent again, lines with an insert_id of their own are stored once; others may be stored twice.',
  ];
}

function spans(ranges: readonly LineRange[]): string {
  return ranges.map(({ first, last }) => `${first} to ${last}`).join(', ');
}
