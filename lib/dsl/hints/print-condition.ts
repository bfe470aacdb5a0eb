/** Bound conditions as text in the language, for `explain`. */
import { fieldName } from '../plan/fields.ts';
import { quote } from '../parse/lex-string.ts';
import type { Condition, Field, Literal, Test } from '../plan/plan.ts';
import { formatTime } from '../time/format-time.ts';
import type { Zone } from '../time/zone.ts';
import { numberText } from '../plan/value.ts';
import { fieldText } from './name-text.ts';

/** @param zone Times are printed in this zone. */
export function printCondition(condition: Condition, zone: Zone): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.terms.map((term) => printInside(term, zone)).join(` ${condition.kind} `);
    case 'not':
      return `not ${printInside(condition.term, zone)}`;
    case 'test':
      return `${printField(condition.field)} ${printTest(condition.test, zone)}`;
    case 'constant':
      return String(condition.value);
  }
}

/** A field as a query names it. */
export function printField(field: Field): string {
  return fieldText(fieldName(field));
}

function printInside(condition: Condition, zone: Zone): string {
  const text = printCondition(condition, zone);
  return condition.kind === 'and' || condition.kind === 'or' ? `(${text})` : text;
}

function printTest(test: Test, zone: Zone): string {
  switch (test.op) {
    case 'exists':
      return 'exists';
    case 'equals':
      return `= ${printLiteral(test.literal, zone)}`;
    case 'in':
      return `in (${test.literals.map((literal) => printLiteral(literal, zone)).join(', ')})`;
    case 'compare':
      return `${test.sign} ${printLiteral(test.literal, zone)}`;
    case 'contains':
      return `contains ${quote(test.text)}`;
    case 'matches':
      return `~ ${quote(test.pattern)}`;
  }
}

/** A time that no date can hold stays a number. */
function printLiteral(literal: Literal, zone: Zone): string {
  switch (literal.type) {
    case 'string':
      return quote(literal.value);
    case 'number':
      return numberText(literal.value);
    case 'boolean':
      return String(literal.value);
    case 'time':
      return Math.abs(literal.value) < 8e15 ? quote(formatTime(literal.value, zone)) : numberText(literal.value);
  }
}
