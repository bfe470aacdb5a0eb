/** The usage of an organization as text, in pieces: it may have 100,000 lines, and the event loop writes them. */
import { csvLine } from '../../base/text/csv-text.ts';
import { DAY_COUNTERS, type ProjectDay } from '../../control/operator/operator.ts';
import type { UsageMonth } from '../../control/types.ts';
import { billColumns, billFields, type Price } from '../../control/usage/price.ts';

export const CSV_TYPE = 'text/csv; charset=utf-8';

/** Lines of a piece: about a millisecond of work. */
export const PIECE_LINES = 500;

/** `{"days":[…],"months":[…]}`, as JSON.stringify writes it. */
export function* usageJson(days: readonly ProjectDay[], months: readonly UsageMonth[]): Generator<string> {
  yield '{"days":[';
  for (let at = 0; at < days.length; at += PIECE_LINES) {
    const lines = JSON.stringify(days.slice(at, at + PIECE_LINES)).slice(1, -1);
    yield at === 0 ? lines : `,${lines}`;
  }
  yield `],"months":${JSON.stringify(months)}}`;
}

/** A line for each project and day, then one for each month with the bill: free events are the organization's. */
export function* usageCsv(
  days: readonly ProjectDay[],
  months: readonly UsageMonth[],
  price: Price | null,
): Generator<string> {
  const bill = billColumns(price);
  const noBill = bill.map(() => null);
  yield text([['date', 'project_id', 'project_name', ...DAY_COUNTERS, ...bill]]);
  for (let at = 0; at < days.length; at += PIECE_LINES) {
    yield text(
      days
        .slice(at, at + PIECE_LINES)
        .map((day) => [
          day.date,
          day.project_id,
          day.project_name,
          ...DAY_COUNTERS.map((name) => day[name]),
          ...noBill,
        ]),
    );
  }
  yield text(
    months.map((month) => [
      ...[month.month, null, null],
      ...DAY_COUNTERS.map((name) => (name === 'events_stored' ? month.events_stored : null)),
      ...Object.values(billFields(month.events_stored, price)),
    ]),
  );
}

function text(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${csvLine(row)}\r\n`).join('');
}
