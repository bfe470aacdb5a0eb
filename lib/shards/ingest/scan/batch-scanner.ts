/** Walks the events of a batch body `{"events": [ … ]}` without parsing it as a whole. */
import { BYTE } from '../../../base/text/byte.ts';
import { type BatchRoot, batchRoot, NO_ROOT } from '../normalise/context.ts';
import { SHORT } from '../normalise/shallow.ts';
import type { ScannedEvent } from './scanned-event.ts';
import { scanEvent } from './scan-event.ts';
import { skipSpace, skipValue } from './json-bytes.ts';
import { readJson } from '../../../base/text/read-json.ts';

/**
 * - `event`: an ordinary event is in `out`.
 * - `slow`: the element [out.start, out.end) is for JSON.parse. It need not be an event or even JSON: if it does not parse, the
 *   whole body is not JSON.
 * - `end`: every element was returned, and the body was complete.
 * - `bad`: the body is odd or broken here, or is one event instead of a batch. Discard everything returned before: parsing the
 *   whole body (`parseBatch`) decides what it is or what is wrong with it. So keep nothing for good before `end`.
 */
export type Step = 'event' | 'slow' | 'end' | 'bad';

/**
 * Reads bodies in which `events` is an array of at most `maxEvents` elements and the last member of the root; other members
 * (`sent_at`, `origin`, …) may precede it. Every other body is `bad`, which only costs time.
 */
export class BatchScanner {
  /** From the members before `events`. */
  root: BatchRoot = NO_ROOT;
  readonly #maxEvents: number;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  #events = 0;

  constructor(bytes: Uint8Array, maxEvents: number) {
    this.#bytes = bytes;
    this.#maxEvents = maxEvents;
    this.#end = bytes.length;
    this.#at = this.#open();
  }

  /** The next element. Not to be called after `end` or `bad`. */
  next(out: ScannedEvent): Step {
    const bytes = this.#bytes;
    if (this.#at < 0) return 'bad';
    let at = skipSpace(bytes, this.#at);
    if (this.#events > 0 && bytes[at] === BYTE.comma) at = skipSpace(bytes, at + 1);
    else if (bytes[at] === BYTE.closeArray) return this.#close(at + 1) ? 'end' : this.#fail();
    else if (this.#events > 0) return this.#fail();
    if (++this.#events > this.#maxEvents) return this.#fail();
    const after = scanEvent(bytes, at, this.#end, out);
    if (after >= 0) {
      this.#at = after;
      return 'event';
    }
    out.start = at;
    out.end = skipValue(bytes, at, this.#end);
    this.#at = out.end;
    return out.end < 0 ? 'bad' : 'slow';
  }

  #fail(): Step {
    this.#at = -1;
    return 'bad';
  }

  /** Offset after the bracket of `"events": [`, or -1. Sets `root`. */
  #open(): number {
    const bytes = this.#bytes;
    const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    const brace = skipSpace(bytes, bom ? 3 : 0);
    if (bytes[brace] !== BYTE.openObject) return -1;
    let before = brace + 1; // end of the members before this one
    let at = skipSpace(bytes, before);
    for (;;) {
      if (bytes[at] !== BYTE.quote) return -1;
      const keyEnd = skipValue(bytes, at, this.#end);
      if (keyEnd < 0) return -1;
      const colon = skipSpace(bytes, keyEnd);
      if (bytes[colon] !== BYTE.colon) return -1;
      const value = skipSpace(bytes, colon + 1);
      if (EVENTS.equals(bytes.subarray(at, keyEnd)))
        return bytes[value] === BYTE.openArray && this.#readRoot(brace, before) ? value + 1 : -1;
      before = skipValue(bytes, value, this.#end);
      if (before < 0) return -1;
      const comma = skipSpace(bytes, before);
      if (bytes[comma] !== BYTE.comma) return -1;
      at = skipSpace(bytes, comma + 1);
    }
  }

  /** Parses the members [brace, end) of the root; false if they are many, not JSON, or contain `events` in another spelling. */
  #readRoot(brace: number, end: number): boolean {
    if (end === brace + 1) return true;
    if (end - brace > SHORT) return false;
    const members = parseMembers(Buffer.concat([this.#bytes.subarray(brace, end), Buffer.from('}')]));
    if (members === null || Object.hasOwn(members, 'events')) return false;
    this.root = batchRoot(members);
    return true;
  }

  /** Whether only the root's brace and white space follow. */
  #close(at: number): boolean {
    const brace = skipSpace(this.#bytes, at);
    return this.#bytes[brace] === BYTE.closeObject && skipSpace(this.#bytes, brace + 1) === this.#end;
  }
}

const EVENTS = Buffer.from('"events"');

function parseMembers(bytes: Uint8Array): object | null {
  try {
    const members: unknown = readJson(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    return typeof members === 'object' ? members : null;
  } catch {
    return null; // then the whole body is parsed, and its error reported
  }
}
