/** Cells as somebody sees them who sees no personal data. */
import { hashedId } from '../../base/hashed-id.ts';
import { isRecord } from '../../base/is-record.ts';
import { unreachable } from '../../base/unreachable.ts';
import { readString } from '../parse/lex-string.ts';
import { findField } from '../plan/fields.ts';
import { heldBy, type Held, isHidden, isId, isPersonal, withoutPersonal } from '../plan/personal.ts';
import type { Hides } from '../plan/hides.ts';
import type { Plan } from '../plan/plan.ts';
import type { Cell, TableColumn } from '../plan/table.ts';

type Row = readonly Cell[];

/**
 * The rows with hashes for ids, and without personal properties and samples; the same rows if everything may be seen. Columns that
 * hold personal fields stay, empty: `shownOf` leaves them out. @param columns `columnsOf(plan)`.
 */
export function hide(plan: Plan, columns: readonly TableColumn[], rows: readonly Row[]): readonly Row[] {
  const { hides } = plan;
  if (hides === undefined) return rows;
  const changes = heldBy(plan, columns).map((held) => changeOf(held, hides));
  if (changes.every((change) => change === null)) return rows;
  return rows.map((row) => row.map((cell, at) => (changes[at] ?? same)(cell, row)));
}

type Change = (cell: Cell, row: Row) => Cell;

const same: Change = (cell) => cell;

/** Of ids and names of fields, which are texts. */
const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

/** What becomes of the cells of a column; null: they stay. */
function changeOf(held: Held, { key, personal }: Hides): Change | null {
  switch (held?.kind) {
    case undefined:
      return null;
    case 'field':
      if (isHidden(held, personal)) return () => null;
      return key !== null && isId(held.field) ? (cell) => (cell === null ? null : hashedId(key, textOf(cell))) : null;
    case 'event':
    case 'sent':
    case 'profile': {
      const { kind } = held;
      if (personal === 'profiles') return kind === 'event' ? null : () => null;
      return (cell) => (isRecord(cell) ? withoutPersonal(cell, kind, personal) : null);
    }
    case 'samples':
      return (cell, [name = null]) => (isSampled(textOf(name), { key, personal }) ? cell : null);
    default:
      return unreachable(held);
  }
}

/** @param name Of a field of events, as `inspect` prints it. */
function isSampled(name: string, { key: hashKey, personal }: Hides): boolean {
  const quoted = name.indexOf('"');
  const key = quoted < 0 ? null : readString(name, quoted);
  const field = findField('events', key?.kind === 'string' ? name.slice(0, quoted) + key.value : name, true);
  return field !== null && (hashKey === null || !isId(field)) && !isPersonal(field, personal);
}
