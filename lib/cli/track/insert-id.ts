/** Ids that make retries safe: the server stores only one event with each. */
import { randomUUID } from 'node:crypto';
import { NO_ID } from '../../base/no-id.ts';

/** Characters. */
export const LONGEST_NOTHING = '[object Object]'.length;

/** Whether the server takes an insert id with this value as missing. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && NO_ID.has(value));
}

const HEX = Buffer.from('0123456789abcdef');
const COUNTED = 8; // hexadecimal digits

/** Ids for many events: a random one whose last digits count. They cost less than random ones, here and in the service. */
export class InsertIds {
  readonly #member = Buffer.from(`,"insert_id":"${randomUUID()}"`);
  #count = 0;

  /** Writes a further member of an object, with a new id. Returns the offset after it. */
  write(into: Buffer, at: number): number {
    const end = at + this.#member.copy(into, at);
    let rest = this.#count++;
    for (let digit = 1; digit <= COUNTED; digit += 1, rest >>>= 4) into[end - 1 - digit] = HEX[rest & 15]!;
    return end;
  }
}
