/** Bodies of requests → rows and changes of a store. The fast path reads bytes; anything unusual is parsed as JSON. */
import { AppError } from '../../base/errors.ts';
import { enrichEvent } from './enrich/enrich.ts';
import type { NormalIdentify } from '../event.ts';
import { eventTime } from './normalise/context.ts';
import { normaliseEvent } from './normalise/event.ts';
import { normaliseIdentify } from './normalise/identify.ts';
import { parseBatch, parseJson, parseObject, Unparsed } from './normalise/body.ts';
import type { RequestScope } from './request-scope.ts';
import type { RowBuilder } from './rows/row-builder.ts';
import type { Steps } from '../seal/errand.ts';
import { BatchScanner, type Step } from './scan/batch-scanner.ts';
import { scanEvent } from './scan/scan-event.ts';
import { space } from './scan/source.ts';
import { AHEAD, ScannedEvent } from './scan/scanned-event.ts';
import type { IpPolicy } from '../../base/project.ts';
import type { Locations } from './enrich/geo.ts';

/** The records of this thread. */
const scanned = Array.from({ length: AHEAD }, () => new ScannedEvent());
/** Those that are added. */
const added: ScannedEvent[] = [...scanned];
const times = new Float64Array(AHEAD);

/** Errors reported per request. */
const MAX_ERRORS = 20;

/** What became of a body. `errors`: the first rejected events, by index (in streams: line, from 0). */
export interface Taken {
  accepted: number;
  rejected: number;
  readonly errors: { index: number; error: string }[];
  /** Lines read, if it is a stream. */
  lines: number;
}

export interface IntakeOptions {
  readonly batchLimit: number; // events
  readonly lineLimit: number; // bytes
  readonly places: Locations | null;
}

export class Intake {
  readonly #options: IntakeOptions;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Reads the body of a POST /track. Throws AppError if the body as a whole is refused; the caller rolls back. */
  *takeBatch(bytes: Uint8Array, shard: Target, scope: RequestScope): Steps<Taken> {
    const job: Job = { shard, scope, taken: { accepted: 0, rejected: 0, errors: [], lines: 0 } };
    const scanner = new BatchScanner(bytes, this.#options.batchLimit);
    scope.setRoot(scanner.root);
    for (let index = 0; ;) {
      let count = 0;
      let step: Step;
      do {
        scanned[count]!.owner = shard.events.codes;
        step = scanner.next(scanned[count]!);
      } while (step === 'event' && ++count < AHEAD && scanned[count - 1]!.end - scanned[0]!.start < STEP);
      takeScanned(bytes, count, job);
      index += count;
      if (step === 'end') {
        scope.counts.rejected = job.taken.rejected;
        return job.taken;
      }
      const isBad =
        step === 'bad' ||
        (step === 'slow' && !(yield* this.#takeSlow(elementOf(bytes, scanned[count]!), index++, job)));
      if (isBad) return yield* this.#takeParsed(bytes, shard, scope);
      yield;
    }
  }

  /** Reads whole lines of an NDJSON stream. Blank lines count as lines but are otherwise ignored. */
  *takeLines(
    bytes: Uint8Array,
    kind: 'track_lines' | 'identify_lines',
    shard: Target,
    scope: RequestScope,
  ): Steps<Taken> {
    const { lineLimit } = this.#options;
    const taken = { accepted: 0, rejected: 0, errors: [], lines: 0 };
    const job: Job = { shard, scope, taken };
    for (let start = 0, next = 0; start < bytes.length; start = next) {
      if (start > 0) yield;
      next = passEmptyLines(bytes, start, taken);
      if (next > start) continue;
      next = kind === 'track_lines' ? this.#takeOrdinaryLines(bytes, start, job) : start;
      if (next > start) continue;
      const newline = bytes.indexOf(NEWLINE, start);
      const end = newline < 0 ? bytes.length : newline;
      const line = bytes.subarray(start, end);
      if (line.length - (line.at(-1) === RETURN ? 1 : 0) > lineLimit)
        tell(taken, taken.lines, `the line is longer than ${lineLimit.toLocaleString('en')} bytes`);
      else if (!isBlank(line))
        tell(
          taken,
          taken.lines,
          yield* kind === 'track_lines' ? this.#takeEvent(line, job) : this.#takeIdentifyLine(line, job),
        );
      next = end + 1;
      taken.lines++;
    }
    if (kind === 'track_lines') scope.counts.rejected = taken.rejected; // the usage counts events
    return taken;
  }

  /** Reads the body of a POST /identify. Throws AppError('bad_request') if it is not one. */
  *takeIdentify(bytes: Uint8Array, shard: Target, scope: RequestScope): Steps<void> {
    const sent = yield* parseObject(bytes, '{"user_id": …, "device_id": …, "user_properties": { … }}');
    const identify = normaliseIdentify(sent, scope.event);
    if ('error' in identify) throw new AppError('bad_request', `${identify.error}.`);
    takeIdentified(identify, shard, scope);
  }

  /** Adds the events of some lines that are one ordinary event each, if there are; returns the start of the line after them. */
  #takeOrdinaryLines(bytes: Uint8Array, start: number, job: Job): number {
    let next = start;
    let count = 0;
    for (; count < AHEAD && next < bytes.length && next - start < STEP; count++) {
      const after = this.#scanLine(bytes, next, scanned[count]!, job);
      if (after < 0) break;
      next = after;
    }
    takeScanned(bytes, count, job);
    job.taken.lines += count;
    return next;
  }

  /** Scans a line that is one ordinary event; returns the next line's start, or -1 for a line of another kind. */
  #scanLine(bytes: Uint8Array, start: number, out: ScannedEvent, { shard }: Job): number {
    space.newline = false;
    out.owner = shard.events.codes;
    let at = scanEvent(bytes, start, bytes.length, out);
    // An event may contain white space, a line no newline.
    if (at < 0 || space.newline || at - start > this.#options.lineLimit) return -1;
    while (at < bytes.length && bytes[at] !== NEWLINE) if (!isBlankByte(bytes[at++]!)) return -1;
    return at + 1;
  }

  /** Reads a line as JSON; returns why it is rejected. */
  *#takeEvent(line: Uint8Array, job: Job): Steps<string | null> {
    const value = yield* jsonOf(line);
    return value instanceof AppError ? value.message : this.#takeValue(value, job);
  }

  *#takeIdentifyLine(line: Uint8Array, { shard, scope }: Job): Steps<string | null> {
    const value = yield* jsonOf(line);
    const identify = value instanceof AppError ? { error: value.message } : normaliseIdentify(value, scope.event);
    if ('error' in identify) return identify.error;
    takeIdentified(identify, shard, scope);
    return null;
  }

  /** Adds an element that the scanner left to JSON.parse; false if it is not JSON, so the body is not either. */
  *#takeSlow(element: Uint8Array, index: number, job: Job): Steps<boolean> {
    const value = yield* jsonOf(element);
    if (value instanceof AppError) return false;
    tell(job.taken, index, this.#takeValue(value, job));
    return true;
  }

  /** Reads the body again from the start, as JSON. */
  *#takeParsed(bytes: Uint8Array, shard: Target, scope: RequestScope): Steps<Taken> {
    shard.restart();
    const { events, root } = yield* parseBatch(bytes, this.#options.batchLimit);
    const taken: Taken = { accepted: 0, rejected: 0, errors: [], lines: 0 };
    const job: Job = { shard, scope, taken };
    scope.setRoot(root);
    let index = 0;
    for (const event of events) {
      if (index > 0) yield;
      const value = event instanceof Unparsed ? yield* event.parsed() : event;
      tell(taken, index++, this.#takeValue(value, job));
    }
    scope.counts.rejected = taken.rejected;
    return taken;
  }

  /** Adds a parsed event; returns why it is rejected. */
  #takeValue(value: unknown, { shard, scope }: Job): string | null {
    const event = normaliseEvent(value, scope.event);
    if ('error' in event) return event.error;
    scope.counts.trimmed += event.valuesTrimmed;
    if (!scope.keeps(event.time, event.idsIgnored)) return null;
    const own = event.ip !== null || event.userAgent !== null;
    const options = { policy: shard.ipPolicy, places: this.#options.places };
    shard.events.addNormal(event, own ? enrichEvent(event, scope.context, options) : null, scope);
    return null;
  }
}

/** What takes the events and identifies of a body that are kept, in order. */
export type EventSink = Pick<RowBuilder, 'codes' | 'addScanned' | 'addNormal' | 'addIdentify'>;

export interface Target {
  readonly events: EventSink;
  readonly ipPolicy: IpPolicy;
  /** Drops the rows of the request so far. */
  restart(): void;
}

/** A body being read. */
interface Job {
  readonly shard: Target;
  readonly scope: RequestScope;
  readonly taken: Taken;
}

/** The bytes that the scanner left to JSON.parse. */
const elementOf = (bytes: Uint8Array, { start, end }: ScannedEvent): Uint8Array => bytes.subarray(start, end);

/** Adds the first `count` events that were scanned. */
function takeScanned(bytes: Uint8Array, count: number, { shard, scope, taken }: Job): void {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const event = scanned[i]!;
    const time = eventTime(event.time, scope.event);
    if (!scope.keeps(time, event.idsIgnored)) continue;
    added[kept] = event;
    times[kept++] = time;
  }
  shard.events.addScanned({ bytes, events: added, times, count: kept }, scope);
  taken.accepted += count;
}

function takeIdentified(identify: NormalIdentify, shard: Target, scope: RequestScope): void {
  scope.counts.trimmed += identify.valuesTrimmed;
  scope.counts.idsIgnored += identify.idsIgnored;
  shard.events.addIdentify(identify, scope);
}

const NEWLINE = 10;
const RETURN = 13;

/** Bytes per step, of at most AHEAD events: some twenty microseconds for most; a longer event is a step by itself. */
const STEP = 8_192;

/** Counts empty lines, a step's worth at most; returns the start of the line after them. */
function passEmptyLines(bytes: Uint8Array, start: number, taken: Taken): number {
  const until = Math.min(bytes.length, start + STEP);
  let next = start;
  while (next < until && bytes[next] === NEWLINE) next++;
  taken.lines += next - start;
  return next;
}

function tell(taken: Taken, index: number, error: string | null): void {
  if (error === null) {
    taken.accepted++;
    return;
  }
  taken.rejected++;
  if (taken.errors.length < MAX_ERRORS) taken.errors.push({ index, error });
}

/** The value, or the error that says why it is not JSON. */
function* jsonOf(bytes: Uint8Array): Steps<unknown> {
  try {
    return yield* parseJson(bytes, 'The line');
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const isBlankByte = (byte: number): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;
const isBlank = (bytes: Uint8Array): boolean => bytes.every(isBlankByte);
