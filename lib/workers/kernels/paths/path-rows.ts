/** What paths are read from: the rows of a piece, as arrays. */
import type { EventName, PathsPlan } from '../../../dsl/plan/plan.ts';
import type { CodedIds } from '../../groups/field-ids.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { passingRows, sourceRows, type SourceRows } from '../../groups/source-rows.ts';
import type { Piece } from '../../rows/time-batches.ts';
import type { Filter } from '../../where/filter.ts';

/** What is read from a segment. */
export interface PathSource {
  readonly rows: EventRows;
  readonly filter: Filter;
  /** null: no row has a label. */
  readonly labels: CodedIds | null;
}

export interface PathRun {
  readonly plan: PathsPlan;
  readonly context: QueryContext;
  /** 1: time runs forward. -1: backward. Keys are times and arrivals times the sign: they ascend in reading order. */
  readonly sign: 1 | -1;
}

/** The arrays of a piece. */
export interface PathRows {
  readonly labels: CodedIds | null;
  readonly persons: Uint32Array;
  readonly times: Float64Array;
}

export function arraysOf({ rows, labels }: PathSource): PathRows {
  return { labels, persons: rows.persons(), times: rows.times() };
}

/** The rows of a piece that pass `where`, for one event or any (null). */
export function passing(piece: Piece<PathSource>, event: EventName, context: QueryContext): SourceRows {
  const { rows, filter } = piece.source;
  return passingRows(rows, sourceRows(rows, piece, { event, person: null }, context), filter, context);
}
