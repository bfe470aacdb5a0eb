/** When users were first and last seen. Most questions about profiles do not ask, so events are read when somebody does. */
import { codeSize } from '../../primitives/columns.ts';
import { addressOfArray, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { Profile, Segment } from '../shard-reader.ts';

export class SeenTimes {
  readonly #segments: readonly Segment[];
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  #areRead = false;

  /** @param size Users are below this. */
  constructor(segments: readonly Segment[], size: number) {
    this.#segments = segments;
    this.#first = new Float64Array(size).fill(Infinity);
    this.#last = new Float64Array(size).fill(-Infinity);
  }

  /** Adds what is known besides the segments. */
  add(user: number, first: number, last: number): void {
    this.#first[user] = Math.min(this.#first[user]!, first);
    this.#last[user] = Math.max(this.#last[user]!, last);
  }

  first(user: number): number {
    this.#read();
    return this.#first[user]!;
  }

  last(user: number): number {
    this.#read();
    return this.#last[user]!;
  }

  #read(): void {
    if (this.#areRead) return;
    for (const segment of this.#segments) this.#seeEvents(segment);
    this.#areRead = true;
  }

  #seeEvents(segment: Segment): void {
    const users = segment.column('user_id')?.codes;
    if (!users) return;
    const [first, last] = [this.#first, this.#last];
    const times = segment.times();
    for (let row = 0; row < segment.rows; row++) {
      const user = users[row]!;
      const time = times[row]!;
      if (user === 0) continue;
      if (time < first[user]!) first[user] = time;
      if (time > last[user]!) last[user] = time;
    }
  }
}

/** A profile that knows its times once they are asked. */
export class LazyProfile implements Profile {
  readonly person: number;
  readonly properties: Profile['properties'];
  readonly #times: SeenTimes;

  constructor(person: number, properties: Profile['properties'], times: SeenTimes) {
    this.person = person;
    this.properties = properties;
    this.#times = times;
  }

  get firstSeen(): number {
    return this.#times.first(this.person);
  }

  get lastSeen(): number {
    return this.#times.last(this.person);
  }
}

/** How many rows each user has, below `size`. Plain form: `counts[users[row]]++`. */
export function rowsOfUsers(segments: readonly Segment[], size: number): Uint32Array {
  const counts = rooms.counts.of(size * 4);
  wordsAt(counts, size).fill(0);
  for (const segment of segments) {
    const users = segment.column('user_id')?.codes;
    if (users) primitives.countCodes(addressOfArray(users, rooms.users), codeSize(users), users.length, counts, 0);
  }
  return new Uint32Array(wordsAt(counts, size));
}

const rooms = { counts: new Scratch(), users: new Scratch() };
