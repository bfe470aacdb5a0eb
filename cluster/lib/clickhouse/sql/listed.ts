/** Fields that a query lists, and what its rows are sorted by. */
import {
  type Cell,
  columnsOf,
  type ColumnType,
  formatTime,
  type ListedField,
  type Plan,
  readJson,
  type Zone,
} from '../../../../lib/seam.ts';
import { keyColumn } from './groups.ts';
import type { ColumnSql } from './metrics.ts';
import type { Rows } from './rows.ts';
import { NOTHING, nullable, numberCell, sql, textCell, type Sql } from './statement.ts';
import type { Value } from './values.ts';

/** The cells of chosen fields, of the type that was sent. */
export function listedColumns(plan: Plan, fields: readonly ListedField[], rows: Rows): ColumnSql[] {
  const columns = columnsOf(plan);
  return fields.map(({ field }, at) => listedColumn(rows.value(field), columns[at]!.type, rows.zone));
}

function listedColumn(value: Value, type: ColumnType, zone: Zone): ColumnSql {
  switch (type) {
    case 'json':
      return { columns: [value.json], read: ([cell]) => nullable(cell, (json) => typedCell(json, null)) };
    case 'time':
      return { columns: [value.group.key], read: ([cell]) => nullable(cell, numberCell) };
    case 'number':
    case 'seconds':
      return { columns: [value.number], read: ([cell]) => nullable(cell, numberCell) };
    default:
      return keyColumn(value.group, zone);
  }
}

/** Numbers by size and before texts, whole ones beyond 2^53 by their digits; what is missing comes last either way. */
export function sortOf(value: Value, type: ColumnType, descending: boolean): Sql {
  const direction = descending ? sql` DESC` : NOTHING;
  if (type === 'time') return sql`${value.group.key} IS NULL, ${value.group.key}${direction}, `;
  const number = sql`ifNull(${value.number}, 0)`;
  const plain = sql`ifNull(${value.text}, '')`;
  const float = sql`if(abs(${number}) >= 9007199254740992 AND abs(${number}) < 1e76, toInt256(${number}), 0)`;
  const digits = sql`if(match(${plain}, '^[+-]?[0-9]{16,}$'), toInt256OrZero(${plain}), ${float})`;
  const text = sql`if(${value.number} IS NULL, ${plain}, '')`;
  return sql`${value.text} IS NULL, ${value.number} IS NULL${direction}, ${number}${direction}, ${digits}${direction}, ${text}${direction}, `;
}

/** A cell of its JSON text. @param zone Of a time: it is printed. */
export function typedCell(json: unknown, zone: Zone | null): Cell {
  const cell: unknown = readJson(textCell(json));
  if (typeof cell === 'number' && zone !== null) return formatTime(cell, zone);
  if (cell === null || typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean') return cell;
  return Array.isArray(cell) ? cell : { ...cell };
}
