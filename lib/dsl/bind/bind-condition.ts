/** Conditions: finds fields, gives literals the type they are compared as, spells out negations and null. */
import { QueryError } from '../errors.ts';
import { bindDid } from './bind-did.ts';
import { bindCohort, refuseOtherFields } from './bind-cohort.ts';
import { bindField, failAt, type BindingScope } from './binding.ts';
import { isTimeField, type FieldScope } from '../plan/fields.ts';
import { parseInstant } from '../time/instant.ts';
import { joinAnd } from '../plan/conditions.ts';
import type { Condition, ConditionOn, Field, PlanLiteral, Test } from '../plan/plan.ts';
import type { CohortNode, ConditionNode, DidNode, FieldRef, LiteralNode } from '../parse/syntax.ts';
import { textOfNumber } from '../plan/value.ts';

/** Several conditions, all of which must hold; null when there are none. */
export function bindConditions(
  binding: BindingScope,
  nodes: readonly ConditionNode[],
  scope: FieldScope,
): Condition | null {
  const persons = scope === 'latest' ? {} : personsOf(binding, scope);
  return joinAnd(nodes.map((node) => bindConditionOn(binding, node, { ...fieldsOf(binding, scope), ...persons })));
}

/** What chooses rows by their person. */
function personsOf(binding: BindingScope, scope: FieldScope): Required<Pick<Tested<Field>, 'did' | 'cohort'>> {
  const inBrackets = (inner: ConditionNode): Condition => bindCondition(binding, inner, 'events');
  return {
    did: (node) => bindDid(binding, node, inBrackets),
    cohort: (node) => bindCohort(binding, node, (own, inner) => bindConditionOfPersons(own, inner, scope)),
  };
}

/** A condition of a cohort. */
export function bindConditionOfPersons(binding: BindingScope, node: ConditionNode, scope: FieldScope): Condition {
  const fields = fieldsOf(binding, scope);
  const find = (ref: FieldRef): Field => {
    const field = fields.find(ref);
    refuseOtherFields(binding, ref, field);
    return field;
  };
  return bindConditionOn(binding, node, { ...fields, ...personsOf(binding, scope), find });
}

/** Who is in a cohort, as a field by which rows are grouped. */
export function bindCohortField(binding: BindingScope, node: CohortNode, scope: FieldScope): Field {
  return { kind: 'cohort', name: node.cohort.value, condition: personsOf(binding, scope).cohort(node) };
}

export function bindCondition(binding: BindingScope, node: ConditionNode, scope: FieldScope): Condition {
  return bindConditionOn(binding, node, fieldsOf(binding, scope));
}

function fieldsOf(binding: BindingScope, scope: FieldScope): Tested<Field> {
  return {
    find: (ref) => bindField(binding, ref, scope),
    isTime: isTimeField,
    isNumber: ({ kind }) => kind === 'arithmetic',
  };
}

/** What a condition tests: how its name is found, and whether its values are times, with which only times are compared. */
export interface Tested<F> {
  readonly find: (ref: FieldRef) => F;
  readonly isTime: (field: F) => boolean;
  /** Whether it is computed: then only numbers are. */
  readonly isNumber?: (field: F) => boolean;
  /** What a person did, where rows are chosen by that. */
  readonly did?: (node: DidNode) => ConditionOn<F>;
  /** Who is in a cohort, there too. */
  readonly cohort?: (node: CohortNode) => ConditionOn<F>;
}

export function bindConditionOn<F>(binding: BindingScope, node: ConditionNode, tested: Tested<F>): ConditionOn<F> {
  const bound = (term: ConditionNode): ConditionOn<F> => bindConditionOn(binding, term, tested);
  if ('terms' in node) return { kind: node.kind, terms: node.terms.map(bound) };
  if (node.kind === 'not') return { kind: 'not', term: bound(node.term) };
  if (node.kind === 'did') {
    if (tested.did !== undefined) return tested.did(node);
    return failAt(binding, node, notHere('did'), ['put it into a `where`: `* | where did(purchase) | count`']);
  }
  if (node.kind === 'cohort') {
    if (tested.cohort !== undefined) return tested.cohort(node);
    return failAt(binding, node, notHere('cohort'), ['put it into a `where`: `* | where cohort "buyers" | count`']);
  }
  const field = tested.find(node.field);
  const on: Place<F> = { binding, field, isTime: tested.isTime(field), isNumber: tested.isNumber?.(field) ?? false };
  switch (node.kind) {
    case 'compare':
      return bindComparison(on, node);
    case 'contains':
    case 'starts with':
    case 'ends with':
      refuseText(on, node.literal);
      return negateIf(node.negated, test(field, { op: node.kind, text: textOfLiteral(node.literal) }));
    case 'matches':
      refuseText(on, node.literal);
      return negateIf(node.negated, test(field, { op: 'matches', pattern: bindPattern(binding, node.literal) }));
    case 'has':
      return negateIf(node.negated, bindHas(on, node.literal));
    case 'in':
      return negateIf(node.negated, bindList(on, node.literals));
    case 'exists':
      return negateIf(node.negated, test(field, { op: 'exists' }));
  }
}

const notHere = (word: string): string =>
  `expected another condition: \`${word}\` chooses rows by their person, and stands only in the \`where\` of a source, not in brackets`;

/** Where a literal is compared, and with what. */
interface Place<F> {
  readonly isNumber: boolean;
  readonly binding: BindingScope;
  readonly field: F;
  readonly isTime: boolean;
}

type ComparisonNode = ConditionNode & { readonly kind: 'compare' };

function bindComparison<F>(on: Place<F>, { op, literal }: ComparisonNode): ConditionOn<F> {
  if (op === '=' || op === '!=') return negateIf(op === '!=', equals(on, literal));
  if (literal.type === 'boolean' || literal.type === 'null') {
    return failAt(on.binding, literal, `expected a number or a string after \`${op}\``, [
      'true, false and null have no order',
    ]);
  }
  return test(on.field, { op: 'compare', sign: op, literal: bindLiteral(on, literal) });
}

/** `= null` is `not exists`. */
function equals<F>(on: Place<F>, literal: LiteralNode): ConditionOn<F> {
  if (literal.type === 'null') return missing(on.field);
  return test(on.field, { op: 'equals', literal: bindLiteral(on, literal) });
}

function bindHas<F>(on: Place<F>, literal: LiteralNode): ConditionOn<F> {
  if (literal.type !== 'null') return test(on.field, { op: 'has', literal: bindLiteral(on, literal) });
  return failAt(on.binding, literal, 'expected a value that an element may equal: null is none');
}

function bindList<F>(on: Place<F>, nodes: readonly LiteralNode[]): ConditionOn<F> {
  const { field } = on;
  const literals = nodes.flatMap((node) => (node.type === 'null' ? [] : [bindLiteral(on, node)]));
  if (literals.length === 0) return missing(field);
  const among = test(field, { op: 'in', literals });
  return literals.length === nodes.length ? among : { kind: 'or', terms: [among, missing(field)] };
}

type Comparable = LiteralNode & { readonly type: 'string' | 'number' | 'boolean' };

/** Throws QueryError for what is no number where arithmetic is compared. */
function refuseText({ binding, isNumber }: Place<unknown>, literal: LiteralNode): void {
  if (isNumber && literal.type !== 'number')
    failAt(binding, literal, 'expected a number, because arithmetic has no other values', [
      'write numbers without quotes',
    ]);
}

/** Compared with times, a text must be a time, and a number is milliseconds since the epoch, finer parts cut. */
function bindLiteral(on: Place<unknown>, node: Comparable): PlanLiteral {
  const { binding, isTime } = on;
  refuseText(on, node);
  if (!isTime || node.type === 'boolean') return plainLiteral(node);
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
function plainLiteral({ start: _start, end: _end, ...literal }: Comparable): PlanLiteral {
  return literal;
}

function bindPattern(binding: BindingScope, literal: LiteralNode): string {
  const pattern = textOfLiteral(literal);
  const { patterns, query } = binding;
  const trouble = patterns.problem(pattern);
  if (trouble === null) return pattern;
  const longPattern = patterns.isTooLong(pattern) ? { pattern, text: query.slice(literal.start, literal.end) } : null;
  throw new QueryError(query, literal.start, `expected a regular expression: ${trouble}`, { longPattern });
}

function textOfLiteral(literal: LiteralNode): string {
  if (literal.type === 'null') return 'null';
  return literal.type === 'number' ? textOfNumber(literal) : String(literal.value);
}

function missing<F>(field: F): ConditionOn<F> {
  return { kind: 'not', term: test(field, { op: 'exists' }) };
}

function test<F>(field: F, of: Test): ConditionOn<F> {
  return { kind: 'test', field, test: of };
}

function negateIf<F>(negated: boolean, term: ConditionOn<F>): ConditionOn<F> {
  return negated ? { kind: 'not', term } : term;
}
