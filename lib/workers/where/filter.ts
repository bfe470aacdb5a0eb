/** A condition over one set of rows as a tree of tables and masks, each 0 or 1, evaluated by blocks of rows. */
import type { DidField } from '../../dsl/plan/did.ts';
import type { Condition, Field, Test } from '../../dsl/plan/plan.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { RowContext } from '../query-context.ts';
import type { CodeArray, FieldColumn, RowNumbers } from '../rows/field-column.ts';
import { personsOf, entriesIn, readOf, type RowRange, type RowSet } from '../rows/row-set.ts';
import { numberRange, type NumberRange } from './number-range.ts';
import { numberTest } from './test-tables.ts';
import { Lease, primitives, wordsAt } from '../../primitives/memory.ts';
import { CHECK_EVERY } from '../check-every.ts';

/**
 * `table`: passes[codes[row]]; `only` is the one code that passes, if there is just one. `mask`: bytes[row]. `rows`: all that pass,
 * ascending. `constant`: the same for all rows.
 */
export type Filter =
  | { readonly kind: 'constant'; readonly value: 0 | 1 }
  | { readonly kind: 'table'; readonly codes: CodeArray; readonly passes: Uint8Array; readonly only: number | null }
  | { readonly kind: 'mask'; readonly bytes: Uint8Array }
  | { readonly kind: 'rows'; readonly rows: Uint32Array }
  | { readonly kind: 'not'; readonly term: Filter }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] };

const NONE: Filter = { kind: 'constant', value: 0 };
export const ALL: Filter = { kind: 'constant', value: 1 };

/** The rows with one code. No table is read where only one passes. */
export function onlyCode(codes: CodeArray, only: number): Filter {
  return { kind: 'table', codes, passes: NO_TABLE, only };
}

const NO_TABLE = new Uint8Array(0);

/** Decides what can be decided without rows: `constant` says that all rows or none pass. */
export function filterOf(condition: Condition | null, rows: RowSet, context: RowContext): Filter {
  if (condition === null) return ALL;
  switch (condition.kind) {
    case 'constant':
      return condition.value ? ALL : NONE;
    case 'not':
      return negate(filterOf(condition.term, rows, context));
    case 'and':
    case 'or':
      return join(condition.kind, condition.terms, (term) => filterOf(term, rows, context));
    case 'test':
      return condition.field.kind === 'did'
        ? personFilter(condition.field, condition.test, rows, context)
        : testFilter(condition.field, condition.test, rows, context);
    default:
      return unreachable(condition);
  }
}

/** Rows that pass two filters. */
export function both(one: Filter, two: Filter): Filter {
  if (one.kind === 'constant') return one.value === 1 ? two : one;
  return two.kind === 'constant' ? both(two, one) : { kind: 'and', terms: [one, two] };
}

function negate(term: Filter): Filter {
  if (term.kind === 'constant') return term.value === 1 ? NONE : ALL;
  return term.kind === 'not' ? term.term : { kind: 'not', term };
}

/** Skips the terms after one that decides, so their columns are not read. */
function join(kind: 'and' | 'or', terms: readonly Condition[], of: (term: Condition) => Filter): Filter {
  const decisive = kind === 'and' ? 0 : 1;
  const open: Filter[] = [];
  for (const term of terms) {
    const filter = of(term);
    if (filter.kind !== 'constant') open.push(filter);
    else if (filter.value === decisive) return filter;
  }
  const [only] = open;
  if (only === undefined) return decisive === 0 ? ALL : NONE;
  return open.length === 1 ? only : { kind, terms: open };
}

/** One look-up a row. */
function personFilter(field: DidField, test: Test, rows: RowSet, context: RowContext): Filter {
  const passes = context.personsWho(field, test);
  const codes = personsOf(rows);
  if (codes === null) return passes[0] === 1 ? ALL : NONE;
  return { kind: 'table', codes, passes, only: null };
}

function testFilter(field: Field, test: Test, rows: RowSet, context: RowContext): Filter {
  const column = rows.field(field);
  if (column === null) return NONE;
  const coded = codesFilter(column, test, context);
  const { numbers, times } = column;
  return numbers === null ? coded : withNumbers(coded, numbers, { test, times, rows, context });
}

function codesFilter({ codes, dictionary }: FieldColumn, test: Test, context: RowContext): Filter {
  if (codes === null || dictionary === null) return NONE;
  const { passes, count, one } = context.tables.of(test, dictionary, context.checkpoint);
  return count === 0 ? NONE : { kind: 'table', codes, passes, only: count === 1 ? one : null };
}

interface NumberTest {
  readonly test: Test;
  readonly times: boolean;
  readonly rows: RowSet;
  readonly context: RowContext;
}

/** Tests numbers row by row: into a list where only some rows have one, else into a mask, on top of what the codes say. */
function withNumbers(coded: Filter, { rows, values }: RowNumbers, of: NumberTest): Filter {
  if (coded === NONE && rows !== null) return { kind: 'rows', rows: passingRows({ rows, values }, of) };
  const passes = numberTest(of.test, of.times, of.context.zone);
  const { from, to } = readOf(of.rows);
  const bytes = new Uint8Array(of.rows.rows);
  if (coded.kind === 'table') for (let row = from; row < to; row++) bytes[row] = coded.passes[coded.codes[row]!]!;
  const read = entriesIn(rows, { from, to });
  for (let i = read.from; i < read.to; i++) {
    if (i % CHECK_EVERY === 0) of.context.checkpoint();
    if (passes(values[i]!)) bytes[rows === null ? i : rows[i]!] = 1;
  }
  return { kind: 'mask', bytes };
}

type SomeNumbers = RowNumbers & { readonly rows: Uint32Array };

function passingRows(column: SomeNumbers, { test, times, rows, context }: NumberTest): Uint32Array {
  const { from, to } = entriesIn(column.rows, readOf(rows));
  if (test.op === 'exists') return column.rows.subarray(from, to);
  const range = numberRange(test);
  if (range !== null) return rowsBetween(column, { from, to }, range, context);
  const passes = numberTest(test, times, context.zone);
  const passing = new Uint32Array(to - from);
  let length = 0;
  for (let i = from; i < to; i++) {
    if (i % CHECK_EVERY === 0) context.checkpoint();
    if (passes(column.values[i]!)) passing[length++] = column.rows[i]!;
  }
  return passing.subarray(0, length);
}

function rowsBetween(
  { rows, values }: SomeNumbers,
  { from, to }: RowRange,
  { least, most }: NumberRange,
  { memory }: Pick<RowContext, 'memory'>,
): Uint32Array {
  using lease = new Lease();
  const [own, numbers] = [lease.hold(rows.subarray(from, to)), lease.hold(values.subarray(from, to))];
  const out = memory.take(own.length * 4);
  const length = primitives.pickBetween(numbers.byteOffset, own.byteOffset, own.length, least, most, out);
  const passing = new Uint32Array(wordsAt(out, length));
  memory.give(out);
  return passing;
}
