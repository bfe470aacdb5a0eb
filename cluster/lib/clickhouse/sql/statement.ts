/**
 * Pieces of SQL and the values bound to them. A hole of the template takes only other pieces, so that no text from outside
 * becomes SQL: it is a value (`text`), or it does not compile.
 */
import type { Slots } from '../hot/slots.ts';

/** A value of a statement. ClickHouse gets it beside the text, with its type. */
type Bound =
  | { readonly type: 'String'; readonly value: string }
  | { readonly type: 'Float64'; readonly value: number }
  | { readonly type: 'Array(String)'; readonly value: readonly string[] }
  | { readonly type: 'Array(Float64)'; readonly value: readonly number[] };

export type ParameterValue = Bound['value'];

/** A statement as it is sent: `{p1:String}` stands for `params.p1`. */
export interface Printed {
  readonly sql: string;
  readonly params: Readonly<Record<string, ParameterValue>>;
}

export class Sql {
  readonly pieces: readonly (string | Bound)[];

  /** Only for this file: others write `sql` and bind values. */
  constructor(pieces: readonly (string | Bound)[]) {
    this.pieces = pieces;
  }
}

/** SQL with other SQL in its holes. */
export function sql(texts: TemplateStringsArray, ...holes: readonly Sql[]): Sql {
  return new Sql(texts.flatMap((text, at) => [text, ...(holes[at]?.pieces ?? [])]));
}

export const text = (value: string): Sql => new Sql([{ type: 'String', value }]);
export const number = (value: number): Sql => new Sql([{ type: 'Float64', value }]);
export const texts = (value: readonly string[]): Sql => new Sql([{ type: 'Array(String)', value }]);
export const numbers = (value: readonly number[]): Sql => new Sql([{ type: 'Array(Float64)', value }]);

/** A whole number, written out: a time, a count. Infinite ones are the greatest that ClickHouse's Int64 holds. */
export function whole(value: number): Sql {
  if (value === Infinity) return new Sql(['9223372036854775807']);
  if (value === -Infinity) return new Sql(['-9223372036854775807']);
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return new Sql([String(value)]);
}

/** A name that the program made itself: of a column of our tables, or an alias such as `g0`. */
export function name(identifier: string): Sql {
  if (!/^[a-z_][a-z0-9_]*$/.test(identifier)) throw new Error('not a name of ours');
  return new Sql([identifier]);
}

/** The pieces in a row, with this text between them. */
export function join(pieces: readonly Sql[], between: ', ' | ' AND ' | ' OR ' | ' + ' | ' UNION ALL ' | ' '): Sql {
  return new Sql(pieces.flatMap((piece, at) => (at === 0 ? piece.pieces : [between, ...piece.pieces])));
}

export const NOTHING = sql``;

/** True of every row. */
export const TRUE = sql`1`;
export const FALSE = sql`0`;

/** All hold; of none, true. */
export const all = (conditions: readonly Sql[]): Sql => joined(conditions, ' AND ', TRUE);

/** One holds; of none, false. */
export const any = (conditions: readonly Sql[]): Sql => joined(conditions, ' OR ', FALSE);

function joined(conditions: readonly Sql[], between: ' AND ' | ' OR ', ofNone: Sql): Sql {
  if (conditions.length === 0) return ofNone;
  return conditions.length === 1 ? conditions[0]! : sql`(${join(conditions, between)})`;
}

/** The statement, with each value bound once however often it occurs. */
export function print({ pieces }: Sql): Printed {
  const names = new Map<string, string>();
  const params: Record<string, ParameterValue> = {};
  const written = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const key = `${piece.type} ${JSON.stringify(piece.value)}`;
    const known = names.get(key) ?? `p${names.size + 1}`;
    names.set(key, known);
    params[known] = piece.value;
    return `{${known}:${piece.type}}`;
  });
  return { sql: written.join(''), params };
}

/** Whose rows a statement reads. */
export interface Tenant {
  /** The project. */
  readonly id: string;
  /** Which of its properties have columns; those that are left out are found in maps. */
  readonly slots: Slots;
}

/** Cells as ClickHouse answers them. Another type than was asked for is a bug. */
export type Cells = readonly unknown[];

/** Rows of an answer. */
export type Found = readonly Cells[];

export function textCell(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  throw strange('text', cell);
}

export function numberCell(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  throw strange('number', cell);
}

export function arrayCell(cell: unknown): readonly unknown[] {
  if (Array.isArray(cell)) return cell;
  throw strange('array', cell);
}

/** A text, or null where there is none. */
export const textOrNull = (cell: unknown): string | null => (typeof cell === 'string' ? cell : null);

/** The same, also where it is ''. */
export const filledOrNull = (cell: unknown): string | null => (cell === '' ? null : textOrNull(cell));

/** NULL stays so. */
export const nullable = <T>(cell: unknown, read: (cell: unknown) => T): T | null => (cell === null ? null : read(cell));

const strange = (wanted: string, cell: unknown): Error => new Error(`ClickHouse answered ${typeof cell} for ${wanted}`);
