/** What a seal takes of a shard: set apart, so that requests can be taken while it is being stored. */
import type { Binding } from '../../file/bindings.ts';
import type { PendingRows } from './pending-rows.ts';
import type { UsageRow } from '../../file/usage-counters.ts';

export interface Frozen {
  readonly rows: PendingRows;
  readonly bindings: readonly Binding[];
  /** How many profiles. */
  readonly profiles: number;
  /** Arrivals from here on are not in it. */
  readonly nextArrival: number;
  readonly usage: readonly UsageRow[];
  /** Bytes of journal that it holds. */
  readonly journalBytes: number;
  /** The first journal file that it is in. */
  readonly journalFile: number;
  /** When the oldest of it was taken, as `monotonic()` counts. */
  readonly since: number;
}
