/** Columns of the answer that stages name. */
import { failAt, type BindingScope } from './binding.ts';
import { nearest } from '../../base/text/nearest.ts';
import type { ColumnRef } from '../parse/syntax.ts';
import type { TableColumn } from '../plan/table.ts';

/** The index of a column. Throws QueryError that lists the columns for one that the answer lacks. @param hints For the error. */
export function bindColumn(
  binding: BindingScope,
  { text, start, end }: ColumnRef,
  columns: readonly TableColumn[],
  hints: readonly string[] = [],
): number {
  const index = findColumn(text, columns);
  if (index !== -1) return index;
  const names = columns.map(({ name }) => name);
  const meant = nearest(text, names);
  return failAt(binding, { start, end }, `expected a column of the answer: ${names.join(', ')}`, [
    ...(meant === null ? [] : [`did you mean \`${meant}\`?`]),
    ...hints,
  ]);
}

/** As printed; blanks inside a metric's brackets and the case of its name do not matter. */
function findColumn(text: string, columns: readonly TableColumn[]): number {
  const exact = columns.findIndex(({ name }) => name === text);
  if (exact !== -1 || !text.endsWith(')')) {
    return exact;
  }
  const squeezed = squeeze(text);
  return columns.findIndex(({ name }) => squeeze(name) === squeezed);
}

function squeeze(name: string): string {
  const open = name.indexOf('(');
  return open === -1 ? name : name.slice(0, open).trim().toLowerCase() + name.slice(open).replaceAll(/\s/g, '');
}
