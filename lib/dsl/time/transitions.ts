/** The offsets of one zone over time, read from Intl and kept in chunks of equal length. */
import { DAY_MS, SECOND_MS } from '../../base/day.ts';

/** No zone's clocks were ever set by more, nor does one show a time further from UTC. */
export const LARGEST_SHIFT: number = DAY_MS * 2;
/** Before 1800 every zone has its first offset: the IANA database begins later. */
const FIRST = Date.UTC(1800, 0, 1);
/** After 2200 the rules of every zone repeat with the calendar, whose cycle is 400 years (whole weeks). */
const FOLD_FROM = Date.UTC(2200, 0, 1);
const CYCLE = 146_097 * DAY_MS;
/** About 13 months: most chunks have two or three stretches, so a scan finds the right one. */
const CHUNK = 400 * DAY_MS;
/** Shorter than the time between any two transitions that cancel each other out. */
const PROBE = DAY_MS;

/** `[start, end)` during which the offset does not change. Neighbours may have the same offset. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** Milliseconds to add to UTC. */
  readonly offset: number;
}

interface Chunk {
  /** Starts of the stretches, ascending; the first is the chunk's own. */
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

export class TransitionTable {
  readonly name: string;
  readonly #clock: Intl.DateTimeFormat;
  readonly #chunks: (Chunk | undefined)[] = [];

  /** @param name A canonical name in Intl. */
  constructor(name: string) {
    this.name = name;
    this.#clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Milliseconds to add to UTC. */
  offsetAt(ms: number): number {
    const moment = ms - foldOf(ms);
    const chunk = this.#chunkOf(chunkIndex(moment));
    return chunk.offsets[stretchIndex(chunk, moment)]!;
  }

  stretchAt(ms: number): Stretch {
    const fold = foldOf(ms);
    const moment = ms - fold;
    const index = chunkIndex(moment);
    const chunk = this.#chunkOf(index);
    const at = stretchIndex(chunk, moment);
    const start = chunk.starts[at]!;
    const end = chunk.starts[at + 1] ?? FIRST + (index + 1) * CHUNK;
    return {
      start: index === 0 && at === 0 ? -Infinity : Math.max(start, fold > 0 ? FOLD_FROM : start) + fold,
      end: Math.min(end, FOLD_FROM + CYCLE) + fold,
      offset: chunk.offsets[at]!,
    };
  }

  #chunkOf(index: number): Chunk {
    return (this.#chunks[index] ??= this.#search(FIRST + index * CHUNK, FIRST + (index + 1) * CHUNK));
  }

  /** All stretches of `[from, to)`: probes for another offset, then bisects to the second at which it began. */
  #search(from: number, to: number): Chunk {
    const starts = [from];
    const offsets = [this.#readOffset(from)];
    let low = from;
    let offset = offsets[0]!;
    while (low < to) {
      const high = Math.min(low + PROBE, to - SECOND_MS);
      if (high <= low) break;
      if (this.#readOffset(high) === offset) {
        low = high;
        continue;
      }
      low = this.#firstOther(low, high, offset);
      offset = this.#readOffset(low);
      starts.push(low);
      offsets.push(offset);
    }
    return { starts, offsets };
  }

  /** The first second in `(low, high]` with another offset; `high` has one. */
  #firstOther(low: number, high: number, offset: number): number {
    let same = low / SECOND_MS;
    let other = high / SECOND_MS;
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.#readOffset(middle * SECOND_MS) === offset) {
        same = middle;
      } else {
        other = middle;
      }
    }
    return other * SECOND_MS;
  }

  /** @param ms A whole second. */
  #readOffset(ms: number): number {
    const parts = this.#clock.format(ms).split(/\D+/);
    const [month, day, year, hour, minute, second] = parts.map(Number);
    return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - ms;
  }
}

/** How much to subtract from a moment to get one with the same rules between 2200 and 2600; 0 before 2200. */
function foldOf(ms: number): number {
  return ms < FOLD_FROM ? 0 : Math.floor((ms - FOLD_FROM) / CYCLE) * CYCLE;
}

function chunkIndex(moment: number): number {
  return moment < FIRST ? 0 : Math.floor((moment - FIRST) / CHUNK);
}

function stretchIndex(chunk: Chunk, moment: number): number {
  let at = chunk.starts.length - 1;
  while (at > 0 && chunk.starts[at]! > moment) at--;
  return at;
}
