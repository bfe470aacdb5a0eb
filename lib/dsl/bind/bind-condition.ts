/** Conditions: finds fields, gives literals the type they are compared as, spells out negations and null. */
import { bindField, failAt, type Binding } from './binding.ts';
import { isTimeField, type FieldScope } from '../plan/fields.ts';
import { parseInstant } from '../time/instant.ts';
import { joinAnd } from '../plan/conditions.ts';
import type { Condition, Field, Literal, Test } from '../plan/plan.ts';
import type { ConditionNode, LiteralNode } from '../parse/syntax.ts';
import { numberText } from '../plan/value.ts';

/** Several conditions, all of which must hold; null when there are none. */
export function bindConditions(binding: Binding, nodes: readonly ConditionNode[], scope: FieldScope): Condition | null {
  return joinAnd(nodes.map((node) => bindCondition(binding, node, scope)));
}

export function bindCondition(binding: Binding, node: ConditionNode, scope: FieldScope): Condition {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, terms: node.terms.map((term) => bindCondition(binding, term, scope)) };
    case 'not':
      return { kind: 'not', term: bindCondition(binding, node.term, scope) };
    case 'compare':
      return bindComparison(binding, node, bindField(binding, node.field, scope));
    case 'contains': {
      const field = bindField(binding, node.field, scope);
      return negateIf(node.negated, test(field, { op: 'contains', text: textOfLiteral(node.literal) }));
    }
    case 'matches': {
      const field = bindField(binding, node.field, scope);
      return negateIf(node.negated, test(field, { op: 'matches', pattern: bindPattern(binding, node.literal) }));
    }
    case 'in':
      return negateIf(node.negated, bindList(binding, node.literals, bindField(binding, node.field, scope)));
    case 'exists':
      return negateIf(node.negated, test(bindField(binding, node.field, scope), { op: 'exists' }));
  }
}

type ComparisonNode = ConditionNode & { readonly kind: 'compare' };

function bindComparison(binding: Binding, node: ComparisonNode, field: Field): Condition {
  const { op, literal } = node;
  if (op === '=' || op === '!=') return negateIf(op === '!=', equals(binding, field, literal));
  if (literal.type === 'boolean' || literal.type === 'null') {
    return failAt(binding, literal, `expected a number or a string after \`${op}\``, [
      'true, false and null have no order',
    ]);
  }
  return test(field, { op: 'compare', sign: op, literal: bindLiteral(binding, literal, field) });
}

/** `= null` is `not exists`. */
function equals(binding: Binding, field: Field, literal: LiteralNode): Condition {
  return literal.type === 'null'
    ? missing(field)
    : test(field, { op: 'equals', literal: bindLiteral(binding, literal, field) });
}

function bindList(binding: Binding, nodes: readonly LiteralNode[], field: Field): Condition {
  const literals = nodes.flatMap((node) => (node.type === 'null' ? [] : [bindLiteral(binding, node, field)]));
  if (literals.length === 0) return missing(field);
  const among = test(field, { op: 'in', literals });
  return literals.length === nodes.length ? among : { kind: 'or', terms: [among, missing(field)] };
}

type Comparable = LiteralNode & { readonly type: 'string' | 'number' | 'boolean' };

/** Compared with times, a text must be a time, and a number is milliseconds since the epoch, finer parts cut. */
function bindLiteral(binding: Binding, node: Comparable, field: Field): Literal {
  if (!isTimeField(field) || node.type === 'boolean') return plainLiteral(node);
  if (node.type === 'number') return { type: 'time', value: Math.floor(node.value) };
  const time = parseInstant(node.value, binding.zone);
  if (time === null) {
    return failAt(binding, node, 'expected a time, because the field is a time', [
      'write "2026-01-31", "2026-01-31T10:00" or "2026-01-31T10:00:00Z"',
    ]);
  }
  return { type: 'time', value: time };
}

/** Without its place in the query. */
function plainLiteral({ start: _start, end: _end, ...literal }: Comparable): Literal {
  return literal;
}

function bindPattern(binding: Binding, literal: LiteralNode): string {
  const pattern = textOfLiteral(literal);
  const trouble = binding.patterns.problem(pattern);
  if (trouble !== null) failAt(binding, literal, `expected a regular expression: ${trouble}`);
  return pattern;
}

function textOfLiteral(literal: LiteralNode): string {
  if (literal.type === 'null') return 'null';
  return literal.type === 'number' ? numberText(literal.value) : String(literal.value);
}

function missing(field: Field): Condition {
  return { kind: 'not', term: test(field, { op: 'exists' }) };
}

function test(field: Field, of: Test): Condition {
  return { kind: 'test', field, test: of };
}

function negateIf(negated: boolean, term: Condition): Condition {
  return negated ? { kind: 'not', term } : term;
}
