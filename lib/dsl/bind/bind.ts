/** Syntax tree → plan: resolves everything that needs no data. One function per source; see bind-*.ts for the parts. */
import { AppError } from '../../base/errors.ts';
import { bindChoice, bindFunnel, bindPaths, bindUsers } from './bind-people.ts';
import { basePlan, bindEvents, DISTINCT_ID, makeMetric, metricField } from './bind-events.ts';
import { bindCohortGroups, bindOneBucket } from './bind-groups.ts';
import { bindSessions } from './bind-sessions.ts';
import { failAt, type Binding } from './binding.ts';
import { PatternCheck } from '../plan/pattern.ts';
import type { Plan, Order, FormulaNode, FormulaPlan } from '../plan/plan.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Duration } from '../time/units.ts';
import { gatherStages, type StageOf } from './stages.ts';
import type { EventRef, Query, Source, ExpressionNode } from '../parse/syntax.ts';
import { hasTooMany, MAX_BUCKETS } from '../time/buckets.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { unreachable } from '../../base/unreachable.ts';
import { columnsOf } from '../plan/columns.ts';
import type { TableColumn } from '../plan/table.ts';

/** What a query needs besides its text. */
export interface BindContext {
  /** Milliseconds since the epoch: the moment of arrival plus 1 ms. */
  readonly now: number;
  /** Time of the earliest stored event; null or left out if there is none. Only `all` needs it (`readsAll`). */
  readonly earliest?: number | null;
  /** IANA names; `tz` in the query overrides the request's, which overrides the project's. */
  readonly timezone: { readonly request?: string; readonly project: string };
  /** The request's page: 1 to 10,000 rows, from an offset of 0 or more. */
  readonly limit: number;
  readonly offset: number;
}

/** Throws QueryError for mistakes in the query, AppError `bad_request` for an unknown zone of the request. */
export function bind(query: string, tree: Query, context: BindContext): Plan {
  const stages = gatherStages(query, tree);
  const page = { limit: context.limit, offset: context.offset };
  const unzoned = {
    query,
    stages,
    now: context.now,
    earliest: context.earliest ?? null,
    page,
    patterns: new PatternCheck(),
  };
  const binding = { ...unzoned, zone: bindZone({ query, stages }, context) };
  const plan = bindSource(binding, tree.source);
  refuseBuckets(binding, plan);
  return { ...plan, order: bindOrder(binding, plan) };
}

/** Throws QueryError at the bucket of which the range has too many, or at the range if the query names no bucket. */
function refuseBuckets(binding: Binding, plan: Plan): void {
  const { stages } = binding;
  for (const unit of plan.kind === 'stickiness' ? (['day'] as const) : traitsOf(plan).buckets) {
    if (unit === null || !hasTooMany(plan.range, unit)) continue;
    const at =
      stages.groups?.groups.find((node) => node.kind === 'bucket' && node.unit === unit) ?? stages.one('range');
    const hint = plan.kind === 'stickiness' ? 'choose a shorter range' : 'choose a shorter range or a longer bucket';
    if (at !== null) failAt(binding, at, `expected a range of at most ${MAX_BUCKETS} buckets of one ${unit}`, [hint]);
  }
}

function bindSource(binding: Binding, source: Source): Plan {
  switch (source.kind) {
    case 'events':
      return bindEvents(binding, { event: source.event.name, person: null });
    case 'user':
      return bindEvents(binding, { event: null, person: source.id.value });
    case 'users':
      return bindUsers(binding);
    case 'sessions':
      return bindSessions(binding);
    case 'formula':
      return bindFormula(binding, source.expression);
    case 'funnel':
      return bindFunnel(binding, source.steps, source.exclude);
    case 'retention':
      return bindRetention(binding, source.event, source.returning);
    case 'paths':
      return bindPaths(binding, source.direction, source.event);
    case 'lifecycle':
      return bindLifecycle(binding, source.event);
    case 'stickiness':
      return { kind: 'stickiness', ...basePlan(binding, { count: 30, unit: 'd' }), event: source.event.name };
    case 'fields':
      return { kind: 'fields', ...basePlan(binding, { count: 7, unit: 'd' }) };
    case 'inspect': {
      const days = source.event.name === null ? 30 : 7;
      return { kind: 'inspect', ...basePlan(binding, { count: days, unit: 'd' }), event: source.event.name };
    }
    case 'choice':
      return bindChoice(binding, source.key.value);
    default:
      return unreachable(source);
  }
}

const COHORT_RANGES: Readonly<Record<'day' | 'week' | 'month', Duration>> = {
  day: { count: 90, unit: 'd' },
  week: { count: 12, unit: 'w' },
  month: { count: 12, unit: 'mo' },
};

function bindRetention(binding: Binding, event: EventRef, returning: EventRef | null): Plan {
  const { unit, fields } = bindCohortGroups(binding, binding.stages.groups);
  const base = basePlan(binding, COHORT_RANGES[unit]);
  return { kind: 'retention', ...base, event: event.name, returning: returning?.name ?? null, unit, groups: fields };
}

function bindLifecycle(binding: Binding, event: EventRef): Plan {
  for (const node of binding.stages.groups?.groups ?? []) {
    if (node.kind === 'field') failAt(binding, node, 'expected one of day, week, month');
  }
  const { unit, column } = bindCohortGroups(binding, binding.stages.groups);
  return { kind: 'lifecycle', ...basePlan(binding, COHORT_RANGES[unit]), event: event.name, unit, column };
}

function bindZone(binding: Pick<Binding, 'query' | 'stages'>, context: BindContext): Zone {
  const stage = binding.stages.one('tz');
  const name = stage?.zone.value ?? context.timezone.request ?? context.timezone.project;
  const zone = findZone(name);
  if (zone !== null) return zone;
  const hint = 'use an IANA time zone name: "Europe/Berlin", "UTC"';
  if (stage !== null) return failAt(binding, stage.zone, 'expected the name of a time zone', [hint]);
  throw new AppError('bad_request', `unknown timezone ${JSON.stringify(name)}`, { hints: [hint] });
}

/** What its stages set. Throws QueryError for a column that the answer lacks. */
function bindOrder(binding: Binding, plan: Plan): Order {
  const sort = binding.stages.one('sort');
  if (sort !== null) return bindSort(binding, sort, columnsOf(plan));
  const top = binding.stages.one('top');
  if (top === null) return { kind: 'default' };
  if (!columnsOf(plan).some((column) => column.role === 'metric')) {
    failAt(binding, top, 'expected a metric that `top` can sort by', ['`limit` cuts rows without one']);
  }
  return { kind: 'top' };
}

/** Without a direction, metrics descend and everything else ascends. */
function bindSort(binding: Binding, sort: StageOf<'sort'>, columns: readonly TableColumn[]): Order {
  const index = findColumn(sort.column.text, columns);
  const column = columns[index];
  if (column === undefined) {
    const names = columns.map(({ name }) => name).join(', ');
    return failAt(binding, sort.column, `expected a column of the answer: ${names}`);
  }
  const descending = sort.direction === null ? column.role === 'metric' : sort.direction === 'desc';
  return { kind: 'sort', column: index, descending };
}

/** As printed; blanks inside a metric's brackets and the case of its name do not matter. */
function findColumn(text: string, columns: readonly TableColumn[]): number {
  const exact = columns.findIndex(({ name }) => name === text);
  if (exact !== -1 || !text.endsWith(')')) {
    return exact;
  }
  const squeezed = squeeze(text);
  return columns.findIndex(({ name }) => squeeze(name) === squeezed);
}

function squeeze(name: string): string {
  const open = name.indexOf('(');
  return open === -1 ? name : name.slice(0, open).trim().toLowerCase() + name.slice(open).replaceAll(/\s/g, '');
}

type Operand = FormulaPlan['operands'][number];

function bindFormula(binding: Binding, expression: ExpressionNode): Plan {
  const operands: Operand[] = [];
  const bound = bindExpression(binding, expression, operands);
  const base = basePlan(binding, { count: 7, unit: 'd' });
  const bucket = bindOneBucket(binding, binding.stages.groups);
  return { kind: 'formula', ...base, bucket, operands, expression: bound };
}

function bindExpression(binding: Binding, node: ExpressionNode, operands: Operand[]): FormulaNode {
  switch (node.kind) {
    case 'number':
      return node;
    case 'negate':
      return { kind: 'negate', term: bindExpression(binding, node.term, operands) };
    case 'binary':
      return {
        kind: 'binary',
        op: node.op,
        left: bindExpression(binding, node.left, operands),
        right: bindExpression(binding, node.right, operands),
      };
    case 'operand': {
      const field = metricField(binding, node.metric, 'events', DISTINCT_ID);
      const operand = { event: node.event.name, metric: makeMetric(node.metric, field, node.text) };
      return { kind: 'operand', index: indexOf(operand, operands) };
    }
  }
}

/** Equal operands are one column. */
function indexOf(operand: Operand, operands: Operand[]): number {
  const identity = identityOf(operand);
  const index = operands.findIndex((other) => identityOf(other) === identity);
  return index !== -1 ? index : operands.push(operand) - 1;
}

/** Everything but the column. A median differs from p50 because it is written differently. */
function identityOf({ event, metric }: Operand): string {
  const [word = ''] = metric.column.split('(', 1);
  return JSON.stringify([event, word.trim().toLowerCase(), { ...metric, column: null }]);
}
