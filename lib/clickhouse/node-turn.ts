import type { SharedTurns } from './ingest/project-lock.ts';

/** How long others wait for a node that was killed, milliseconds. */
const LEASE = 60_000;
const RENEWALS = 4;

export interface NodeTurn {
  /** What is to be done by one node at a time. No project has such an id. */
  readonly what: string;
  /** Of this process. */
  readonly run: string;
  /** Shared with other nodes; null: there are none. */
  readonly turns: SharedTurns | null;
  readonly onTrouble: (error: unknown, what: string) => void;
}

/** Runs `act`, unless another node is at it. What `act` does must bear being done twice: a node that hangs loses its turn. */
export async function inTurn({ what, run, turns, onTrouble }: NodeTurn, act: () => Promise<void>): Promise<void> {
  if (turns === null) return act();
  const holder = `${run}/${what}`;
  const wanted = { holder, ofRun: `${run}/`, over: null, count: 0, lease: LEASE };
  let taken = await turns.take(what, wanted);
  if (taken === 'unknown') {
    await turns.begin(what, 1);
    taken = await turns.take(what, wanted);
  }
  if (typeof taken === 'object' && taken.isOver) taken = await turns.take(what, { ...wanted, over: taken });
  if (typeof taken !== 'number') return;
  const renewing = setInterval(() => {
    turns.renew(what, { holder, lease: LEASE }).catch((error: unknown) => onTrouble(error, `the turn of ${what} was not renewed`)); // prettier-ignore
  }, LEASE / RENEWALS);
  try {
    await act();
  } finally {
    clearInterval(renewing);
    await turns.give(what, holder);
  }
}
