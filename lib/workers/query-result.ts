/** What a query is given besides its plan, and what it returns. */
import type { Page } from '../dsl/format/answer.ts';
import type { Observations, Table } from '../dsl/plan/table.ts';

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
}

/** A result whose rows are already text. */
export interface PageResult extends Omit<QueryResult, 'table'> {
  readonly page: Page;
}
