/** Golden files against a subject: expected answers, actual answers, and the difference. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { AppError } from '../../lib/base/errors.ts';
import { compile } from './compile.ts';
import { parseGolden, type GoldenFile } from './golden-file.ts';
import { alignTable, printRows, unalignTable } from './print-rows.ts';
import type { Subject } from './subject.ts';

/** Tests run from the repository root. */
export const GOLDEN_FOLDER = join(process.cwd(), 'test', 'golden');

/** Paths below the folder without their extension, sorted: `funnel/two-steps`. */
export function goldenNames(): string[] {
  return readdirSync(GOLDEN_FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.golden'))
    .map((entry) => relative(GOLDEN_FOLDER, join(entry.parentPath, entry.name)).replace(/\.golden$/, ''))
    .sort();
}

export function readGolden(name: string): GoldenFile {
  const fixture = (of: string): string => readFileSync(join(GOLDEN_FOLDER, '_fixtures', `${of}.events`), 'utf8');
  return parseGolden(readFileSync(goldenPath(name), 'utf8'), fixture);
}

export function goldenPath(name: string): string {
  return join(GOLDEN_FOLDER, `${name}.golden`);
}

/** A subject's answer, as the lines of an expected part. */
export interface Outcome {
  readonly lines: readonly string[];
  readonly total: number | null;
  /** For an error. */
  readonly message: string | null;
}

export async function runGolden(golden: GoldenFile, subject: Subject): Promise<Outcome> {
  try {
    const plans = compile(golden.query, golden.context, golden.world);
    await subject.load(golden.world);
    const answer = await subject.query(plans);
    return { lines: printRows(answer, plans.bound.zone, golden.columns), total: answer.total, message: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const position = error.data.position ?? golden.query.length;
    return { lines: caretLines(golden.query, position), total: null, message: error.data.message };
  }
}

/** The line around a position, and the caret below it: one blank per character. */
function caretLines(query: string, position: number): string[] {
  const before = query.slice(0, position).split('\n');
  const line = query.split('\n')[before.length - 1] ?? '';
  return [line, `${' '.repeat(Array.from(before.at(-1) ?? '').length)}^`];
}

/** What the file expects, in the same form. */
export function expectedLines({ expected }: GoldenFile): readonly string[] {
  return expected.kind === 'rows' ? unalignTable(expected.lines) : expected.lines;
}

/** The expected part that this outcome would satisfy. */
export function printExpected(golden: Pick<GoldenFile, 'expected'>, outcome: Outcome): string[] {
  if (outcome.message === null) return ['--- rows', ...alignTable(outcome.lines)];
  const says = golden.expected.kind === 'error' ? golden.expected.says : [];
  return ['--- error', ...outcome.lines, ...says.map((text) => `says: ${text}`)];
}
