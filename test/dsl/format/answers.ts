/** Answers for format tests. */
import type { TableAnswer } from '../../support/format-answer.ts';
import type { Cell, ColumnRole, ColumnType, TableColumn } from '../../../lib/dsl/plan/table.ts';

export function column(name: string, type: ColumnType, role: ColumnRole): TableColumn {
  return { name, type, role };
}

export const group = column('event_properties.plan', 'string', 'group');
export const count = column('count', 'number', 'metric');

/** An answer for January 2026 in UTC. */
export function answer(
  columns: readonly TableColumn[],
  rows: readonly (readonly Cell[])[],
  parts: Partial<TableAnswer> = {},
): TableAnswer {
  return {
    table: { columns, rows, total: rows.length },
    range: { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 1, 1) },
    zone: 'UTC',
    rowsScanned: 1234,
    elapsedMs: 12,
    mode: 'embedded',
    notes: [],
    ...parts,
  };
}
