/** The cells of events, column by column. */
import { ENRICHED_FIELDS } from '../../../dsl/plan/fields.ts';
import type { Field } from '../../../dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../../dsl/plan/table.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { cellReader, propertiesOf, textAtRow } from '../../rows/typed-value.ts';

export type Reader = (row: number) => Cell;

/** @param field If the query names it. */
export function readerOf(rows: EventRows, column: TableColumn, context: QueryContext, field?: Field): Reader {
  return field === undefined ? usualReader(rows, column, context) : fieldReader(rows, column, context, field);
}

function fieldReader(rows: EventRows, { type }: TableColumn, { zone }: QueryContext, field: Field): Reader {
  if (field.kind === 'core' && field.name === 'insert_id') {
    const ids = rows.segment.insertIds();
    return (row) => ids.text(row);
  }
  return cellReader(rows.field(field), type, zone);
}

function usualReader(rows: EventRows, { name }: TableColumn, { zone }: QueryContext): Reader {
  if (name === 'event_properties') return propertiesOf(rows.segment, 'p');
  if (name === 'user_properties') return propertiesOf(rows.segment, 'u');
  if (name === 'time') {
    const times = rows.times();
    return (row) => times[row]!;
  }
  if (name === 'insert_id') {
    const ids = rows.segment.insertIds();
    return (row) => ids.text(row);
  }
  const field = LISTED.get(name);
  if (field === undefined) throw new Error(`a list has no column ${name}`);
  const column = rows.field(field);
  return column === null ? () => null : (row) => textAtRow(column, row, zone);
}

/** What the columns of a list show that are fields. */
export const LISTED: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...(['event_type', 'distinct_id', 'user_id', 'device_id', 'session_id'] as const).map(
    (name) => [name, { kind: 'core', name }] as const,
  ),
  ...ENRICHED_FIELDS.map((name) => [name, { kind: 'enriched', name }] as const),
]);
