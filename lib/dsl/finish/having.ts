/** `having`: keeps the rows whose cells pass a condition, as `where` would test them. */
import { unreachable } from '../../base/unreachable.ts';
import { pathText } from './path-text.ts';
import type { ConditionOn, Test } from '../plan/plan.ts';
import type { Cell, Table, TableColumn, WholeTable } from '../plan/table.ts';
import { compileTest, looksIntoText, type Value } from '../plan/value.ts';
import { formatTime } from '../time/format-time.ts';
import type { Zone } from '../time/zone.ts';

type Row = Table['rows'][number];

/** @param zone Times are printed in this zone, and tested as texts so. */
export function rowsHaving({ columns, rows }: WholeTable, condition: ConditionOn<number>, zone: Zone): WholeTable {
  return { columns, rows: rows.filter(compile(condition, columns, zone)) };
}

function compile(condition: ConditionOn<number>, columns: readonly TableColumn[], zone: Zone): (row: Row) => boolean {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const terms = condition.terms.map((term) => compile(term, columns, zone));
      return condition.kind === 'and'
        ? (row) => terms.every((holds) => holds(row))
        : (row) => terms.some((holds) => holds(row));
    }
    case 'not': {
      const holds = compile(condition.term, columns, zone);
      return (row) => !holds(row);
    }
    case 'test': {
      const { field: at, test } = condition;
      const passes = compileTest(test);
      const valueOf = readerOf(columns[at]!, test, zone);
      return (row) => passes(valueOf(row[at] ?? null));
    }
    case 'constant':
      return () => condition.value;
    default:
      return unreachable(condition);
  }
}

/** The value that is tested of a cell: of a time where a text is looked for, and of a path, the text that is printed. */
function readerOf({ type, role }: TableColumn, test: Test, zone: Zone): (cell: Cell) => Value {
  if (type === 'time' && looksIntoText(test)) {
    return (cell) => (typeof cell === 'number' ? { type: 'string', text: formatTime(cell, zone) } : valueOfCell(cell));
  }
  if (type === 'json' && role === 'group') {
    return (cell) => valueOfCell(pathText(cell) ?? cell);
  }
  return valueOfCell;
}

function valueOfCell(cell: Cell): Value {
  if (cell === null || typeof cell === 'number') return cell;
  if (typeof cell === 'string') return { type: 'string', text: cell };
  if (typeof cell === 'boolean') return { type: 'boolean', text: String(cell) };
  return { type: Array.isArray(cell) ? 'array' : 'object', text: JSON.stringify(cell) };
}
