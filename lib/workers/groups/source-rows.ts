/** The rows of one segment that a source yields, before `where`: those of its event and person. */
import type { EventName } from '../../dsl/plan/plan.ts';
import { positionsOf, rangeOf } from './positions.ts';
import { select, selectPlaces } from './select.ts';
import type { Dictionary } from '../../shards/shard-reader.ts';
import { rowsOfType } from '../../shards/segment/type-rows.ts';
import type { QueryContext } from '../query-context.ts';
import { onlyCode, type Filter } from '../where/filter.ts';
import type { EventRows } from '../rows/event-rows.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowRange, RowSet } from '../rows/row-set.ts';

/** Entries of the list of rows, or of all rows without a list. */
export interface SourceRows extends RowRange {
  readonly list: Uint32Array | null;
}

/** Rows of a set, and which of them pass. */
export interface RowsToAdd extends SourceRows {
  readonly rows: RowSet;
  readonly filter: Filter;
}

const NONE: SourceRows = { list: null, from: 0, to: 0 };

export function sourceRows(
  rows: EventRows,
  range: RowRange,
  source: { readonly event: EventName; readonly person: string | null },
  context: QueryContext,
): SourceRows {
  const own = source.event === null ? { list: null, ...range } : rowsOfEvent(rows, range, source.event, context);
  return source.person === null ? own : rowsOfPerson(rows, own, source.person, context);
}

/** Those of them that pass a filter. */
export function passingRows(rows: EventRows, source: SourceRows, filter: Filter, context: QueryContext): SourceRows {
  const passing = select(positionsOf(rows, source.list, source, null), filter, context);
  return { list: passing.rows, ...rangeOf(passing) };
}

/** How many rows of an event are in the range; reads none if the range is the whole segment. */
export function countEvent(rows: EventRows, range: RowRange, event: string, context: QueryContext): number {
  if (range.from === 0 && range.to === rows.rows) return rowsOfCode(rows, codeOf(event, context));
  const { from, to } = rowsOfEvent(rows, range, event, context);
  return to - from;
}

function rowsOfEvent(rows: EventRows, range: RowRange, event: string, context: QueryContext): SourceRows {
  const code = codeOf(event, context);
  const own = rowsOfCode(rows, code);
  if (own === 0) return NONE;
  if (own === rows.rows) return { list: null, ...range };
  const list = rows.segment.rowsOfType(code);
  const from = lowerBound(list, range.from);
  return { list, from, to: lowerBound(list, range.to, from) };
}

/** Codes of events by dictionary: a name is looked up in its bytes once. */
const eventCodes = new WeakMap<Dictionary, Map<string, number>>();
/** Names kept per dictionary. */
const MAX_NAMES = 1_000;

/** 0: no event has the name. */
function codeOf(event: string, context: QueryContext): number {
  const types = context.reader.eventTypes();
  const known = eventCodes.get(types) ?? new Map<string, number>();
  eventCodes.set(types, known);
  let code = known.get(event);
  if (code === undefined) {
    code = types.find(event);
    if (known.size >= MAX_NAMES) known.clear();
    if (code !== 0) known.set(event, code); // an unknown name may appear later
  }
  return code;
}

function rowsOfCode(rows: EventRows, code: number): number {
  return code === 0 ? 0 : rowsOfType(rows.segment.types, code);
}

function rowsOfPerson(rows: EventRows, source: SourceRows, person: string, context: QueryContext): SourceRows {
  context.identity(); // loads the ids that came with it
  const code = context.reader.ids().find(person);
  if (code === 0 || source.from === source.to) return NONE;
  const positions = { rows: source.list, spans: [{ bucket: 0, from: source.from, to: source.to }] };
  const { list } = selectPlaces(positions, onlyCode(rows.persons(), code), { context, of: 'rows' });
  return { list, from: 0, to: list.length };
}
