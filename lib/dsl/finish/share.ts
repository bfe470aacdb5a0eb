/** `share`: what part a row has of the sum of a metric. */
import { columnsAfter } from '../plan/columns.ts';
import type { TableStage } from '../plan/plan.ts';
import type { Cell, WholeTable } from '../plan/table.ts';
import { roundComputed } from '../plan/value.ts';

/** Of the sum over all rows, or over the rows of the same time bucket; null where that is 0, or the cell is empty. */
export function withShares({ columns, rows }: WholeTable, stage: TableStage & { readonly kind: 'share' }): WholeTable {
  const buckets = columns.flatMap(({ role }, at) => (role === 'bucket' ? [at] : []));
  const wholeOf = (row: readonly Cell[]): Cell => (buckets.length === 1 ? row[buckets[0]!]! : JSON.stringify(buckets.map((at) => row[at]))); // prettier-ignore
  const values = new Map<Cell, number[]>();
  for (const row of rows) {
    const cell = row[stage.metric];
    if (typeof cell !== 'number') continue;
    const key = wholeOf(row);
    const own = values.get(key);
    if (own === undefined) values.set(key, [cell]);
    else own.push(cell);
  }
  const sums = new Map([...values].map(([key, own]) => [key, sumOf(own)]));
  const shareOf = (row: readonly Cell[]): number | null => {
    const cell = row[stage.metric];
    const sum = sums.get(wholeOf(row));
    const share = typeof cell === 'number' && sum !== undefined && sum !== 0 ? roundComputed(cell / sum) : NaN;
    return Number.isNaN(share) ? null : share;
  };
  return {
    columns: columnsAfter(columns, stage),
    rows: rows.map((row) => row.toSpliced(stage.metric + 1, 0, shareOf(row))),
  };
}

/** The same whatever the order of the values: in order of size, with what each addition rounds off beside the sum (Neumaier). */
function sumOf(values: readonly number[]): number {
  let [sum, rest] = [0, 0];
  for (const value of Float64Array.from(values).sort()) {
    const next = sum + value;
    rest += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + rest;
}
