import { expect } from 'chai';
import { csvText } from '../../../lib/base/text/csv-text.ts';
import type { ProjectDay } from '../../../lib/control/operator/operator.ts';
import { DEFAULT_PRICE } from '../../../lib/control/usage/price.ts';
import { PIECE_LINES, usageCsv, usageJson } from '../../../lib/router/api/usage.ts';

const COUNTS = { events_ingested: 7, events_stored: 5, events_rejected: 0, events_duplicate: 2, events_dropped: 0, queries_run: 1, query_ms: 12 }; // prettier-ignore
const MONTHS = [{ month: '2026-01', events_stored: 15, billable_events: 0, amount_usd: 0 }];

function daysOf(count: number): ProjectDay[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ date: '2026-01-02', project_id: `prj_${n}`, project_name: n % 3 === 0 ? null : `=Shop "é", ${n}`, ...COUNTS },
  }));
}

describe('the usage of an organization as text', () => {
  it('is the JSON of all, in pieces of bounded size', () => {
    for (const count of [0, 1, PIECE_LINES, 2 * PIECE_LINES + 1]) {
      const days = daysOf(count);
      const pieces = [...usageJson(days, MONTHS)];
      expect(pieces.join('')).to.equal(JSON.stringify({ days, months: MONTHS }));
      for (const piece of pieces) expect(piece.split('"project_id"').length - 1).to.be.at.most(PIECE_LINES);
    }
  });

  it('is a table with a line for each month at its end, in pieces of bounded size', () => {
    for (const count of [0, 1, PIECE_LINES, 2 * PIECE_LINES + 1]) {
      const days = daysOf(count);
      const lines = days.map((day) => [...Object.values(day), null, null]);
      const month = ['2026-01', null, null, null, 15, null, null, null, null, null, 0, 0];
      const columns = [...Object.keys(daysOf(1)[0]!), 'billable_events', 'amount_usd'];
      const pieces = [...usageCsv(days, MONTHS, DEFAULT_PRICE)];
      expect(pieces.join('')).to.equal(`${csvText(columns, [...lines, month])}\r\n`);
      for (const piece of pieces) expect(piece.split('\r\n').length - 1).to.be.at.most(PIECE_LINES);
    }
  });
});
