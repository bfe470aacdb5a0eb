/** Text → plan as in the service, for a project with the names of a world. */
import { AppError } from '../../lib/base/errors.ts';
import { compileQuery, type Compiled } from '../../lib/dsl/compile.ts';
import { hiding } from '../../lib/dsl/plan/personal.ts';
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import { withSuggestions, type KnownNames } from '../../lib/dsl/hints/suggest.ts';
import { gather } from '../oracle/gather.ts';
import type { QueryContext, World } from '../oracle/world.ts';

export interface CompiledPlans {
  /** As bound: answered by the oracle. */
  readonly bound: Plan;
  /** After all optimizer passes: answered by engines. */
  readonly optimized: Plan;
}

/** Throws AppError if the query is wrong. */
export function compile(query: string, context: QueryContext, world: World): CompiledPlans {
  try {
    const { passes, plan } = compileIn(query, context, world);
    const seen = (one: Plan): Plan => (context.hides === undefined ? one : hiding(one, context.hides));
    return { bound: seen(passes[0]?.plan ?? plan), optimized: seen(plan) };
  } catch (error) {
    throw error instanceof AppError ? withSuggestions(error, catalogOf(world)) : error;
  }
}

/** Those of random queries. */
const COHORTS: ReadonlyMap<string, string> = new Map([
  ['doers', 'did(a) >= 2 or did(b) in last 3w'],
  ['rich', 'user.size > 1 or user.plan exists and not did(c)'],
  ['both', 'cohort "doers" and not cohort "rich"'],
]);

function compileIn(query: string, context: QueryContext, world: World): Compiled {
  const { cohorts = COHORTS } = context;
  return compileQuery(query, {
    now: context.now + 1,
    timezone: { project: context.timezone ?? 'UTC' },
    limit: context.limit,
    offset: context.offset,
    cohorts: { names: [...cohorts.keys()], conditions: cohorts },
    earliest: gather(world).events[0]?.time ?? null,
    ...(context.hides === undefined ? {} : { personal: context.hides.personal }),
  });
}

/** The names in a world. */
export function catalogOf(world: World): KnownNames {
  const { events, profiles } = gather(world);
  const names = new Set<string>();
  for (const { properties, userProperties } of events) {
    for (const key of Object.keys(properties)) names.add(`event_properties.${key}`);
    for (const key of Object.keys(userProperties)) names.add(`user_properties.${key}`);
  }
  for (const { properties } of profiles.values()) for (const key of Object.keys(properties)) names.add(`user.${key}`);
  const types = [...new Set(events.map(({ type }) => type))];
  return {
    events: types.map((name) => ({ name, rows: events.filter(({ type }) => type === name).length })),
    fields: [...names],
  };
}
