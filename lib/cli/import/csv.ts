/** Rows of CSV as records: text by column. */
import { CsvError, Parser } from 'csv-parse';
import { counted } from '../text.ts';
import { BrokenPart, type ReadRecord } from './part.ts';
import { peek } from './peek.ts';

/** Bytes of a row: a quote that never closes makes one of all that follows it. */
const LONGEST_ROW = 1_048_576;
/** Columns: an event has place for as many properties, and wider tables are no lists of events. */
const MOST_COLUMNS = 2_000;

/** What may stand between cells; the first line shows which does. */
const DELIMITERS = [',', ';', '\t', '|'];

/** Rows as they come, a list for each chunk. @param chunks UTF-8. Rejects with BrokenPart where no further row can be told. */
export async function* csvRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly ReadRecord[]> {
  const { first, all } = await peek(chunks);
  const rows = new Rows();
  let failure: Error | null = null;
  const parser = new Parser({
    delimiter: delimiterOf(first),
    max_record_size: LONGEST_ROW,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: readonly string[], { lines }) => {
      rows.add(cells, lines);
      return null;
    },
  });
  parser.on('error', (error) => (failure ??= error)).resume();
  for await (const chunk of all) {
    await new Promise<void>((resolve) => parser.write(chunk, () => resolve()));
    yield rows.taken();
    if (failure !== null) throw broken(failure, rows.line);
  }
  await new Promise<void>((resolve) => parser.once('close', resolve).end());
  yield rows.taken();
  if (failure !== null) throw broken(failure, rows.line);
}

/** The one that the first line has most of. */
function delimiterOf(first: Buffer): string {
  const [line = ''] = first.toString('utf8').split('\n', 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

class Rows {
  #columns: readonly string[] | null = null;
  #rows: ReadRecord[] = [];
  /** The last one that was read. */
  line = 0;

  taken(): readonly ReadRecord[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  add(cells: readonly string[], line: number): void {
    this.line = line;
    const columns = this.#columns;
    if (columns === null) this.#columns = columnsOf(cells);
    else if (cells.length === columns.length) this.#rows.push({ line, record: recordOf(columns, cells) });
    else {
      const problem = `it has ${counted(cells.length, 'cell')}, and the first line ${counted(columns.length, 'column')}`;
      this.#rows.push({ line, problem });
    }
  }
}

function recordOf(columns: readonly string[], cells: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < columns.length; at++) record[columns[at]!] = cells[at]!;
  return record;
}

/** Names of columns, each of them once: a second `date` is `date_2`. */
function columnsOf(cells: readonly string[]): readonly string[] {
  if (cells.length > MOST_COLUMNS)
    throw new BrokenPart(
      `it has ${counted(cells.length, 'column')}, and an import takes at most ${MOST_COLUMNS.toLocaleString('en')}: export fewer`,
    );
  const seen = new Map<string, number>();
  return cells.map((cell, at) => {
    const trimmed = cell.trim();
    const name = trimmed === '' || trimmed === '__proto__' ? `column_${at + 1}` : trimmed;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}

function broken(failure: Error, line: number): Error {
  if (failure instanceof BrokenPart) return failure;
  if (!(failure instanceof CsvError)) return failure;
  const isQuote = failure.code === 'CSV_QUOTE_NOT_CLOSED' || failure.code === 'CSV_MAX_RECORD_SIZE';
  return new BrokenPart(
    isQuote
      ? `a quote opens after line ${line} and does not close: nothing after it was read`
      : `after line ${line}: ${failure.message}`,
  );
}
