/** Bodies of requests → rows and changes of a store. The fast path reads bytes; anything unusual is parsed as JSON. */
import { BYTE } from '../../base/text/byte.ts';
import { AppError } from '../../base/errors.ts';
import { enrichEvent } from './enrich/enrich.ts';
import { scannedTime, type BatchRoot } from './normalise/context.ts';
import { readJsonSource, type JsonSource, type ReadJson, type ReadResults } from './normalise/read-json-body.ts';
import type { EventWarning, Warning } from './normalise/remarks.ts';
import { SHORT } from './normalise/shallow.ts';
import type { NormalEvent, NormalIdentify } from '../event.ts';
import type { RequestScope } from './request-scope.ts';
import type { RowBuilder } from './rows/row-builder.ts';
import { elsewhere, type Steps } from '../steps.ts';
import { BatchScanner } from './scan/batch-scanner.ts';
import { scanEvent } from './scan/scan-event.ts';
import { ScannedEvent } from './scan/scanned-event.ts';
import type { Locations } from './enrich/geo.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

/** The event that this thread scans. */
const scanned = new ScannedEvent();

/** What became of a body. `errors` and `warnings`: the first, by index of the event (in streams: line, from 0). */
export interface BodyResult {
  accepted: number;
  rejected: number;
  readonly errors: { index: number; error: string }[];
  readonly warnings: EventWarning[];
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
  *takeBatch(bytes: Uint8Array, shard: ReadTarget, scope: RequestScope): Steps<BodyResult> {
    const job: Job = { shard, scope, taken: nothingTaken() };
    const scanner = new BatchScanner(bytes, this.#options.batchLimit);
    takeRoot(scanner.root, job);
    for (let index = 0, until = STEP; ; index++) {
      const step = scanner.next(scanned);
      if (step === 'end') break;
      if (step === 'event' && isInTime(scanned, scope)) takeScanned(bytes, job);
      else if (step === 'bad' || !(yield* this.#takeSlow(elementOf(bytes, scanned), index, job)))
        return yield* this.#takeParsed(bytes, shard, scope);
      if (scanned.end < until) continue;
      until = scanned.end + STEP;
      yield;
    }
    scope.counts.rejected = job.taken.rejected;
    return job.taken;
  }

  /** Reads whole lines of an NDJSON stream. Blank lines count as lines but are otherwise ignored. */
  *takeLines(
    bytes: Uint8Array,
    kind: 'track_lines' | 'identify_lines',
    shard: ReadTarget,
    scope: RequestScope,
  ): Steps<BodyResult> {
    const taken = nothingTaken();
    const job: Job = { shard, scope, taken };
    for (let start = 0, until = STEP; start < bytes.length; taken.lines++) {
      let next = kind === 'track_lines' ? this.#takeOrdinaryLine(bytes, start, job) : -1;
      if (next < 0) {
        const newline = bytes.indexOf(BYTE.lineFeed, start);
        const end = newline < 0 ? bytes.length : newline;
        if (end > start) yield* this.#takeLine(bytes.subarray(start, end), kind, job);
        next = end + 1;
      }
      start = next;
      if (start < until) continue;
      until = start + STEP;
      if (start < bytes.length) yield;
    }
    if (kind === 'track_lines') scope.counts.rejected = taken.rejected; // the usage counts events
    return taken;
  }

  /** Reads the body of a POST /identify. Throws AppError('bad_request') if it is not one. */
  *takeIdentify(bytes: Uint8Array, shard: ReadTarget, scope: RequestScope): Steps<BodyResult> {
    const job: Job = { shard, scope, taken: nothingTaken() };
    const error = takeIdentified(yield* read<'identify_body'>({ kind: 'identify_body', bytes, context: scope.event }), 0, job); // prettier-ignore
    if (error !== null) throw new AppError('bad_request', `${error}.`);
    tell(job.taken, 0, null);
    return job.taken;
  }

  /** Adds the event of a line that is one ordinary event; returns the next line's start, or -1 for a line of another kind. */
  #takeOrdinaryLine(bytes: Uint8Array, start: number, job: Job): number {
    let at = scanEvent(bytes, start, bytes.length, scanned, true);
    if (at < 0 || at - start > this.#options.lineLimit || !isInTime(scanned, job.scope)) return -1;
    while (at < bytes.length && bytes[at] !== BYTE.lineFeed) if (!isBlankByte(bytes[at++]!)) return -1;
    takeScanned(bytes, job);
    return at + 1;
  }

  /** Reads a line of another kind. */
  *#takeLine(line: Uint8Array, kind: 'track_lines' | 'identify_lines', job: Job): Steps<void> {
    const { lineLimit } = this.#options;
    const { lines } = job.taken;
    if (line.length - (line.at(-1) === BYTE.return ? 1 : 0) > lineLimit)
      tell(job.taken, lines, `the line is longer than ${lineLimit.toLocaleString('en')} bytes`);
    else if (!line.every(isBlankByte))
      tell(
        job.taken,
        lines,
        yield* kind === 'track_lines' ? this.#takeEventLine(line, job) : takeIdentifyLine(line, job),
      );
  }

  /** Returns why it is rejected. */
  *#takeEventLine(bytes: Uint8Array, job: Job): Steps<string | null> {
    const event = yield* readPart<'event'>({ kind: 'event', bytes, context: job.scope.event });
    return event instanceof AppError ? event.message : this.#takeNormal(event, job.taken.lines, job);
  }

  /** Adds an element that the scanner left to JSON.parse; false if it is not JSON, so the body is not either. */
  *#takeSlow(bytes: Uint8Array, index: number, job: Job): Steps<boolean> {
    const event = yield* readPart<'event'>({ kind: 'event', bytes, context: job.scope.event });
    if (event instanceof AppError) return false;
    tell(job.taken, index, this.#takeNormal(event, index, job));
    return true;
  }

  /** Reads the body again from the start, as JSON. */
  *#takeParsed(bytes: Uint8Array, shard: ReadTarget, scope: RequestScope): Steps<BodyResult> {
    shard.restart();
    const { context } = scope;
    const body = { kind: 'batch', bytes, context, project: scope.project, most: this.#options.batchLimit } as const;
    const { events, root } = yield* read<'batch'>(body);
    const taken = nothingTaken();
    const job: Job = { shard, scope, taken };
    takeRoot(root, job);
    for (const [index, event] of events.entries()) {
      if (index > 0) yield;
      tell(taken, index, this.#takeNormal(event, index, job));
    }
    scope.counts.rejected = taken.rejected;
    return taken;
  }

  /** Adds a parsed event; returns why it is rejected. */
  #takeNormal(
    { value: event, remarks }: ReadJson<NormalEvent>,
    index: number,
    { shard, scope, taken }: Job,
  ): string | null {
    if ('error' in event) return event.error;
    scope.count(remarks);
    warn(taken, index, remarks.warnings);
    if (!scope.keeps(event.time)) return null;
    const options = { policy: scope.project.ipPolicy, places: this.#options.places };
    shard.events.addNormal(event, enrichEvent(event, scope.context, options), scope);
    return null;
  }
}

/** What takes the events and identifies of a body that are kept, in order. */
export type EventSink = Pick<RowBuilder, 'addScanned' | 'addNormal' | 'addIdentify'>;

export interface ReadTarget {
  readonly events: EventSink;
  /** Drops the rows of the request so far. */
  restart(): void;
}

/** A body being read. */
interface Job {
  readonly shard: ReadTarget;
  readonly scope: RequestScope;
  readonly taken: BodyResult;
}

/** The bytes that the scanner left to JSON.parse. */
const elementOf = (bytes: Uint8Array, { start, end }: ScannedEvent): Uint8Array => bytes.subarray(start, end);

/** Adds the event that was scanned. */
function takeScanned(bytes: Uint8Array, { shard, scope, taken }: Job): void {
  scope.counts.idsIgnored += scanned.idsIgnored;
  taken.accepted++;
  scanned.time = scannedTime(scanned.time, scope.event);
  if (scope.keeps(scanned.time)) shard.events.addScanned(bytes, scanned, scope);
}

/** Whether its time needs no remark. */
const isInTime = (event: ScannedEvent, scope: RequestScope): boolean =>
  !Number.isNaN(scannedTime(event.time, scope.event));

function takeRoot(root: BatchRoot, { scope, taken }: Job): void {
  scope.setRoot(root);
  const { clockIgnored } = scope.event;
  if (clockIgnored === null) return;
  const sent = root.sentAt === null || Number.isNaN(root.sentAt) ? null : new Date(root.sentAt).toISOString();
  const message = `${clockIgnored}; the times of the events were not corrected by it`;
  taken.warnings.push({ index: null, field: 'sent_at', message, sent });
}

function* takeIdentifyLine(bytes: Uint8Array, job: Job): Steps<string | null> {
  const identify = yield* readPart<'identify'>({ kind: 'identify', bytes, context: job.scope.event });
  return identify instanceof AppError ? identify.message : takeIdentified(identify, job.taken.lines, job);
}

/** Adds a parsed identify; returns why it is rejected. */
function takeIdentified(
  { value: identify, remarks }: ReadJson<NormalIdentify>,
  index: number,
  { shard, scope, taken }: Job,
): string | null {
  if ('error' in identify) return identify.error;
  scope.count(remarks);
  warn(taken, index, remarks.warnings);
  shard.events.addIdentify(identify, scope);
  return null;
}

/** Reads JSON: what is large on the store thread, where nobody waits for it. */
function* read<Kind extends JsonSource['kind']>(
  source: Extract<JsonSource, { readonly kind: Kind }>,
): Steps<ReadResults[Kind]> {
  const found = source.bytes.length <= SHORT ? readJsonSource(source) : yield* readElsewhere(source);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `readJsonSource` makes of a source of this kind
  return found as ReadResults[Kind];
}

/** With a copy: of a part of a body the other thread would get the whole. */
const readElsewhere = (source: JsonSource): Steps<ReadResults[JsonSource['kind']]> =>
  elsewhere<'read_json'>({ op: 'read_json', source: { ...source, bytes: new Uint8Array(source.bytes) } });

/** The event or identify, or the error that says why the bytes are not JSON. */
function* readPart<Kind extends 'event' | 'identify'>(
  source: Extract<JsonSource, { readonly kind: Kind }>,
): Steps<ReadResults[Kind] | AppError> {
  try {
    return yield* read<Kind>(source);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Bytes per step: some twenty microseconds for most; a longer event is a step by itself. */
const STEP = 4_096;

function tell(taken: BodyResult, index: number, error: string | null): void {
  if (error === null) {
    taken.accepted++;
    return;
  }
  taken.rejected++;
  if (taken.errors.length < MOST_TOLD) taken.errors.push({ index, error });
}

function warn(taken: BodyResult, index: number, warnings: readonly Warning[]): void {
  for (const warning of warnings.slice(0, MOST_TOLD - taken.warnings.length))
    taken.warnings.push({ index, ...warning });
}

const nothingTaken = (): BodyResult => ({ accepted: 0, rejected: 0, errors: [], warnings: [], lines: 0 });

const isBlankByte = (byte: number): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;
