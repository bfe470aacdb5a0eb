/** Work in the background that is done again and again, by one node at a time. */
import type { SharedTurns } from '../../../lib/seam.ts';

/** How long others wait for a node that was killed, milliseconds. */
const LEASE = 60_000;
const RENEWALS = 4;

export interface NodeOptions {
  /** Of this process. */
  readonly run: string;
  /** Shared with other nodes; null: there are none. */
  readonly turns: SharedTurns | null;
  readonly onTrouble: (error: unknown, what: string) => void;
}

interface NodeWorkOptions extends NodeOptions {
  /** Its name among all such work. No project has such an id. */
  readonly what: string;
  /** Milliseconds from one time to the next. */
  readonly every: number;
  /** What the log says when it failed. */
  readonly failed: string;
}

export abstract class NodeWork {
  readonly #options: NodeWorkOptions;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: NodeWorkOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run(), options.every).unref();
  }

  /** Must bear being done twice: a node that hangs loses its turn. `isClosed`: it should end soon. */
  protected abstract act(isClosed: () => boolean): Promise<void>;

  /** Resolves when it is done, unless another node is at it. Never rejects: it is tried again. */
  run(): Promise<void> {
    return (this.#running = this.#running.then(async () => {
      try {
        await this.#inTurn();
      } catch (error) {
        if (!this.#closed) this.#options.onTrouble(error, this.#options.failed);
      }
    }));
  }

  /** Resolves when nothing is done any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #inTurn(): Promise<void> {
    const { what, run, turns, onTrouble } = this.#options;
    const isClosed = (): boolean => this.#closed;
    if (turns === null) return this.act(isClosed);
    const holder = `${run}/${what}`;
    if (!(await takeTurn(turns, what, { holder, ofRun: `${run}/` }))) return;
    const renewing = setInterval(() => {
      turns.renew(what, { holder, lease: LEASE }).catch((error: unknown) => onTrouble(error, `the turn of ${what} was not renewed`)); // prettier-ignore
    }, LEASE / RENEWALS);
    try {
      await this.act(isClosed);
    } finally {
      clearInterval(renewing);
      await turns.give(what, holder);
    }
  }
}

/** False: another node has it. */
async function takeTurn(
  turns: SharedTurns,
  what: string,
  by: { readonly holder: string; readonly ofRun: string },
): Promise<boolean> {
  const wanted = { ...by, over: null, count: 0, lease: LEASE };
  let taken = await turns.take(what, wanted);
  if (taken === 'unknown') {
    await turns.begin(what, 1);
    taken = await turns.take(what, wanted);
  }
  if (typeof taken === 'object' && taken.isOver) taken = await turns.take(what, { ...wanted, over: taken });
  return typeof taken === 'number';
}
