/**
 * Sums that lose nothing, whatever the order of rows and the number of servers. ClickHouse adds integers: a number is split into
 * its whole part and its fraction in units of 2 ** -60. The few that do not fit are added by their exponent, as ClickHouse's map
 * of mantissas. The service puts the integers together and rounds once.
 */
import { nearestFloat, nearestQuotient } from '../../base/nearest-float.ts';
import { sql, type Sql, arrayCell, numberCell, textCell, type Cells } from './statement.ts';

/** Some numbers are too large or too fine for `quickColumns`: `momentColumns` must be asked for. */
export class FarNumbers extends Error {}

/**
 * The columns that `quickSum` reads: the whole part, and two times 60 binary digits of the fraction. They cost ClickHouse half of what
 * `momentColumns` do. @param x NULL where there is no number.
 */
export function quickColumns(x: Sql): readonly Sql[] {
  const size = sql`4611686018427387904`; // 2 ** 62
  const near = sql`if(abs(${x}) < ${size}, ${x}, 0)`;
  const first = sql`((${near} - trunc(${near})) * 1152921504606846976)`; // 2 ** 60
  const second = sql`((${first} - trunc(${first})) * 1152921504606846976)`;
  const added = (part: Sql): Sql => sql`toString(sum(toInt128(toInt64(${part}))))`;
  return [
    sql`count(${x})`,
    added(sql`trunc(${near})`),
    added(sql`trunc(${first})`),
    added(second),
    sql`countIf(${x} IS NOT NULL AND (abs(${x}) >= ${size} OR ${second} != trunc(${second})))`,
  ];
}

/** A number and, for `squares`, its square are summed. */
export type Powers = 'sums' | 'squares';

/** The columns that `exactMoments` reads. @param x NULL where there is no number. */
export function momentColumns(x: Sql, powers: Powers): readonly Sql[] {
  // An infinite number is no integer, not even of a branch that is not taken.
  const finite = sql`if(isFinite(${x}), ${x}, 0)`;
  const fraction = sql`((${finite} - trunc(${finite})) * 1152921504606846976)`;
  const near = sql`(${fraction} = trunc(${fraction}) AND abs(${x}) < ${powers === 'sums' ? sql`4611686018427387904` : sql`1099511627776`})`;
  const far = sql`(NOT ${near} AND ${x} IS NOT NULL)`;
  const wholes = sql`toInt64(trunc(${finite}))`;
  const parts = sql`toInt64(${fraction})`;
  const sums = [
    sql`count(${x})`,
    sql`toString(sumIf(toInt128(${wholes}), ${near}))`,
    sql`toString(sumIf(toInt128(${parts}), ${near}))`,
    mapOf(sql`sumMapIf([${exponent(x)}], [toInt256(${mantissa(x)})], ${far})`),
  ];
  if (powers === 'sums') return sums;
  const units = sql`(toInt256(${wholes}) * 1152921504606846976 + ${parts})`;
  const square = sql`(toInt256(${mantissa(x)}) * toInt256(${mantissa(x)}))`;
  return [
    ...sums,
    sql`toString(sumIf(${units} * ${units}, ${near}))`,
    mapOf(sql`sumMapIf([${exponent(x)}], [${square}], ${far})`),
  ];
}

/** As text, since JSON's readers know no such integers. */
const mapOf = (map: Sql): Sql => sql`arrayMap((e, m) -> (e, toString(m)), ${map}.1, ${map}.2)`;

const bits = (x: Sql): Sql => sql`reinterpretAsUInt64(assumeNotNull(${x}))`;
const biased = (x: Sql): Sql => sql`bitAnd(bitShiftRight(${bits(x)}, 52), 2047)`;

/** A number is its mantissa times 2 to the power of its exponent. */
const exponent = (x: Sql): Sql => sql`(toInt32(greatest(${biased(x)}, 1)) - 1075)`;
const mantissa = (x: Sql): Sql =>
  sql`(if(${x} < 0, -1, 1) * toInt64(bitAnd(${bits(x)}, 4503599627370495) + if(${biased(x)} > 0, 4503599627370496, 0)))`;

/** Sums over numbers, in units of 2 ** -LEAST and its square. */
export interface ExactMoments {
  readonly count: number;
  readonly isFinite: boolean;
  readonly units: bigint;
  readonly squares: bigint;
  /** The sum over a divisor, rounded; NaN where a number is infinite. */
  readonly quotient: (divisor: number) => number;
}

/** The least positive float is 2 ** -LEAST. */
const LEAST = 1074;
const NEAR = 60;
/** The exponent of infinities. */
const ENDLESS = 2047 - 1075;

export function exactMoments([count, wholes, parts, far, squares, farSquares]: Cells): ExactMoments {
  const farther = mapOfCell(far);
  const near = (integer(wholes) << BigInt(NEAR)) + integer(parts);
  const units = farther.reduce((sum, [e, m]) => sum + (m << BigInt(e + LEAST)), near << BigInt(LEAST - NEAR));
  const nearSquares = integer(squares) << BigInt(2 * (LEAST - NEAR));
  const isFinite = farther.every(([e]) => e < ENDLESS);
  return {
    count: numberCell(count),
    isFinite,
    units,
    squares: mapOfCell(farSquares ?? []).reduce((sum, [e, m]) => sum + (m << BigInt(2 * (e + LEAST))), nearSquares),
    quotient: (divisor) => (isFinite ? nearestQuotient(units, LEAST, divisor) : NaN),
  };
}

/** Throws FarNumbers. */
export function quickSum([count, wholes, first, second, far]: Cells): Pick<ExactMoments, 'count' | 'quotient'> {
  if (numberCell(far) > 0) throw new FarNumbers();
  const digits = BigInt(NEAR);
  const units = (((integer(wholes) << digits) + integer(first)) << digits) + integer(second);
  return { count: numberCell(count), quotient: (divisor) => nearestQuotient(units, 2 * NEAR, divisor) };
}

/** Of the sample; null of fewer than two numbers. */
export function standardDeviation({ count, units, squares, isFinite }: ExactMoments): number | null {
  if (count < 2 || !isFinite) return null;
  const n = BigInt(count);
  const variance = ((n * squares - units * units) << BigInt(2 * MORE)) / (n * (n - 1n));
  return nearestFloat(rootOf(variance), LEAST + MORE);
}

/** Binary digits of a root beyond those of a float. */
const MORE = 128;

/** The integer root, by Newton's method from above. */
function rootOf(square: bigint): bigint {
  if (square === 0n) return 0n;
  let root = 1n << BigInt((square.toString(16).length * 4 + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

function mapOfCell(cell: unknown): (readonly [exponent: number, mantissas: bigint])[] {
  return arrayCell(cell).map((pair) => {
    const [e, m] = arrayCell(pair);
    return [numberCell(e), integer(m)];
  });
}

/** NULL is the sum of nothing. */
const integer = (cell: unknown): bigint => (cell === null || cell === undefined ? 0n : BigInt(textCell(cell)));
