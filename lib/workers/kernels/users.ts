/** Profiles last seen in the range: their rows, or metrics over them. Runs in one part, over no segment. */
import { columnsOf, isRowList } from '../../dsl/plan/columns.ts';
import { finishPage, rowsNeeded } from '../../dsl/finish/finish.ts';
import type { UsersPlan } from '../../dsl/plan/plan.ts';
import { firstInOrder } from '../../dsl/finish/select-rows.ts';
import type { Cell, Table } from '../../dsl/plan/table.ts';
import { positionsOf } from '../groups/positions.ts';
import { select } from '../groups/select.ts';
import type { QueryContext } from '../query-context.ts';
import type { ProfileRows } from '../rows/profile-rows.ts';
import { bytesOfCell } from '../rows/cell-bytes.ts';
import { cellReader, textAtRow } from '../rows/typed-value.ts';
import { filterOf } from '../where/filter.ts';
import { tableKernel, type Kernel } from './contract.ts';
import { metricsTable } from './aggregation.ts';
import { allRows } from './list/list-candidates.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { ENTRY_BYTES } from '../budget.ts';

export function usersKernel(plan: UsersPlan): Kernel {
  return tableKernel('oldest', (context) => ({
    consume: () => undefined, // events are not read: profiles know when they were seen
    table: () => answer(plan, context),
  }));
}

function answer(plan: UsersPlan, context: QueryContext): Table {
  const rows = context.profiles().rows();
  const filter = filterOf(plan.where, rows, context);
  const range = { from: rows.rowAt(plan.range.from), to: rows.rowAt(plan.range.to) };
  const columns = columnsOf(plan);
  if (!isRowList(plan)) return metricsTable(plan, { rows, ...range, filter }, context);
  const found = allRows(select(positionsOf(rows, null, range, null), filter, context));
  const shown = newest(plan, rows, found);
  context.budget.take(shown.length * ENTRY_BYTES);
  const cells =
    plan.fields === undefined ? profileCells(rows, shown, context) : chosenCells(plan, rows, shown, context);
  return finishPage(plan, columns, cells, found.length);
}

/** The rows that may be on the page, if they are ordered by last_seen, then user_id: makes only their texts. */
function newest(plan: UsersPlan, rows: ProfileRows, found: readonly number[]): readonly number[] {
  if ((plan.hides?.key ?? null) !== null) return found; // they are ordered by hashes of their ids
  const needed = rowsNeeded(plan);
  const ids = rows.field({ kind: 'account', name: 'user_id' });
  const compare = ids?.dictionary?.compare?.bind(ids.dictionary);
  // Chosen fields may lack what rows are ordered by.
  const isPage = plan.order.kind === 'default' && needed < found.length;
  if ((!isPage && plan.fields === undefined) || compare === undefined) return found;
  const { profiles } = rows;
  const codes = ids!.codes!;
  return firstInOrder(
    found.toSorted((a, b) => codes[a]! - codes[b]!), // so that neighbouring texts are read one after the other
    (a, b) => profiles[b]!.lastSeen - profiles[a]!.lastSeen || compare(codes[a]!, codes[b]!),
    isPage ? needed : found.length,
  );
}

function chosenCells(plan: UsersPlan, rows: ProfileRows, found: readonly number[], context: QueryContext): Cell[][] {
  const columns = columnsOf(plan);
  const readers = (plan.fields ?? []).map(({ field }, at) =>
    cellReader(rows.field(field), columns[at]!.type, context.zone),
  );
  return found.map((row, at) => {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const cells = readers.map((read) => read(row));
    context.budget.take(bytesOfCell(cells));
    return cells;
  });
}

/** user_id, email, email_domain, first_seen, last_seen, properties. */
function profileCells(rows: ProfileRows, found: readonly number[], context: QueryContext): Cell[][] {
  const text = (name: 'user_id' | 'email' | 'email_domain'): ((row: number) => string | null) => {
    const column = rows.field({ kind: 'account', name });
    return (row) => {
      const value = textAtRow(column, row, context.zone);
      if (value !== null) context.budget.take(2 * value.length);
      return value;
    };
  };
  const [userId, email, domain] = [text('user_id'), text('email'), text('email_domain')];
  return found.map((row, at) => {
    if (at % CHECK_EVERY === 0) context.checkpoint();
    const { firstSeen, lastSeen, properties } = rows.profiles[row]!;
    return [userId(row), email(row), domain(row), firstSeen, lastSeen, withoutMail(properties)];
  });
}

function withoutMail(properties: { readonly [key: string]: unknown }): { readonly [key: string]: unknown } {
  const kept = Object.entries(properties).filter(([key]) => key !== 'email' && key !== 'email_domain');
  return Object.fromEntries(kept);
}
