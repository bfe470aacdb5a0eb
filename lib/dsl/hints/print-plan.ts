/** A plan as text, for `explain`. */
import { answerColumns, zoneOf } from '../plan/columns.ts';
import { quote } from '../parse/lex-string.ts';
import { formulaText } from '../plan/formula-text.ts';
import type { DidField } from '../plan/did.ts';
import type { Condition, ConditionOn, DidSpan, Field, Group, Metric, Plan, PlanLiteral, Test } from '../plan/plan.ts'; // prettier-ignore
import { formatTime } from '../time/format-time.ts';
import type { WindowSpan, Rolling } from '../time/windows.ts';
import { numberText, textOfNumber } from '../plan/value.ts';
import { fieldName } from '../plan/fields.ts';
import type { Zone } from '../time/zone.ts';
import { fieldText } from './name-text.ts';

/** A plan, one line per property. */
export function printPlan(plan: Plan): readonly string[] {
  const zone = zoneOf(plan);
  const { kind, zone: name, range, now, ...rest } = plan;
  return [
    kind,
    `zone: ${name}`,
    `range: ${formatTime(range.from, zone)} to ${formatTime(range.to, zone)}`,
    `now: ${formatTime(now, zone)}`,
    ...Object.entries(rest).map(([key]) => `${key}: ${printProperty(plan, key)}`),
  ];
}

function printProperty(plan: Plan, key: string): string {
  const zone = zoneOf(plan);
  const condition = (value: Condition | null): string => (value === null ? 'none' : printCondition(value, zone));
  if (key === 'where') return condition(plan.where);
  if (key === 'tableStages') return printTableStages(plan);
  if (key === 'whereRows' && 'whereRows' in plan) return condition(plan.whereRows);
  if (key === 'groups' && 'groups' in plan) return list(plan.groups.map((group) => printGroup(group, zone)));
  if (key === 'people' && plan.people !== undefined) return `${plan.people.which} ${plan.people.nth}`;
  if (key === 'rolling' && 'rolling' in plan && plan.rolling !== undefined) return printRolling(plan.rolling, zone);
  if (key === 'fields' && 'fields' in plan)
    return list(
      (plan.fields ?? []).map(({ field, hidden }) =>
        hidden === true ? `hidden ${printField(field)}` : printField(field),
      ),
    );
  if (key === 'metrics' && 'metrics' in plan) return list(plan.metrics.map((metric) => printMetric(metric, zone)));
  if (key === 'steps' && plan.kind === 'funnel') {
    const steps = plan.steps.map(
      ({ events, where }) => events.map(printEvent).join(' or ') + (where === null ? '' : `[${condition(where)}]`),
    );
    return steps.join(' -> ');
  }
  if (plan.kind === 'formula') {
    if (key === 'operands')
      return list(
        plan.operands.map(
          ({ event, metric }) => `${metric.column} of ${printEvent(event)}${printFilter(metric, zone)}`,
        ),
      );
    if (key === 'expression')
      return formulaText(plan.expression, (index) => plan.operands[index]?.metric.column ?? '?');
  }
  return printOther(plan, key);
}

function printSpan(span: WindowSpan): string {
  if (span === 'bucket') return 'the bucket';
  return span === null ? 'from the start' : `${span.count}${span.unit}`;
}

function printRolling({ span, spans, shown }: Rolling, zone: Zone): string {
  const windows = (spans ?? [span]).map(printSpan).join(', ');
  return `${windows}, shown ${formatTime(shown.from, zone)} to ${formatTime(shown.to, zone)}`;
}

function printEvent(event: string | null): string {
  return event === null ? '*' : quote(event);
}

function printGroup(group: Group, zone: Zone): string {
  if (group.kind === 'bucket') return `${group.unit} (bucket)`;
  if (group.kind === 'part') return `${group.part} (part)`;
  if (group.field.kind === 'cohort') return printCohort(group.field, zone);
  const name = printField(group.field);
  return group.each ? `each ${name}` : group.bin === undefined ? name : `${name} bin ${numberText(group.bin)}`;
}

function printMetric(metric: Metric, zone: Zone): string {
  const printed = printUnnamed(metric, zone);
  return printed === metric.column ? printed : `${printed} as ${metric.column}`;
}

function printUnnamed(metric: Metric, zone: Zone): string {
  if (metric.kind === 'per') {
    const word = metric.p === null ? metric.aggregate : `p${metric.p}`;
    return `${word} of ${printUnnamed(metric.of, zone)} per ${printField(metric.field)}`;
  }
  const word = metric.kind === 'percentile' ? `p${metric.p}` : metric.kind;
  const of = metric.kind === 'count' ? word : `${word} ${printField(metric.field)}`;
  return of + printFilter(metric, zone);
}

function printFilter({ where }: Metric, zone: Zone): string {
  return where === undefined ? '' : `[${printCondition(where, zone)}]`;
}

function printOther(plan: Plan, key: string): string {
  const value: unknown = Object.entries(plan).find(([name]) => name === key)?.[1];
  if (EVENTS.includes(key) && (value === null || typeof value === 'string')) return printEvent(value);
  if (value === null) return 'none';
  return isField(value) ? printField(value) : JSON.stringify(value);
}

const EVENTS = ['event', 'returning', 'conversion'];
const FIELD_KINDS: readonly unknown[] = [
  'core', 'event', 'sent', 'enriched', 'profile', 'account', 'session', 'last_session', 'latest', 'arithmetic',
] satisfies readonly Field['kind'][]; // prettier-ignore

function isField(value: unknown): value is Field {
  return typeof value === 'object' && value !== null && 'kind' in value && FIELD_KINDS.includes(value.kind);
}

function printCohort({ name, condition }: Field & { readonly kind: 'cohort' }, zone: Zone): string {
  return `cohort ${quote(name)} (${printCondition(condition, zone)})`;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}

/** @param zone Times are printed in this zone. */
export function printCondition(condition: Condition, zone: Zone): string {
  return printConditionOn(
    condition,
    (field) => (field.kind === 'did' ? printDid(field, zone) : printField(field)),
    zone,
  );
}

function printDid({ event, where, span }: DidField, zone: Zone): string {
  const filter = where === null ? '' : `[${printCondition(where, zone)}]`;
  return `did(${printEvent(event)}${filter}) ${printDidSpan(span, zone)}`;
}

function printDidSpan(span: DidSpan, zone: Zone): string {
  switch (span.kind) {
    case 'asked':
      return 'in the range';
    case 'all':
      return 'in all';
    case 'last':
      return `in last ${span.duration.count}${span.duration.unit}`;
    case 'range':
      return `in ${formatTime(span.range.from, zone)} to ${formatTime(span.range.to, zone)}`;
    case 'within':
      return `within ${span.duration.count}${span.duration.unit} of ${printEvent(span.of)}`;
  }
}

function printConditionOn<F>(condition: ConditionOn<F>, print: (tested: F) => string, zone: Zone): string {
  const inside = (term: ConditionOn<F>): string => {
    const text = printConditionOn(term, print, zone);
    return term.kind === 'and' || term.kind === 'or' ? `(${text})` : text;
  };
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.terms.map(inside).join(` ${condition.kind} `);
    case 'not':
      return `not ${inside(condition.term)}`;
    case 'test':
      return `${print(condition.field)} ${printTest(condition.test, zone)}`;
    case 'constant':
      return String(condition.value);
  }
}

function printTableStages(plan: Plan): string {
  const zone = zoneOf(plan);
  const columns = answerColumns(plan);
  const named = (at: number): string => columns[at]?.name ?? '';
  const printed = plan.tableStages.map((stage) => {
    if (stage.kind === 'having') return `having ${printConditionOn(stage.condition, named, zone)}`;
    if (stage.kind === 'share') return stage.kind;
    return `compare with ${formatTime(stage.range.from, zone)} to ${formatTime(stage.range.to, zone)}`;
  });
  return list(printed);
}

/** A field as a query names it. */
function printField(field: Field): string {
  if (field.kind === 'arithmetic') return formulaText(field.expression, (index) => printField(field.fields[index]!));
  return fieldText(fieldName(field));
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
    case 'starts with':
    case 'ends with':
      return `${test.op} ${quote(test.text)}`;
    case 'has':
      return `has ${printLiteral(test.literal, zone)}`;
    case 'matches':
      return `~ ${quote(test.pattern)}`;
  }
}

/** A time that no date can hold stays a number. */
function printLiteral(literal: PlanLiteral, zone: Zone): string {
  if (literal.type === 'string') return quote(literal.value);
  if (literal.type === 'boolean') return String(literal.value);
  if (literal.type === 'number') return textOfNumber(literal);
  const isDate = literal.type === 'time' && Math.abs(literal.value) < 8e15;
  return isDate ? quote(formatTime(literal.value, zone)) : numberText(literal.value);
}
