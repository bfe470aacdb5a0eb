/** What everything that runs for one part of a query in one thread shares. */
import type { Field, Plan } from '../dsl/plan/plan.ts';
import type { Zone } from '../dsl/time/zone.ts';
import type { Hold } from '../primitives/columns.ts';
import type { Identity, SegmentSummary, ShardReader, Snapshot } from '../shards/shard-reader.ts';
import type { Budget } from './budget.ts';
import type { ValueDictionary, FieldColumn } from './rows/field-column.ts';
import type { ProfileDictionaries } from './rows/profile-dictionaries.ts';
import type { SegmentRows } from './rows/row-set.ts';
import type { Tables } from './where/test-tables.ts';

/** What work on rows of any kind needs. */
export interface RowContext {
  readonly plan: Plan;
  readonly zone: Zone;
  readonly budget: Budget;
  /** Of the part, for what primitives work on: given back when it ends. */
  readonly memory: Hold;
  readonly maxGroups: number;
  /** Segments that other parts of the query read; empty: this part is the only one. */
  readonly elsewhere: readonly SegmentSummary[];
  readonly tables: Tables;
  /** The dictionary with this key, where partials may leave texts as codes of it; null: they are to bring the texts along. */
  readonly sharedDictionary: (key: string) => ValueDictionary | null;
  /** Throws QueryStopped when the query was cancelled or is past its deadline. Cheap: call it every few 10,000 rows. */
  readonly checkpoint: () => void;
}

/** The part of a plan's work that is a part's own, where every part reads all segments. */
export interface Slice {
  readonly index: number;
  /** How many there are. */
  readonly of: number;
}

export const WHOLE: Slice = { index: 0, of: 1 };

export type SessionFieldRef = Field & { readonly kind: 'session' | 'last_session' };

export interface SessionFields {
  /** The field of the session of each row; null: no row has a value. */
  column(field: SessionFieldRef, rows: SegmentRows): FieldColumn | null;
}

/** What work on events and profiles needs besides. */
export interface QueryContext extends RowContext {
  readonly snapshot: Snapshot;
  readonly slice: Slice;
  readonly reader: ShardReader;
  identity(): Identity;
  profiles(): ProfileDictionaries;
  /** Sessions of all events of the plan's range. */
  sessions(): SessionFields;
}

/** Thrown inside a thread to leave a query that nobody waits for any more. Never a user's error. */
export class QueryStopped extends Error {
  constructor() {
    super('the query was stopped');
    this.name = 'QueryStopped';
  }
}
