import { bytesOfList, type TextList } from '../segment/encoding/texts.ts';

/** Holds a list as long as that is among the recent ones. */
export interface ListHolder {
  list: TextList | null;
  /** Whether the list was used since the clock last passed it. */
  used: boolean;
}

/** What a list takes besides its buffers: three arrays and a view, with what the runtime keeps of each. */
const LIST_BYTES = 1 << 10;

/**
 * Recently used decoded texts, bounded in bytes; evicts what was not used since the last round (a clock). Holders use their lists
 * without asking here. WeakRefs would keep every list that was used until the query ends.
 */
export class RecentLists {
  readonly #most: number;
  #holders: ListHolder[] = [];
  /** The position of the clock. */
  #hand = 0;
  #bytes = 0;

  /** @param most Bytes. A single list may be larger: it is kept until the next. */
  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  keep(holder: ListHolder, list: TextList): void {
    this.#bytes += bytesOf(list);
    while (this.#bytes > this.#most && this.#holders.length > 0) this.#turn();
    holder.list = list;
    holder.used = false;
    this.#holders.splice(this.#hand, 0, holder); // the clock reaches it last
    this.#hand++;
  }

  /** Drops the lists of some holders. */
  forget(holders: ReadonlySet<ListHolder>): void {
    const before = this.#holders.slice(0, this.#hand).filter((holder) => !holders.has(holder)).length;
    this.#holders = this.#holders.filter((holder) => !holders.has(holder));
    this.#hand = before;
    for (const holder of holders) this.#drop(holder);
  }

  #turn(): void {
    if (this.#hand >= this.#holders.length) this.#hand = 0;
    const holder = this.#holders[this.#hand]!;
    if (holder.used) {
      holder.used = false;
      this.#hand++;
      return;
    }
    this.#holders.splice(this.#hand, 1);
    this.#drop(holder);
  }

  #drop(holder: ListHolder): void {
    if (holder.list) this.#bytes -= bytesOf(holder.list);
    holder.list = null;
  }
}

const bytesOf = (list: TextList): number => LIST_BYTES + bytesOfList(list);
