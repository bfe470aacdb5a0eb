import type { Answer, AnswerFormat } from '../../lib/dsl/format/answer.ts';
import { frameAnswer } from '../../lib/dsl/format/frame.ts';
import { formatPage } from '../../lib/dsl/format/page.ts';
import type { Table } from '../../lib/dsl/plan/table.ts';

/** The contents of an answer. */
export interface TableAnswer extends Omit<Answer, 'page'> {
  readonly table: Table;
}

/** A whole answer, as clients read it. */
export function formatAnswer(
  format: AnswerFormat,
  { table, ...facts }: TableAnswer,
  options: { readonly envelope?: boolean } = {},
): { contentType: string; body: string } {
  const page = formatPage(format, table, facts.zone);
  const { contentType, before, after } = frameAnswer(format, { ...facts, page }, options);
  return { contentType, body: before + Buffer.from(page.text).toString('utf8') + after };
}
