/** Merged groups and metrics as rows of cells. */
import type { Cell } from '../../dsl/table.ts';
import type { MergedMetrics } from '../metrics/merge-metrics.ts';

/** Cells of the groups, then of the metrics. @param columns How many groups the plan has. */
export function groupRows({ groups, values }: MergedMetrics, columns: number): Cell[][] {
  return Array.from({ length: groups.count }, (_, group) => {
    const row: Cell[] = [];
    for (let at = 0; at < columns; at++) row.push(groups.text(at, group));
    for (const metric of values) row.push(numberCell(metric[group]!));
    return row;
  });
}

/** NaN is no number: null. -0 is 0. */
export function numberCell(value: number): number | null {
  return Number.isNaN(value) ? null : value + 0;
}
