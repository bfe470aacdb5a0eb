import type { TextList } from '../segment/encoding/texts.ts';

/** Somebody who has a list while it is among the recent ones. */
export interface ListHolder {
  list: TextList | null;
  /** The list was used since it was last looked at. */
  used: boolean;
}

/** What a text takes in a list besides its bytes. */
const ENTRY_BYTES = 5;

/**
 * Decoded texts that were used lately, bounded in bytes: what was not used since the last round goes first (a clock). Holders
 * have their lists without asking here. A WeakRef would keep every list that is looked at until the query ends.
 */
export class RecentLists {
  readonly #most: number;
  #holders: ListHolder[] = [];
  /** Where the clock stands. */
  #hand = 0;
  #bytes = 0;

  /** @param most Bytes. One list may be larger: it is kept until the next. */
  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Gives a holder its list. */
  keep(holder: ListHolder, list: TextList): void {
    this.#bytes += bytesOf(list);
    while (this.#bytes > this.#most && this.#holders.length > 0) this.#turn();
    holder.list = list;
    holder.used = false;
    this.#holders.splice(this.#hand, 0, holder); // its turn is when all others have had theirs
    this.#hand++;
  }

  /** Takes the lists of some holders away. */
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

const bytesOf = ({ count, bytes }: TextList): number => bytes.length + count * ENTRY_BYTES;
