/**
 * Sends the items of a queue to the server, in order, one request at a time. Only an answer removes an item from the queue: what
 * is sent twice has one insert id, and the server counts it once.
 */
import type { Kind, Queue, Request } from './item.ts';
import { nextRequest } from './item.ts';
import type { Answer } from './verdict.ts';
import { DONE, isTaken, LATER, NEVER, SMALLER, verdictOf } from './verdict.ts';

/** Sends a body; never rejects. `outlives`: the request must outlive the page. */
export type Post = (kind: Kind, body: string, outlives: boolean) => Promise<Answer>;

export interface DeliveryOptions {
  readonly queue: Queue;
  readonly post: Post;
  /** Whether anything may be sent now. */
  readonly allowed: () => boolean;
  /** Called for unsuccessful answers, with the number of items concerned. */
  readonly onTrouble: (status: number, items: number) => void;
  /** Events per request; 50 by default. */
  readonly batch?: number;
  /** Called with timers: waiting need not keep a process alive. */
  readonly onTimer?: (timer: ReturnType<typeof setTimeout>) => void;
}

export interface Delivery {
  /** Call this after adding to the queue. */
  added(): void;
  /** Sends now. Resolves when the queue is empty or it has to wait. */
  flush(): Promise<void>;
  /** Sends what it can in requests that outlive the page. */
  spill(): void;
}

/** Most events of a request, and most bytes. */
const BATCH = 50;
const BATCH_BYTES = 262_144;
/** Milliseconds that events wait for others to join. */
const GATHER_MS = 1_000;
/** Attempts before it waits for the next event or visit; the first pause between them, ms, and the factor of further ones. */
const TRIES = 3;
const PAUSE_MS = 1_000;
const LONGER = 3;
/** Most bytes of a request that outlives its page; browsers allow a page 64 KiB of them at a time. */
const PIECE_BYTES = 16_384;
const SPILL_BYTES = 61_440;
const SPILL_ITEMS = 200;
/** Longest pause that a server may ask for, ms. */
const LONGEST_WAIT_MS = 3_600_000;

export function createDelivery(options: DeliveryOptions): Delivery {
  const { queue, post, allowed, onTrouble, onTimer, batch = BATCH } = options;
  let most = batch;
  let tries = 0;
  let refused = false;
  let until = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = Infinity;
  /** Runs one after the other: what is added during a run may be too late for it. */
  let running = Promise.resolve();
  /** Ids in requests that outlive the page: not sent again while these are under way. */
  const flying = new Set<string>();

  const mayNot = (): boolean => refused || !allowed();

  const schedule = (ms: number): void => {
    const at = Date.now() + ms;
    if (at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => void start(), ms);
    onTimer?.(timer);
  };

  const start = (): Promise<void> => {
    clearTimeout(timer);
    due = Infinity;
    return (running = running.then(run));
  };

  const run = async (): Promise<void> => {
    while (!mayNot()) {
      until = Math.min(until, Date.now() + LONGEST_WAIT_MS); // if the clock was set back
      if (until > Date.now()) return schedule(until - Date.now());
      const request = nextRequest(queue.head(most, flying), BATCH_BYTES);
      if (!request || !(await send(request))) return;
    }
  };

  /** Resolves with whether to continue with the next request. */
  const send = async (request: Request, outlives = request.bytes <= PIECE_BYTES): Promise<boolean> => {
    const { kind, members, body } = request;
    if (outlives) for (const id of members) flying.add(id);
    const answer = await post(kind, body, outlives);
    for (const id of members) flying.delete(id);
    return settle(members, answer);
  };

  const settle = (ids: ReadonlySet<string>, answer: Answer): boolean => {
    const verdict = verdictOf(answer, ids.size);
    if (!isTaken(answer.status)) onTrouble(answer.status, ids.size);
    if (verdict === SMALLER) {
      most = ids.size >> 1;
    } else if (verdict === DONE) {
      queue.remove(ids);
      most = batch;
      tries = 0;
    } else if (verdict === NEVER) {
      refused = true;
    } else if (verdict === LATER) {
      until = Date.now() + answer.wait * 1_000;
      schedule(0); // waits until then
    } else if (++tries < TRIES) {
      schedule(PAUSE_MS * LONGER ** (tries - 1) * (0.5 + Math.random()));
    }
    return verdict <= SMALLER; // these two leave less to send
  };

  return {
    added() {
      if (tries >= TRIES) tries = 0;
      if (!tries) schedule(queue.size() < batch ? GATHER_MS : 0);
    },
    flush() {
      tries = 0;
      return start();
    },
    spill() {
      if (mayNot() || until > Date.now()) return;
      for (let left = SPILL_BYTES; ;) {
        const request = nextRequest(queue.head(SPILL_ITEMS, flying), PIECE_BYTES);
        if (!request || (left -= request.bytes) < 0) return;
        void send(request, true);
      }
    },
  };
}
