/** The labels of a row in an answer's groups, as one tuple: a bucket's number, a field's text. */
import type { Cell } from '../../dsl/plan/table.ts';
import type { Grouped } from './groups.ts';
import { bucketColumn } from './buckets.ts';
import type { Rows } from './rows.ts';
import { arrayCell, join, sql, textOrNull, type Sql } from './statement.ts';

export interface Labels {
  readonly sql: Sql;
  read(cell: unknown): Cell[];
}

export function labelsOf(plan: Grouped, rows: Rows): Labels {
  const labels = plan.groups.map((group) => {
    if (group.kind === 'field') return { sql: rows.value(group.field).text, read: textOrNull };
    const { index, labels: printed } = bucketColumn(plan, group.unit, rows.time);
    return { sql: index, read: (cell: unknown) => printed[Number(cell)] ?? null };
  });
  return {
    sql: sql`tuple(${join([sql`0`, ...labels.map((label) => label.sql)], ', ')})`, // a tuple has at least one element
    read: (cell) =>
      arrayCell(cell)
        .slice(1)
        .map((label, nth) => labels[nth]!.read(label)),
  };
}
