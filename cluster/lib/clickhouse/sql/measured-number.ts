/** What a metric measures of a row, where its values are added up by another rule than groups. */
import { type CellMetric, isSeconds, SECOND_MS } from '../../../../lib/seam.ts';
import type { EventRows } from './rows.ts';
import { sql, whole, type Sql } from './statement.ts';

/** Seconds are whole milliseconds: measured so, and divided once. NULL of a count, or where there is no number. */
export function measuredNumber(metric: CellMetric, rows: EventRows): Sql {
  if (metric.kind === 'count') return sql`NULL`;
  const { number } = rows.value(metric.field);
  return isSeconds(metric.field) ? sql`round(${number} * ${whole(SECOND_MS)})` : number;
}
