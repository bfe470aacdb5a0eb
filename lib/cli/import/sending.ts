/** Bodies of an import on their way: several at a time, none of them forgotten. */
import type { ApiClient } from '../client/api-client.ts';
import type { LineReport } from '../track/line-tally.ts';
import { sendEvents, sendIdentifies, type TrackAnswer } from '../track/send-events.ts';

/** Events of a body; the server takes 2,000. */
const MOST_EVENTS = 1_000;
/** Characters of a body, which the next record may exceed: the server takes 5 MiB. */
const FULL = 1_048_576;
/** Bodies in flight. */
const MOST_FLIGHTS = 4;

/** Records, in order, as bodies. */
class Batch {
  readonly events: string[] = [];
  readonly eventLines: number[] = [];
  readonly identifies: string[] = [];
  readonly identifyLines: number[] = [];
  #size = 0;

  add(json: string, line: number, kind: 'event' | 'identify'): void {
    this.#size += json.length;
    (kind === 'event' ? this.events : this.identifies).push(json);
    (kind === 'event' ? this.eventLines : this.identifyLines).push(line);
  }

  get isFull(): boolean {
    return this.events.length >= MOST_EVENTS || this.identifies.length >= MOST_EVENTS || this.#size >= FULL;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }
}

interface Flight {
  /** Records that were whole before it. */
  readonly before: number;
  readonly landed: Promise<void>;
}

export class Sending {
  readonly #api: ApiClient;
  readonly #report: LineReport;
  readonly #onLanded: () => void;
  readonly #flights = new Set<Flight>();
  #batch = new Batch();
  /** Records that are whole in what was dispatched, and with the present batch. */
  #dispatched = 0;
  #whole = 0;
  #failure: { readonly error: unknown } | null = null;
  accepted = 0;
  rejected = 0;

  constructor(api: ApiClient, report: LineReport, onLanded: () => void) {
    this.#api = api;
    this.#report = report;
    this.#onLanded = onLanded;
  }

  /** Records of which all is stored: nothing of them need be sent again. Those that failed stay outside. */
  get done(): number {
    let done = this.#dispatched;
    for (const { before } of this.#flights) done = Math.min(done, before);
    return done;
  }

  /** Records that need not be sent. */
  skip(): void {
    this.#whole++;
    if (this.#batch.isEmpty) this.#dispatched = this.#whole;
  }

  /** Adds a whole record. Resolves when there is room for the next; rejects with what ended an earlier body. */
  async add(events: readonly string[], identifies: readonly string[], line: number): Promise<void> {
    let left = events.length + identifies.length;
    if (left === 0) this.#whole++;
    for (const [kind, texts] of [
      ['event', events],
      ['identify', identifies],
    ] as const)
      for (const json of texts) {
        this.#batch.add(json, line, kind);
        if (--left === 0) this.#whole++;
        if (this.#batch.isFull) await this.#dispatch();
      }
  }

  /** Sends what is left. Rejects with what ended a body. */
  async end(): Promise<void> {
    if (!this.#batch.isEmpty) await this.#dispatch();
    await this.settled();
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#flights].map(({ landed }) => landed));
  }

  async #dispatch(): Promise<void> {
    while (this.#flights.size >= MOST_FLIGHTS && this.#failure === null)
      await Promise.race([...this.#flights].map(({ landed }) => landed)).catch(() => undefined);
    if (this.#failure !== null) throw this.#failure.error;
    const batch = this.#batch;
    const before = this.#dispatched;
    this.#batch = new Batch();
    // The record that filled it may go on in the next.
    this.#dispatched = this.#whole;
    const landed = this.#send(batch).then(() => {
      this.#flights.delete(flight);
      this.#onLanded();
    });
    const flight: Flight = { before, landed };
    this.#flights.add(flight);
    landed.catch((error: unknown) => void (this.#failure ??= { error }));
  }

  async #send({ events, eventLines, identifies, identifyLines }: Batch): Promise<void> {
    if (identifies.length > 0)
      this.#count(await sendIdentifies(this.#api, identifies.join('\n'), 'patient'), identifyLines, 'identify');
    if (events.length === 0) return;
    const body = `{"events":[${events.join(',')}]}`;
    this.#count(await sendEvents(this.#api, body, 'patient', { strict: false }), eventLines, 'event');
  }

  #count(answer: TrackAnswer, lines: readonly number[], kind: 'event' | 'identify'): void {
    if (kind === 'event') this.accepted += answer.accepted;
    this.rejected += answer.rejected;
    const last = lines.at(-1) ?? 0;
    this.#report.add(answer, (index) => lines[index] ?? last, last);
  }
}
