/** One query, asked and shown in the format that was asked for. */
import type { Session } from '../client/client-command.ts';
import type { Output } from '../client/output.ts';
import { ask, askEnvelope, askRows } from './ask.ts';
import type { Envelope, Page } from './ask.ts';

export async function showAnswer({ api, output, terminal }: Session, q: string, page: Page): Promise<void> {
  switch (output.format) {
    case 'table':
      await showTable(output, await askEnvelope(api, q, page));
      return;
    case 'json': {
      const { rows, total } = await askRows(api, q, page);
      output.json(rows);
      const cut = cutNote(rows.length, total, page);
      if (cut !== null) terminal.say(cut);
      return;
    }
    default: {
      const { body } = await ask(api, q, { ...page, format: output.format === 'csv' ? 'csv' : 'llm' });
      output.raw(body.toString('utf8'));
    }
  }
}

/** The rows under their columns; below them how many there are, of which time, and the notes. */
export function showTable(output: Output, { columns, rows, total, range, elapsedMs, notes }: Envelope): Promise<void> {
  const counted = `${rows.length.toLocaleString('en')} of ${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}`;
  return output.table({
    columns,
    rows: rows.map((row) => columns.map(({ name }) => row[name])),
    footer: [
      `${counted}, ${range.from} to ${range.to} (${range.timezone}), ${Math.round(elapsedMs)} ms`,
      ...notes.map((note) => `Note: ${note}`),
    ],
  });
}

/** For whoever did not choose a page, and would take it for all. */
function cutNote(shown: number, total: number | null, { limit, offset }: Page): string | null {
  if (total === null || limit !== undefined || offset !== undefined || total <= shown) return null;
  return `wl: ${shown.toLocaleString('en')} of ${total.toLocaleString('en')} rows; --limit and --offset show the others`;
}
