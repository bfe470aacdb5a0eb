/** Deletes what a query finds: first which events these are, then nothing but these, whatever comes meanwhile. */
import type { ListPlan } from '../dsl/plan/plan.ts';
import type { Erased } from '../shards/erase/erase.ts';
import { isSnapshot, type Readable, type Snapshot, StaleSnapshot } from '../shards/shard-reader.ts';
import type { EngineQuery } from '../workers/ask-in-turn.ts';
import type { QueryEngine } from '../workers/engine.ts';

/** Events by their arrival numbers, as `ArrivalSet` writes them, in the file of an incarnation. */
export interface FoundEvents {
  readonly events: number;
  readonly arrivals: readonly string[];
  readonly incarnation: number | null;
}

export async function findEvents(
  engine: Pick<QueryEngine, 'query'>,
  { source, plan }: { readonly source: Readable; readonly plan: ListPlan },
  options: EngineQuery,
): Promise<FoundEvents> {
  let incarnation = isSnapshot(source) ? source.incarnation : null;
  const took = (snapshot: Snapshot): void => {
    incarnation = snapshot.incarnation;
    options.took?.(snapshot);
  };
  const { table } = await engine.query(source, { ...plan, arrivals: true }, { ...options, took });
  const arrivals = table.rows.flatMap(([text]) => (typeof text === 'string' ? text : []));
  return { events: table.total, arrivals, incarnation };
}

/** Tries in a project where users are erased at the same time. */
const TRIES = 5;

/**
 * How many were deleted. @param erase Calls its last argument at the last moment before anything is. @param before Called then: if it
 * throws, nothing is deleted; not called if there are none.
 */
export async function deleteFound(
  find: () => Promise<FoundEvents>,
  erase: (arrivals: readonly string[], atLast: (snapshot: Snapshot) => unknown) => Promise<Erased>,
  before: (found: FoundEvents) => unknown,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const found = await find();
    if (found.events === 0) return 0;
    try {
      const erased = await erase(found.arrivals, (snapshot) => {
        if (snapshot.incarnation !== found.incarnation) throw new StaleSnapshot(); // the numbers may be of others by now
        return before(found);
      });
      return erased.events;
    } catch (error) {
      if (!(error instanceof StaleSnapshot) || attempt === TRIES) throw error;
    }
  }
}
