/**
 * Answers as Markdown tables that keep types apart: a missing cell is blank, a text that could be read as something else is
 * quoted, a time is in the answer's zone, a number has at most nine significant digits.
 */
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import type { Answer } from '../oracle/table.ts';
import { instantText } from '../oracle/zone.ts';

/** @param columns Names; null: those in which some row has a value, and all if there are no rows. */
export function printRows(answer: Answer, zone: string, columns: readonly string[] | null): string[] {
  const used = answer.columns.flatMap((column, index) => {
    const wanted = columns === null ? isUsed(answer, index) : columns.includes(column.name);
    return wanted ? [{ column, index }] : [];
  });
  const order = columns === null ? used : columns.flatMap((name) => used.filter(({ column }) => column.name === name));
  return [
    order.map(({ column }) => printText(column.name)),
    ...answer.rows.map((row) => order.map(({ column, index }) => printCell(row[index] ?? null, column, zone))),
  ].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Pads the cells of a table's lines to columns, and adds a rule below its head. */
export function alignTable(lines: readonly string[]): string[] {
  const rows = lines.map((line) => line.slice(2, -2).split(' | '));
  const [head = []] = rows;
  const widths = head.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const print = (row: readonly string[]): string =>
    `| ${widths.map((width, index) => (row[index] ?? '').padEnd(width)).join(' | ')} |`;
  return [print(head), print(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(print)];
}

/** A table's lines without padding and rule. */
export function unalignTable(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !/^[|\s-]+$/.test(line) || !line.includes('---'))
    .map(
      (line) =>
        `| ${line
          .trim()
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim())
          .join(' | ')} |`,
    );
}

/** A list has many columns that are empty in all rows. */
function isUsed(answer: Answer, index: number): boolean {
  if (answer.columns.length < 12 || answer.rows.length === 0 || answer.columns[index]?.role !== 'value') return true;
  return answer.rows.some((row) => (row[index] ?? null) !== null && !isEmptyObject(row[index]));
}

function isEmptyObject(cell: Cell | undefined): boolean {
  return typeof cell === 'object' && cell !== null && Object.keys(cell).length === 0;
}

function printCell(cell: Cell, column: TableColumn, zone: string): string {
  if (cell === null) return '';
  if (column.type === 'time' && typeof cell === 'number') return instantText(cell, zone);
  if (typeof cell === 'number') return printNumber(cell);
  if (typeof cell === 'boolean') return String(cell);
  if (typeof cell === 'string') return printText(cell);
  return escapeBars(JSON.stringify(isList(cell) ? cell : sortKeys(cell)));
}

/** `Array.isArray` does not distinguish readonly arrays from objects. */
function isList(cell: readonly unknown[] | { readonly [key: string]: unknown }): cell is readonly unknown[] {
  return Array.isArray(cell);
}

/** Integers exactly; others to nine digits, as sums of floats may differ in the last ones. */
function printNumber(n: number): string {
  return String(Number.isInteger(n) ? n + 0 : Number(n.toPrecision(9)));
}

/** A text as it is, or quoted if it could be taken for another type or for nothing, or break the line. */
function printText(text: string): string {
  const plain = /^[^\s"[{|\p{C}](?:[^|\p{C}\n]*[^\s|\p{C}])?$/u.test(text);
  const taken = /^(true|false|null)$/.test(text) || !Number.isNaN(Number(text));
  return escapeBars(plain && !taken ? text.replace(/^evt_.*$/s, 'evt_…') : JSON.stringify(text));
}

function escapeBars(text: string): string {
  return text.replaceAll('|', '\\u007c');
}

/** Sorts the top level only: the properties of an event come back in any order, nested ones in theirs. */
function sortKeys(object: { readonly [key: string]: unknown }): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
