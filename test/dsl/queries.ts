/** Queries for tests: compiled on a Friday afternoon, errors with their position marked in the text. */
import { expect } from 'chai';
import type { BindContext } from '../../lib/dsl/bind/bind.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import { AppError } from '../../lib/base/errors.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Friday, 2026-11-20T14:30:15.123Z. */
export const NOW = Date.UTC(2026, 10, 20, 14, 30, 15, 123);

export const CONTEXT: BindContext = { now: NOW, timezone: { project: 'UTC' }, limit: 100, offset: 0 };

export function planOf(query: string, context: Partial<BindContext> = {}): Plan {
  return compileQuery(query, { ...CONTEXT, ...context }).plan;
}

/** The plan, which must have this kind. */
export function planAs<K extends Plan['kind']>(kind: K, query: string): Plan & { readonly kind: K } {
  const plan = planOf(query);
  const isWanted = (other: Plan): other is Plan & { readonly kind: K } => other.kind === kind;
  if (!isWanted(plan)) {
    throw new Error(`${query} is ${plan.kind}, not ${kind}`);
  }
  return plan;
}

/** The error of a query. */
export function errorOf(query: string, context: Partial<BindContext> = {}): AppError {
  try {
    compileQuery(query, { ...CONTEXT, ...context });
  } catch (error) {
    if (error instanceof AppError) {
      return error;
    }
    throw error;
  }
  throw new Error(`expected an error of: ${query}`);
}

const MARK = '▲';

/** Expects an error at the mark `▲` in the text, with a first line that says `saying`. */
export function expectError(marked: string, saying: string): void {
  const position = marked.indexOf(MARK);
  const query = marked.replace(MARK, '');
  const { data } = errorOf(query);
  expect(data.code).to.equal('bad_query');
  const lines = data.message.split('\n');
  expect(lines[0], query).to.include(saying);
  expect(query.slice(0, data.position) + MARK + query.slice(data.position)).to.equal(marked);
  const shown = query.slice(0, position).split('\n').length - 1;
  expect(lines[1], 'the line of the query').to.equal(query.split('\n')[shown]);
  expect(lines[2]?.length, 'the caret line').to.equal(position - query.lastIndexOf('\n', position - 1));
  expect(lines[2]).to.match(/^\s*\^$/);
  expect(lines).to.have.length(3);
}
