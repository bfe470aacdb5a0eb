/** Syntax tree → plan: resolves everything that needs no data. One function per source; see bind-*.ts for the parts. */
import { AppError } from '../../base/errors.ts';
import type { KnownCohorts } from '../../base/cohorts.ts';
import type { BotPolicy, WeekStart } from '../../base/project.ts';
import { leaveOutBots } from '../plan/bots.ts';
import { bindAttribution } from './bind-attribution.ts';
import { bindChoice, bindPaths, bindUsers } from './bind-people.ts';
import { refuseManyDids } from './bind-did.ts';
import { Cohorts } from './cohorts.ts';
import { bindFunnel } from './bind-funnel.ts';
import { basePlan, bindEvents, DISTINCT_ID, bindRowMetric, metricIdentity } from './bind-events.ts';
import { bindCohortGroups, bindGroups } from './bind-groups.ts';
import { bindExpression } from './bind-expression.ts';
import { bindRetention, COHORT_RANGES } from './bind-retention.ts';
import { bindRolling, bindRollingOperands } from './bind-rolling.ts';
import { bindSessions } from './bind-sessions.ts';
import { bindColumn } from './bind-column.ts';
import { bindPersons } from './bind-persons.ts';
import { bindTableStages } from './bind-table.ts';
import { refusePersonal, refuseProfiles } from './refuse-personal.ts';
import { failAt, type BindingScope } from './binding.ts';
import { PatternCheck } from '../plan/pattern.ts';
import type { Personal } from '../plan/hides.ts';
import type { Plan, Order, FormulaPlan } from '../plan/plan.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import { shownRange } from '../plan/shown-range.ts';
import { gatherStages, type StageOf } from './stages.ts';
import type { EventRef, ExpressionNode, OperandNode, Query, Source } from '../parse/syntax.ts';
import { hasTooMany, MAX_BUCKETS } from '../time/buckets.ts';
import { unitWord, type Duration } from '../time/units.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { unreachable } from '../../base/unreachable.ts';
import { answerColumns, columnsOf } from '../plan/columns.ts';

/** What a query needs besides its text. */
export interface BindContext {
  /** Milliseconds since the epoch: the moment of arrival plus 1 ms. */
  readonly now: number;
  /** Time of the earliest stored event; null or left out if there is none. Only `all` needs it. */
  readonly earliest?: number | null;
  /** IANA names; `tz` in the query overrides the request's, which overrides the project's. */
  readonly timezone: { readonly request?: string; readonly project: string };
  /** The project's, which `weeks from` in the query overrides; Monday when left out. */
  readonly weekStart?: WeekStart;
  /** The project's; they are kept when left out. */
  readonly bots?: BotPolicy;
  /** The request's page: 1 to 10,000 rows, from an offset of 0 or more. */
  readonly limit: number;
  readonly offset: number;
  /** Regular expressions that may be longer than new ones: a stored dashboard has them. */
  readonly storedPatterns?: readonly string[];
  /** What whoever asks does not see; left out: everything may be asked. */
  readonly personal?: Personal;
  /** The project's; without them it has none. `any`: a query is only checked, and may name whichever it likes. */
  readonly cohorts?: KnownCohorts | 'any';
}

const NO_COHORTS: KnownCohorts = { names: [], conditions: new Map() };

/** Throws QueryError for mistakes in the query, AppError `bad_request` for an unknown zone of the request. */
export function bind(query: string, tree: Query, context: BindContext): Plan {
  const stages = gatherStages(query, tree);
  const cohorts = new Cohorts(context.cohorts ?? NO_COHORTS);
  refuseManyDids({ query, stages, cohorts });
  const page = { limit: context.limit, offset: context.offset };
  const unzoned = {
    query,
    stages,
    now: context.now,
    earliest: context.earliest ?? null,
    page,
    patterns: new PatternCheck(context.storedPatterns ?? []),
    ...{ cohorts, reading: [] },
  };
  const weeks = stages.one('weeks')?.from ?? context.weekStart ?? 'monday';
  const binding = { ...unzoned, weeks, zone: bindZone({ query, stages }, context) };
  const source = bindPersons(binding, bindSource(binding, tree.source), tree.source.kind);
  refuseBuckets(binding, source);
  const rolled = bindRolling(binding, source);
  const plan = { ...rolled, tableStages: bindTableStages(binding, source) };
  for (const stage of plan.tableStages) if (stage.kind === 'compare') refuseBuckets(binding, source, stage.range);
  const ordered = { ...plan, order: bindOrder(binding, plan) };
  if (context.personal === 'profiles') refuseProfiles(binding, tree, ordered);
  else if (context.personal !== undefined) refusePersonal(binding, tree, ordered, context.personal);
  return context.bots === 'leave out' && stages.one('withBots') === null ? leaveOutBots(ordered) : ordered;
}

/** Throws QueryError at the bucket of which the range has too many, or at the range if the query names no bucket. */
function refuseBuckets(binding: BindingScope, plan: Plan, range = shownRange(plan)): void {
  const { stages } = binding;
  for (const unit of plan.kind === 'stickiness' ? (['day'] as const) : traitsOf(plan).buckets) {
    if (unit === null || !hasTooMany(range, unit)) continue;
    const at =
      stages.groups?.groups.find((node) => node.kind === 'bucket' && node.unit === unitWord(unit)) ??
      stages.one('range');
    const hint = plan.kind === 'stickiness' ? 'choose a shorter range' : 'choose a shorter range or a longer bucket';
    if (at !== null)
      failAt(binding, at, `expected a range of at most ${MAX_BUCKETS} buckets of one ${unitWord(unit)}`, [hint]);
  }
}

function bindSource(binding: BindingScope, source: Source): Plan {
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
      return bindFunnel(binding, source);
    case 'retention':
      return bindRetention(binding, source);
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
    case 'attribution':
      return bindAttribution(binding, source);
    default:
      return unreachable(source);
  }
}

function bindLifecycle(binding: BindingScope, event: EventRef): Plan {
  for (const node of binding.stages.groups?.groups ?? []) {
    if (node.kind !== 'bucket') failAt(binding, node, 'expected one of day, week, month');
  }
  const { unit, column } = bindCohortGroups(binding, binding.stages.groups);
  return { kind: 'lifecycle', ...basePlan(binding, COHORT_RANGES[unit]), event: event.name, unit, column };
}

function bindZone(binding: Pick<BindingScope, 'query' | 'stages'>, context: BindContext): Zone {
  const stage = binding.stages.one('tz');
  const name = stage?.zone.value ?? context.timezone.request ?? context.timezone.project;
  const zone = findZone(name);
  if (zone !== null) return zone;
  const hint = 'use an IANA time zone name: "Europe/Berlin", "UTC"';
  if (stage !== null) return failAt(binding, stage.zone, 'expected the name of a time zone', [hint]);
  throw new AppError('bad_request', `Unknown time zone ${JSON.stringify(name)}.`, { hints: [hint] });
}

/** What its stages set. Throws QueryError for a column that the answer lacks. */
function bindOrder(binding: BindingScope, plan: Plan): Order {
  const sort = binding.stages.one('sort');
  if (sort !== null) return bindSort(binding, plan, sort);
  const top = binding.stages.one('top');
  if (top === null) return { kind: 'default' };
  if (!columnsOf(plan).some((column) => column.role === 'metric')) {
    failAt(binding, top, 'expected a metric for `top` to sort by, such as `count`', ['to cut rows, use `limit`']);
  }
  return { kind: 'top' };
}

/** Without a direction, metrics descend and everything else ascends. */
function bindSort(binding: BindingScope, plan: Plan, sort: StageOf<'sort'>): Order {
  const columns = answerColumns(plan);
  if (sort.computed !== null && 'fields' in plan && plan.fields?.at(-1)?.hidden === true)
    return { kind: 'sort', column: columns.length, descending: sort.direction === 'desc' };
  if (sort.computed !== null) {
    failAt(binding, sort.computed, 'expected a column of the answer: arithmetic sorts a `list` that names its fields', [
      '| list time, event_properties.price | sort (event_properties.price * event_properties.quantity) desc',
      '| sum (event_properties.price * 2) as total by event_type | sort total',
    ]);
  }
  const index = bindColumn(binding, sort.column, columns);
  const descending = sort.direction === null ? columns[index]?.role === 'metric' : sort.direction === 'desc';
  return { kind: 'sort', column: index, descending };
}

type Operand = FormulaPlan['operands'][number] & { readonly rolling: Duration | null };

function bindFormula(binding: BindingScope, expression: ExpressionNode<OperandNode>): Plan {
  const operands: Operand[] = [];
  const nodes: OperandNode[] = [];
  const bound = bindExpression(expression, (node) => {
    const metric = { ...bindRowMetric(binding, node.metric, 'events', DISTINCT_ID), column: node.metric.text };
    const index = indexOf({ event: node.event.name, metric, rolling: node.rolling?.duration ?? null }, operands);
    nodes[index] = node;
    return index;
  });
  const base = basePlan(binding, { count: 7, unit: 'd' });
  const groups = bindGroups(binding, binding.stages.groups, 'events');
  const ofEvents = operands.map(({ event, metric }) => ({ event, metric }));
  const plan: FormulaPlan = { kind: 'formula', ...base, groups, operands: ofEvents, expression: bound };
  refuseBuckets(binding, plan); // before there is a window for each
  return bindRollingOperands(binding, plan, nodes);
}

/** Equal operands are one column. */
function indexOf(operand: Operand, operands: Operand[]): number {
  const identity = identityOf(operand);
  const index = operands.findIndex((other) => identityOf(other) === identity);
  return index !== -1 ? index : operands.push(operand) - 1;
}

function identityOf({ event, metric, rolling }: Operand): string {
  const [word = ''] = metric.column.split('(', 1);
  return JSON.stringify([event, rolling, metricIdentity(word.trim().toLowerCase(), metric)]);
}
