/**
 * What values mean: when a text spells a number, what text a value has, how texts are ordered, and whether a value passes a
 * test. A property keeps the type it was sent with; tests compare across types as people expect.
 */
import { unreachable } from '../../base/unreachable.ts';
import { substringFinder } from './contains.ts';
import { valuesIn } from './elements.ts';
import type { PlanLiteral, Test } from './plan.ts';
import { compilePattern } from './pattern.ts';

/**
 * A stored value: a number, or a text with its type (for an object or array its compact JSON, for a boolean `true` or `false`),
 * or null for missing (absent and null alike). A time is a number, milliseconds since the epoch; where its text is tested
 * (`contains`, `~`, compared with a string), the caller passes that text as a string.
 */
export type Value = number | TextValue | null;

export interface TextValue {
  readonly type: 'string' | 'boolean' | 'object' | 'array';
  readonly text: string;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The number that the whole text spells in decimal (`-1`, `42.0`, `.5`, `1e3`); null if it spells none, or one beyond all floats:
 * a hash such as `12e4567` would make each sum infinite.
 */
export function spellsNumber(text: string): number | null {
  const number = NUMBER.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** The shortest decimal that reads back as the number; `0` for -0. */
export function numberText(n: number): string {
  return String(n);
}

/**
 * A computed number as it is printed: whole numbers exactly, others with at most 15 significant digits, as the last one of a float
 * depends on how rows lie. NaN, which is missing, of what is infinite.
 */
export function roundComputed(value: number): number {
  if (Number.isInteger(value)) return value + 0; // -0 is 0
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : NaN;
}

/**
 * The digits of a whole number beyond 2^53, of which a float does not hold all, if the whole text spells one: as ever without
 * plus and leading zeros. null: it spells none.
 */
export function longDigits(text: string): string | null {
  if (!WHOLE.test(text)) return null;
  const number = Number(text);
  return Number.isSafeInteger(number) || !Number.isFinite(number) ? null : String(BigInt(text));
}

const WHOLE = /^[+-]?\d{16,}$/;

export function textOfNumber({ value, digits }: Extract<PlanLiteral, { readonly type: 'number' }>): string {
  return digits ?? numberText(value);
}

/** Negative, 0 or positive: compares two texts by code point. (`<` and `sort()` compare UTF-16 units.) */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) {
      // A surrogate (d800 to dfff) belongs to a code point above all other units.
      return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** The number that a value is or spells; null if neither. Booleans are not numbers. */
export function numberOf(value: Value): number | null {
  if (value === null || typeof value === 'number') return value;
  return value.type === 'string' ? spellsNumber(value.text) : null;
}

/**
 * The test as a function. Missing values fail it. It prepares regular expressions and sets of literals once. Throws AppError
 * `bad_query` for a pattern that RE2 does not accept.
 */
export function compileTest(test: Test): (value: Value) => boolean {
  switch (test.op) {
    case 'exists':
      return (value) => value !== null && (typeof value === 'number' || value.text !== '' || value.type !== 'string');
    case 'equals':
      return compileEquals(test.literal);
    case 'in':
      return compileIn(test.literals);
    case 'compare':
      return compileCompare(test.sign, test.literal);
    case 'contains':
      return onText(substringFinder(test.text));
    case 'starts with':
      return onText((text) => text.startsWith(test.text));
    case 'ends with':
      return onText((text) => text.endsWith(test.text));
    case 'has':
      return compileHas(test.literal);
    case 'matches': {
      const pattern = compilePattern(test.pattern);
      return onText((text) => pattern.test(text));
    }
    default:
      return unreachable(test);
  }
}

/** Whether a test looks into the text of a value, also of a time. */
export function looksIntoText({ op }: Test): boolean {
  return op === 'contains' || op === 'starts with' || op === 'ends with' || op === 'matches';
}

/** An array by its elements, any other value as it is. */
function compileHas(literal: PlanLiteral): (value: Value) => boolean {
  const equals = compileEquals(literal);
  return (value) => {
    if (value === null || typeof value === 'number' || value.type !== 'array') return equals(value);
    return valuesIn(value.text).some((element) => equals(valueOfJson(element)));
  };
}

function valueOfJson(json: unknown): Value {
  if (json === null || typeof json === 'number') return json;
  if (typeof json === 'string') return { type: 'string', text: json };
  if (typeof json === 'boolean') return { type: 'boolean', text: String(json) };
  return { type: Array.isArray(json) ? 'array' : 'object', text: JSON.stringify(json) };
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function onText(passes: (text: string) => boolean): (value: Value) => boolean {
  return (value) => value !== null && passes(typeof value === 'number' ? numberText(value) : value.text);
}

function compileEquals(literal: PlanLiteral): (value: Value) => boolean {
  switch (literal.type) {
    case 'string': {
      const number = numberOfText(literal.value);
      return (value) => (typeof value === 'number' ? value === number : value !== null && value.text === literal.value);
    }
    case 'number':
      if (literal.digits !== undefined) return compileIn([literal]);
      return (value) => numberOf(value) === literal.value;
    case 'time':
      return (value) => value === literal.value;
    case 'boolean':
      return literal.value ? (value) => isBoolean(value, 'true', 1) : (value) => isBoolean(value, 'false', 0);
    default:
      return unreachable(literal);
  }
}

/** The number with exactly this text, so that numbers can be compared with it without making texts; null if there is none. */
function numberOfText(text: string): number | null {
  const number = spellsNumber(text);
  return number !== null && numberText(number) === text ? number : null;
}

/** `= true` matches true, 1, "true" and "1", but not "1.0", which only spells a number. */
function isBoolean(value: Value, word: string, digit: number): boolean {
  if (value === null || typeof value === 'number') return value === digit;
  return value.text === word || (value.type === 'string' && value.text === numberText(digit));
}

/** Long lists are looked up, not walked. Where a text and a literal are whole numbers beyond 2^53, their digits decide. */
function compileIn(literals: readonly PlanLiteral[]): (value: Value) => boolean {
  const texts = new Set(literals.flatMap((literal) => (literal.type === 'string' ? [literal.value] : [])));
  const figures = literals.filter((literal) => literal.type === 'number');
  const spelt = new Set(figures.flatMap(({ value, digits }) => (digits === undefined ? [value] : [])));
  const long = new Set(figures.flatMap(({ digits }) => digits ?? []));
  const longValues = new Set(figures.flatMap(({ value, digits }) => (digits === undefined ? [] : [value])));
  const exact = new Set([...figures.map(({ value }) => value), ...[...texts].map(numberOfText)]);
  const isSpelt = (value: TextValue): boolean => {
    const number = numberOf(value) ?? NaN;
    if (spelt.has(number) || !longValues.has(number)) return spelt.has(number);
    const digits = longDigits(value.text);
    return digits === null || long.has(digits);
  };
  const others = literals.filter((literal) => literal.type === 'boolean' || literal.type === 'time').map(compileEquals);
  return (value) => {
    if (value === null) return false;
    const isListed =
      typeof value === 'number' ? exact.has(value) : texts.has(value.text) || (figures.length > 0 && isSpelt(value));
    return isListed || others.some((equals) => equals(value));
  };
}

type Sign = Extract<Test, { readonly op: 'compare' }>['sign'];

const HOLDS: Readonly<Record<Sign, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
};

function compileCompare(sign: Sign, literal: PlanLiteral): (value: Value) => boolean {
  const holds = HOLDS[sign];
  switch (literal.type) {
    case 'string':
      return onText((text) => holds(compareCodePoints(text, literal.value), 0));
    case 'number':
      return (value) => {
        const number = numberOf(value);
        return number !== null && holds(number, literal.value);
      };
    case 'time':
      return (value) => typeof value === 'number' && holds(value, literal.value);
    case 'boolean':
      throw new Error('booleans have no order: binding refuses them');
    default:
      return unreachable(literal);
  }
}
