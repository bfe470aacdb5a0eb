/** Syntax tree → plan: resolves everything that needs no data. One function per source; see bind-*.ts for the parts. */
import { AppError } from '../../base/errors.ts';
import { bindChoice, bindFunnel, bindPaths, bindUsers } from './bind-people.ts';
import { basePlan, bindEvents } from './bind-events.ts';
import { bindFormula } from './bind-formula.ts';
import { withOrder } from './bind-order.ts';
import { bindCohortGroups } from './bind-groups.ts';
import { bindSessions } from './bind-sessions.ts';
import { failAt, type Binding } from './binding.ts';
import { PatternCheck } from '../plan/pattern.ts';
import type { Plan } from '../plan/plan.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Duration } from '../time/units.ts';
import { gatherStages } from './stages.ts';
import type { EventRef, Query, Source } from '../parse/syntax.ts';
import { hasTooMany, MAX_BUCKETS } from '../time/buckets.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { unreachable } from '../../base/unreachable.ts';

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
  return withOrder(binding, plan);
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
