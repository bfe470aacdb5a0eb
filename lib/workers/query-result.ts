/** What a query is given besides its plan, and what it returns. */
import type { Page } from '../dsl/format/answer.ts';
import type { ShardCatalog } from '../shards/shard-reader.ts';
import type { EventSpan } from './event-spans.ts';
import type { Observations, Table } from '../dsl/plan/table.ts';
import type { PersonSet } from './where/person-tables.ts';

export interface QueryOptions {
  /** From then on the answer is 504; by the clock of `monotonic()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

export interface QueryResult {
  readonly table: Table;
  readonly observations: Observations;
  /** For Server-Timing and explain: stages in order, milliseconds. */
  readonly times: readonly { readonly stage: string; readonly ms: number }[];
  /** For explain: which segments went where. */
  readonly parts: readonly {
    readonly thread: number;
    readonly segments: number;
    readonly rows: number;
    readonly ms: number;
  }[];
  /** For explain, where the events are in another engine. */
  readonly statements?: readonly RanStatement[];
}

/** A statement that another engine ran, and the values bound in it. */
export interface RanStatement {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rows_read: number;
  readonly bytes_read: number;
  /** That engine's own time. */
  readonly ms: number;
}

/** A result whose rows are already text. */
export interface PageResult extends Omit<QueryResult, 'table'> {
  readonly page: Page;
  /** What notes say of what was not seen, if it was read with the answer. */
  readonly names?: ShardCatalog | null;
  readonly spans?: readonly EventSpan[];
}

/** What the rows of an answer were made into. */
export type MadeRows =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'page'; readonly page: Page }
  | { readonly kind: 'rows'; readonly rows: Uint8Array<ArrayBuffer> }
  /** Of whom a condition is true. */
  | { readonly kind: 'persons'; readonly passes: PersonSet['passes'] };

/** The same, with what notes say of names and times that the query asks for and the answer lacks. */
export interface EngineResult extends Omit<QueryResult, 'table'> {
  readonly made: MadeRows;
  readonly names: ShardCatalog | null;
  readonly spans: readonly EventSpan[];
}
