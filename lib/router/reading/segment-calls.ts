/** Calls of libraries that speak the protocol of Segment → bodies of /track and /identify. Pure: it runs in a thread for reading. */
import { AppError } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readTime } from '../../base/read-time.ts';
import { meaningOf, MESSAGES, type Message } from '../../base/segment-message.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';
import { MOST_TOLD } from '../../base/text/shown.ts';

export const CALLS = [...MESSAGES, 'batch', 'import'] as const;
export type SegmentCall = (typeof CALLS)[number];

export interface SegmentBody {
  readonly call: SegmentCall;
  /** The JSON of the body. */
  readonly body: Uint8Array;
  /** Whether the key is that of a server, which may say where its client is. */
  readonly trusted: boolean;
  /** Messages of a batch. */
  readonly most: number;
  /** When it arrived, milliseconds since the epoch. */
  readonly receivedAt: number;
}

export interface Translated {
  /** A body of /track; null: there are no events. */
  readonly track: Uint8Array<ArrayBuffer> | null;
  /** Bodies of /identify, a line each; null: there are none. */
  readonly identify: Uint8Array<ArrayBuffer> | null;
  /** Of each event, and of each identify, the index of its message. */
  readonly events: readonly number[];
  readonly identifies: readonly number[];
  /** What is not stored of messages, and why: the first of them. */
  readonly told: readonly { readonly index: number; readonly message: string }[];
  /** How many messages are not stored at all. */
  readonly refused: number;
}

/** Throws AppError 400 for what is no such call at all. */
export function translate({ call, body, trusted, most, receivedAt }: SegmentBody): Translated {
  const root = readBody(body);
  const messages = messagesOf(root, call, most);
  const sentAt = root['sentAt'] ?? messages[0]?.['sentAt'];
  const translation = new Translation({ trusted, isDated: isRight(sentAt, receivedAt) });
  for (const [index, message] of messages.entries()) translation.add(message, index);
  return translation.end(sentAt);
}

/** Milliseconds that a body may be on its way. */
const ON_THE_WAY = 150_000;

/** Whether the clock by which a body was sent is right, as far as it says. Times of events are corrected by it where they are read. */
function isRight(sentAt: unknown, receivedAt: number): boolean {
  const sent = isTime(sentAt) ? readTime(sentAt) : null;
  return sent === null || Math.abs(receivedAt - sent) <= ON_THE_WAY;
}

function readBody(body: Uint8Array): Message {
  let read: unknown;
  try {
    read = readJsonWithDigits(new TextDecoder().decode(body), (digits) => digits);
  } catch {
    throw new AppError('bad_request', 'The body is not JSON.');
  }
  if (!isRecord(read)) throw new AppError('bad_request', 'The body must be an object.');
  return read;
}

function messagesOf(root: Message, call: SegmentCall, most: number): readonly Message[] {
  if (call !== 'batch' && call !== 'import') return [{ ...root, type: call }];
  const { batch, context } = root;
  if (!Array.isArray(batch)) throw new AppError('bad_request', 'A batch is an object with a list "batch".');
  if (batch.length > most)
    throw new AppError('bad_request', `The batch has more than ${most.toLocaleString('en')} messages.`, {
      hints: ['Send smaller batches.'],
    });
  const shared = isRecord(context) ? context : {};
  return batch.map((message: unknown) =>
    isRecord(message)
      ? { ...message, context: { ...shared, ...(isRecord(message['context']) && message['context']) } }
      : {},
  );
}

interface Numbered {
  readonly index: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

class Translation {
  readonly #believed: Parameters<typeof meaningOf>[1];
  readonly #events: Numbered[] = [];
  readonly #identifies: Numbered[] = [];
  readonly #told: { readonly index: number; readonly message: string }[] = [];
  #refused = 0;

  constructor(believed: Parameters<typeof meaningOf>[1]) {
    this.#believed = believed;
  }

  end(sentAt: unknown): Translated {
    const batch = { events: this.#events.map(({ fields }) => fields), ...(isTime(sentAt) && { sent_at: sentAt }) };
    const lines = this.#identifies.map(({ fields }) => `${JSON.stringify(fields)}\n`).join('');
    return {
      track: this.#events.length === 0 ? null : new TextEncoder().encode(JSON.stringify(batch)),
      identify: lines === '' ? null : new TextEncoder().encode(lines),
      events: this.#events.map(({ index }) => index),
      identifies: this.#identifies.map(({ index }) => index),
      told: this.#told,
      refused: this.#refused,
    };
  }

  add(message: Message, index: number): void {
    const meaning = meaningOf(message, this.#believed);
    if ('refused' in meaning) return this.#refuse(index, meaning.refused);
    if ('event' in meaning) return void this.#events.push({ index, fields: meaning.event });
    this.#identifies.push({ index, fields: meaning.identify });
    if (meaning.told !== undefined) this.#tell(index, meaning.told);
  }

  #refuse(index: number, message: string): void {
    this.#refused++;
    this.#tell(index, message);
  }

  #tell(index: number, message: string): void {
    if (this.#told.length < MOST_TOLD) this.#told.push({ index, message });
  }
}

const isTime = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
