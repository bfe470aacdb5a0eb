/** A plan as text, for `explain`. */
import { zoneOf } from '../plan/columns.ts';
import { quote } from '../parse/lex-string.ts';
import type { Condition, Field, FormulaNode, FormulaPlan, Group, Metric, Plan, Literal, Test } from '../plan/plan.ts';
import { formatTime } from '../time/format-time.ts';
import { numberText } from '../plan/value.ts';
import { fieldName } from '../plan/fields.ts';
import type { Zone } from '../time/zone.ts';
import { fieldText } from './name-text.ts';

/** A plan, one line per property. */
export function printPlan(plan: Plan): readonly string[] {
  const zone = zoneOf(plan);
  const { kind, zone: name, range, ...rest } = plan;
  return [
    kind,
    `zone: ${name}`,
    `range: ${formatTime(range.from, zone)} to ${formatTime(range.to, zone)}`,
    ...Object.entries(rest).map(([key]) => `${key}: ${printProperty(plan, key)}`),
  ];
}

function printProperty(plan: Plan, key: string): string {
  const zone = zoneOf(plan);
  const condition = (value: Condition | null): string => (value === null ? 'none' : printCondition(value, zone));
  if (key === 'where') return condition(plan.where);
  if (key === 'having' && 'having' in plan) return condition(plan.having);
  if (key === 'groups' && 'groups' in plan) return list(plan.groups.map(printGroup));
  if (key === 'metrics' && 'metrics' in plan) return list(plan.metrics.map(printMetric));
  if (key === 'steps' && plan.kind === 'funnel') {
    const steps = plan.steps.map(
      ({ event, where }) => printEvent(event) + (where === null ? '' : `[${condition(where)}]`),
    );
    return steps.join(' -> ');
  }
  if (plan.kind === 'formula') {
    if (key === 'operands')
      return list(plan.operands.map(({ event, metric }) => `${metric.column} of ${printEvent(event)}`));
    if (key === 'expression') return printExpression(plan, plan.expression);
    if (key === 'bucket') return plan.bucket === null ? 'none' : printGroup(plan.bucket);
  }
  return printOther(plan, key);
}

function printExpression(plan: FormulaPlan, node: FormulaNode): string {
  switch (node.kind) {
    case 'number':
      return numberText(node.value);
    case 'operand':
      return plan.operands[node.index]?.metric.column ?? '?';
    case 'negate':
      return `-${printExpression(plan, node.term)}`;
    case 'binary':
      return `(${printExpression(plan, node.left)} ${node.op} ${printExpression(plan, node.right)})`;
  }
}

function printEvent(event: string | null): string {
  return event === null ? '*' : quote(event);
}

function printGroup(group: Group): string {
  return group.kind === 'bucket' ? `${group.unit} (bucket)` : printField(group.field);
}

function printMetric(metric: Metric): string {
  if (metric.kind === 'count') return metric.kind;
  const word = metric.kind === 'percentile' ? `p${metric.p}` : metric.kind;
  return `${word} ${printField(metric.field)} as ${metric.column}`;
}

function printOther(plan: Plan, key: string): string {
  const value: unknown = Object.entries(plan).find(([name]) => name === key)?.[1];
  if (EVENTS.includes(key) && (value === null || typeof value === 'string')) return printEvent(value);
  if (value === null) return 'none';
  return isField(value) ? printField(value) : JSON.stringify(value);
}

const EVENTS = ['event', 'returning', 'conversion'];
const FIELD_KINDS: readonly unknown[] = [
  'core', 'event', 'sent', 'enriched', 'profile', 'account', 'session', 'last_session', 'latest',
] satisfies readonly Field['kind'][]; // prettier-ignore

function isField(value: unknown): value is Field {
  return typeof value === 'object' && value !== null && 'kind' in value && FIELD_KINDS.includes(value.kind);
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}

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
function printField(field: Field): string {
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
  if (literal.type === 'string') return quote(literal.value);
  if (literal.type === 'boolean') return String(literal.value);
  const isDate = literal.type === 'time' && Math.abs(literal.value) < 8e15;
  return isDate ? quote(formatTime(literal.value, zone)) : numberText(literal.value);
}
