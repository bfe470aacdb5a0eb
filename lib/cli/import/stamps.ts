/** Ids that make a second import of the same records store nothing. */
import { hash } from 'node:crypto';
import { isNothing } from '../track/insert-id.ts';

/** Counters of a row. */
const COUNTERS = 1 << 21;
const ROWS = 4;
/** Characters of an id, of six bits each. */
const ID_LENGTH = 24;

/** Writes events as JSON with the import's id, and an insert id where they have none: the same in every run. */
export class Stamps {
  readonly #member: string;
  readonly #counts = new Occurrences();

  constructor(importId: string) {
    this.#member = `"import_id":${JSON.stringify(importId)}}`;
  }

  /** @param given An event; the id of another import is no part of it. */
  json(given: Readonly<Record<string, unknown>>): string {
    const event = given['import_id'] === undefined ? given : without(given);
    const text = JSON.stringify(event);
    const open = text.slice(0, -1);
    if (!isNothing(event['insert_id'])) return `${open},${this.#member}`;
    const digest = Buffer.from(hash('sha256', text, 'hex'), 'hex');
    const before = this.#counts.add(digest);
    const id = digest.toString('base64url').slice(0, ID_LENGTH);
    return `${open},"insert_id":"${before === 0 ? id : `${id}-${before}`}",${this.#member}`;
  }
}

function without(event: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'import_id'));
}

/**
 * Counts equal texts by their hashes, in memory that does not grow: each has a counter in every row, which it shares with others, and
 * the least of them is the count. It is never the same for two equal texts, and, but for some of many millions, exact.
 */
class Occurrences {
  #rows: Uint32Array | null = null;

  /** How many there were before. */
  add(digest: Buffer): number {
    const rows = (this.#rows ??= new Uint32Array(ROWS * COUNTERS));
    let least = Infinity;
    for (let row = 0; row < ROWS; row++) {
      const at = row * COUNTERS + (digest.readUInt32LE(row * 4) & (COUNTERS - 1));
      least = Math.min(least, rows[at]!++);
    }
    return least;
  }
}
