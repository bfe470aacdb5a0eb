/** What all code running for one part of a query in one thread shares. */
import type { DidField } from '../dsl/plan/did.ts';
import type { SessionField } from '../dsl/plan/field-names.ts';
import type { Field, Plan, Test } from '../dsl/plan/plan.ts';
import type { Zone } from '../dsl/time/zone.ts';
import type { Hold } from '../primitives/columns.ts';
import type { Identity, SegmentSummary, ShardReader, Snapshot } from '../shards/shard-reader.ts';
import type { Budget } from './budget.ts';
import type { ValueDictionary, FieldColumn } from './rows/field-column.ts';
import type { ProfileDictionaries } from './rows/profile-dictionaries.ts';
import type { SegmentRows } from './rows/row-set.ts';
import type { Tables } from './where/test-tables.ts';

/** What work on any rows needs. */
export interface RowContext {
  readonly plan: Plan;
  readonly zone: Zone;
  readonly budget: Budget;
  /** The part's memory that primitives work on: returned when it ends. */
  readonly memory: Hold;
  readonly maxGroups: number;
  /** Segments that other parts of the query read; empty: this is the only part. */
  readonly elsewhere: readonly SegmentSummary[];
  readonly tables: Tables;
  /** Of whom a condition `did` is true, by person: 1 or 0. */
  readonly personsWho: (field: DidField, test: Test) => Uint8Array;
  /** The dictionary with this key, as whose codes partials may leave texts; null: they must bring the texts along. */
  readonly sharedDictionary: (key: string) => ValueDictionary | null;
  /** Throws QueryStopped when the query was cancelled or is past its deadline. Cheap: call it every few 10,000 rows. */
  readonly checkpoint: () => void;
}

/** One part's share of a plan's work, where every part reads all segments. */
export interface Slice {
  readonly index: number;
  /** How many slices there are. */
  readonly of: number;
}

export const WHOLE: Slice = { index: 0, of: 1 };

export type SessionFieldRef = Field & { readonly kind: 'session' | 'last_session' };

/** How many sessions have a field. `all`: all of them, as a string. `some`: not known without forming them. */
export type Reach = 'none' | 'some' | 'all';

export interface SessionFields {
  /** The field of each row's session; null: no row has a value. */
  column(field: SessionFieldRef, rows: SegmentRows): FieldColumn | null;
  /** The place of each row's session among those of the range, which may be one that no session has: then it is in none. */
  placesOf(rows: SegmentRows): Uint32Array;
  /** All places are below this. */
  readonly places: number;
  /** Of `session.*`; of numbers of the session itself, `all` says nothing about their type. */
  reach(name: SessionField): Reach;
  /** The rows that are the first events of their sessions, ascending. */
  firstRows(rows: SegmentRows): Uint32Array;
  /** `session.*` by place, null: no session has a value. */
  byPlace(name: SessionField): FieldColumn | null;
}

/** What work on events and profiles needs in addition. */
export interface QueryContext extends RowContext {
  readonly snapshot: Snapshot;
  readonly slice: Slice;
  readonly reader: ShardReader;
  identity(): Identity;
  profiles(): ProfileDictionaries;
  /** Sessions of all events of the plan's range. */
  sessions(): SessionFields;
}

/** Thrown inside a thread to abandon a query that nobody waits for any longer. Never a user's error. */
export class QueryStopped extends Error {
  constructor() {
    super('the query was stopped');
    this.name = 'QueryStopped';
  }
}
