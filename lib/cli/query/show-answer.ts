/** Runs one query and shows it in the requested format. */
import type { ClientSession } from '../client/client-command.ts';
import type { Output } from '../client/output.ts';
import { percentText, shareText } from '../../base/text/percent-text.ts';
import type { CellColumn } from '../output/cell.ts';
import type { Envelope } from '../../dashboards/data.ts';
import { postQuery, askEnvelope, askRows, type AnswerPage } from './ask.ts';
import { counted } from '../text.ts';

/** Characters of a full bar. */
const BAR = 10;

export async function showAnswer({ api, output, terminal }: ClientSession, q: string, page: AnswerPage): Promise<void> {
  switch (output.format) {
    case 'table':
      await showTable(output, await askEnvelope(api, q, page));
      return;
    case 'json': {
      const { rows, total, notes } = await askRows(api, q, page);
      output.json(rows);
      for (const note of notes) terminal.say(`wl: note: ${note}`);
      const cut = cutNote(rows.length, total, page);
      if (cut !== null) terminal.say(cut);
      return;
    }
    default: {
      const { body } = await postQuery(api, q, { ...page, format: output.format === 'csv' ? 'csv' : 'llm' });
      output.raw(body.toString('utf8'));
    }
  }
}

/** The rows under their columns; below them their number, the time range, how long it took if `timed`, and the notes. */
export function showTable(output: Output, envelope: Envelope, timed = true): Promise<void> {
  const { columns, column_types: types, rows, total, range, elapsed_ms: ms, notes } = envelope;
  const shown = `${rows.length.toLocaleString('en')} of ${counted(total, 'row')}`;
  return output.table({
    columns: shownColumns(types),
    rows: rows.map((row) => columns.map((name) => row[name])),
    footer: [
      `${shown}, ${range.from} to ${range.to} (${range.timezone})${timed ? `, ${Math.round(ms)} ms` : ''}`,
      ...notes.map((note) => `Note: ${note}`),
    ],
  });
}

/** A retention's persons per period with their share of the cohort, as in Markdown; a funnel's steps as bars. */
function shownColumns(columns: Envelope['column_types']): CellColumn[] {
  const users = columns.findIndex(({ name, role }) => name === 'users' && role === 'metric');
  const isFunnel = columns.some(({ name, role }) => name === 'step' && role === 'group');
  return columns.map((column) => {
    if (column.role === 'period') return { ...column, show: (persons, row) => shareText(persons, row[users]) };
    return isFunnel && column.name === 'conversion' ? { ...column, show: bar } : column;
  });
}

/** Ten characters at most: `████████░░ 80.0 %`. */
function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${percentText(share).padStart(7)}`;
}

/** For users who chose no page and would take it for everything. */
function cutNote(shown: number, total: number | null, { limit, offset }: AnswerPage): string | null {
  if (total === null || limit !== undefined || offset !== undefined || total <= shown) return null;
  return `wl: ${shown.toLocaleString('en')} of ${total.toLocaleString('en')} rows; --limit and --offset show the others`;
}
