/** Runs one query and shows it in the requested format. */
import type { ClientSession } from '../client/client-command.ts';
import type { Output } from '../client/output.ts';
import { percentText, shareText } from '../../base/text/percent-text.ts';
import { type CellColumn, timeText } from '../output/cell.ts';
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
      const { rows, total, next, notes } = await askRows(api, q, page);
      output.json(rows);
      for (const note of notes) terminal.say(`wl: note: ${note}`);
      const cut = next === null ? cutNote(rows.length, total, page) : `wl: the next rows: --cursor ${next}`;
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
  const { forPeople } = output;
  const shown = `${rows.length.toLocaleString('en')} of ${counted(total, 'row')}`;
  const [from, to] = [range.from, range.to].map((time) => (forPeople ? timeText(time) : time));
  const isRetention = types.some(({ role }) => role === 'period');
  return output.table({
    columns: shownColumns(types, forPeople),
    rows: rows.map((row) => columns.map((name) => row[name])),
    bars: forPeople && !isRetention ? barred(types) : undefined,
    footer: [
      `${shown}, ${from} to ${to} (${range.timezone})${timed ? `, ${Math.round(ms)} ms` : ''}`,
      ...(forPeople && isRetention ? [LEGEND] : []),
      ...notes.map((note) => `Note: ${note}`),
    ],
  });
}

const LEGEND = 'In percent of the people of each row; --json and --format markdown have their numbers';

/** Where bars show how a number changes: the first metric, after a time bucket in the first column. */
function barred(columns: Envelope['column_types']): number | undefined {
  const at = columns.findIndex(({ role }) => role === 'metric');
  return columns[0]?.role === 'bucket' && at > 0 ? at : undefined;
}

/** A retention's persons per period with their share of the cohort, as in Markdown; a funnel's steps as bars. */
function shownColumns(columns: Envelope['column_types'], forPeople: boolean): CellColumn[] {
  const users = columns.findIndex(({ name, role }) => name === 'users' && role === 'metric');
  const isFunnel = columns.some(({ name, role }) => name === 'step' && role === 'group');
  return columns.map((column, at) => {
    if (column.role !== 'period') return isFunnel && column.name === 'conversion' ? { ...column, show: bar } : column;
    if (!forPeople) return { ...column, show: (persons, row) => shareText(persons, row[users]) };
    const share = (persons: number, row: readonly unknown[]): number => persons / Number(row[users]);
    return {
      ...column,
      name: periodName(column.name),
      rank: at,
      show: (...cell) => shortPercent(share(...cell)),
      shade: share,
    };
  });
}

/** `week_3` → `w3`: a column of percentages is no wider. */
function periodName(name: string): string {
  return name.replace(/^(\w)[a-z]*_(\d+)$/, '$1$2');
}

/** `56%`; null if there is nobody to be a share of. */
function shortPercent(share: number): string | null {
  if (!Number.isFinite(share)) return null;
  return share > 0 && share < 0.005 ? '<1%' : `${Math.round(share * 100)}%`;
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
