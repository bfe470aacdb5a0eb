/** Text → records with their lines. */
import { isRecord } from '../../base/is-record.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';
import { LineSplitter, type EventLine } from '../track/lines.ts';
import { csvRecords } from './csv.ts';
import { ObjectSplitter } from './objects.ts';
import type { ReadRecord } from './part.ts';
import { peek } from './peek.ts';

export interface Records {
  readonly kind: 'lines' | 'csv';
  /** In lists, as chunks bring them. */
  readonly lists: AsyncGenerator<readonly ReadRecord[]>;
}

/** Bytes of a line or an object: a page of profiles is one, and far below it. */
const LONGEST = 16_777_216;

/** @param chunks UTF-8. Lines of JSON, an array of it, or CSV, by the first character. */
export async function recordsOf(chunks: AsyncIterable<Buffer>): Promise<Records> {
  const { first, all } = await peek(chunks);
  const start = first.toString('utf8').trimStart();
  if (start !== '' && !/^[[{]/.test(start)) return { kind: 'csv', lists: csvRecords(all) };
  // Also objects that are written over several lines.
  const isSpread = start.startsWith('[') || /^\{\s*\n/.test(start);
  return { kind: 'lines', lists: jsonRecords(all, isSpread ? new ObjectSplitter(LONGEST) : new LineSplitter(LONGEST)) };
}

async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  splitter: LineSplitter | ObjectSplitter,
): AsyncGenerator<readonly ReadRecord[]> {
  for await (const chunk of chunks) yield readAll(splitter.push(chunk), CUT_NEVER);
  yield readAll(splitter.end(), ' to its end, where the file ends: is it complete?');
}

const CUT_NEVER = '';

/** @param cut Completes what is said of a line that is not JSON. */
function readAll(lines: Iterable<EventLine>, cut: string): readonly ReadRecord[] {
  const records: ReadRecord[] = [];
  for (const line of lines) {
    const read = 'problem' in line ? { line: line.number, problem: line.problem } : readLine(line, cut);
    if (read !== null) records.push(read);
  }
  return records;
}

/** null: it is blank. */
function readLine(
  { number: line, bytes, from, to }: Exclude<EventLine, { problem: string }>,
  cut: string,
): ReadRecord | null {
  const text = bytes.toString('utf8', from, to);
  try {
    const record = readJsonWithDigits(text, (digits) => digits);
    return isRecord(record) ? { line, record } : { line, problem: 'it is not a JSON object' };
  } catch {
    return text.trim() === '' ? null : { line, problem: `it is not JSON${cut}` };
  }
}
