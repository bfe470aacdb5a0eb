/** Conditions as data: walks and compares them. */
import { fieldKey } from './fields.ts';
import type { Condition, ConditionOn, Field, Metric, Plan, RowMetric, Test } from './plan.ts';

export type TestOn<F> = ConditionOn<F> & { readonly kind: 'test' };
export type FieldTest = TestOn<Field>;

/** `and` or `or` of terms; a single term stays as it is. */
export function join<F>(kind: 'and' | 'or', terms: readonly ConditionOn<F>[]): ConditionOn<F> {
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : { kind, terms };
}

/** The conditions joined by `and`; null when there are none. */
export function joinAnd<F>(terms: readonly ConditionOn<F>[]): ConditionOn<F> | null {
  return terms.length === 0 ? null : join('and', terms);
}

/** The condition with `change` applied to every node, from the leaves up. */
export function mapCondition(condition: Condition, change: (condition: Condition) => Condition): Condition {
  if ('terms' in condition)
    return change({ kind: condition.kind, terms: condition.terms.map((term) => mapCondition(term, change)) });
  return change('term' in condition ? { kind: 'not', term: mapCondition(condition.term, change) } : condition);
}

/** The same condition on what `to` gives for each thing that is tested; null if that is null for some. */
export function onOthers<F, G>(condition: ConditionOn<F>, to: (tested: F) => G | null): ConditionOn<G> | null {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const terms = condition.terms.map((term) => onOthers(term, to)).filter((term) => term !== null);
      return terms.length < condition.terms.length ? null : { kind: condition.kind, terms };
    }
    case 'not': {
      const term = onOthers(condition.term, to);
      return term && { kind: 'not', term };
    }
    case 'test': {
      const field = to(condition.field);
      return field && { ...condition, field };
    }
    case 'constant':
      return condition;
  }
}

/** The tests in a condition, from left to right. */
export function testsOf<F>(condition: ConditionOn<F> | null): readonly TestOn<F>[] {
  if (condition === null || condition.kind === 'constant') return [];
  if ('terms' in condition) return condition.terms.flatMap((term) => testsOf(term));
  return condition.kind === 'not' ? testsOf(condition.term) : [condition];
}

/** Whether one of its conditions has a regular expression. */
export function hasPatterns(plan: Plan): boolean {
  const ofColumns = plan.tableStages.flatMap((stage) => (stage.kind === 'having' ? testsOf(stage.condition) : []));
  const tests = [...conditionsOf(plan).flatMap((one) => testsOf(one)), ...ofColumns];
  return tests.some(({ test }) => test.op === 'matches');
}

/** The metrics that a plan names, each over its own rows. */
export function metricsOf(plan: Plan): readonly Metric[] {
  return plan.kind === 'formula' ? plan.operands.map(({ metric }) => metric) : 'metrics' in plan ? plan.metrics : [];
}

/** The metric that is of rows. */
export const rowMetric = (metric: Metric): RowMetric => (metric.kind === 'per' ? metric.of : metric);

/** Its conditions on fields: of events, of the rows that they become, of steps, of metrics. */
export function conditionsOf(plan: Plan): readonly Condition[] {
  const steps = plan.kind === 'funnel' ? plan.steps.map(({ where }) => where) : [];
  const ofRows = 'whereRows' in plan ? [plan.whereRows] : [];
  const ofMetrics = metricsOf(plan).map((metric) => rowMetric(metric).where ?? null);
  return [plan.where, ...ofRows, ...steps, ...ofMetrics].filter((one) => one !== null);
}

/** The plan with `change` applied to each of its conditions as a whole; null: the condition is left out. */
export function mapConditions(plan: Plan, change: (condition: Condition) => Condition | null): Plan {
  const apply = (condition: Condition | null): Condition | null => (condition === null ? null : change(condition));
  const where = apply(plan.where);
  const ofRows = (metric: RowMetric): RowMetric => {
    const { where: own = null, ...rest } = metric;
    const filter = apply(own);
    return filter === null ? rest : { ...rest, where: filter };
  };
  const changed = (metric: Metric): Metric =>
    metric.kind === 'per' ? { ...metric, of: ofRows(metric.of) } : ofRows(metric);
  switch (plan.kind) {
    case 'aggregate':
    case 'users':
      return { ...plan, where, metrics: plan.metrics.map(changed) };
    case 'latest':
    case 'sessions':
      return { ...plan, where, whereRows: apply(plan.whereRows), metrics: plan.metrics.map(changed) };
    case 'formula':
      return { ...plan, where, operands: plan.operands.map((one) => ({ ...one, metric: ofRows(one.metric) })) };
    case 'funnel':
      return { ...plan, where, steps: plan.steps.map((step) => ({ ...step, where: apply(step.where) })) };
    case 'retention': {
      const cells = plan.metrics
        .map(ofRows)
        .filter((metric) => metric.kind === 'count' || metric.kind === 'sum' || metric.kind === 'avg');
      return { ...plan, where, metrics: cells };
    }
    case 'attribution':
      return { ...plan, where, metrics: plan.metrics.map(ofRows).filter(isSum) };
    default:
      return { ...plan, where };
  }
}

const isSum = (metric: RowMetric): metric is RowMetric & { readonly kind: 'sum' } => metric.kind === 'sum';

export function isTestOf(condition: Condition, field: Field): condition is FieldTest {
  return condition.kind === 'test' && fieldKey(condition.field) === fieldKey(field);
}

/** The same for conditions written alike. */
export function conditionKey(condition: Condition): string {
  return JSON.stringify(condition);
}

/** Whether the test can only pass where the field exists: present, not null, not "". */
export function impliesExists(test: Test): boolean {
  switch (test.op) {
    case 'exists':
      return true;
    case 'equals':
    case 'has':
      return test.literal.value !== '';
    case 'in':
      return test.literals.every((literal) => literal.value !== '');
    case 'compare':
      return test.literal.type !== 'string' || test.sign === '>' || (test.sign === '>=' && test.literal.value !== '');
    case 'contains':
    case 'starts with':
    case 'ends with':
      return test.text !== '';
    case 'matches':
      return false;
  }
}
