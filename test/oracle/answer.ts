/** The slow, obviously correct evaluator: takes a plan and a world, returns rows. It shares no code with the engines. */
import type { Plan } from '../../lib/dsl/plan/plan.ts';
import { rolledOver } from '../../lib/dsl/plan/rolled.ts';
import type { TimeRange } from '../../lib/dsl/time/units.ts';
import type { Cell } from '../../lib/dsl/plan/table.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { answerAttribution } from './attribution.ts';
import { answerChoice } from './choice.ts';
import { answerAggregate, answerList } from './events.ts';
import { answerFormula } from './formula.ts';
import { answerFunnel } from './funnel.ts';
import { gather } from './gather.ts';
import { answerFields, answerInspect } from './known-fields.ts';
import { hidden, withoutHidden } from './hidden.ts';
import { answerLatest } from './latest.ts';
import { answerLifecycle } from './lifecycle.ts';
import { answerPaths } from './paths.ts';
import { answerRetention } from './retention.ts';
import { openScope, type Scope } from './scope.ts';
import { answerSessions } from './sessions.ts';
import { answerStickiness } from './stickiness.ts';
import { afterStages } from './stages.ts';
import { finish, type Answer, type Sheet } from './table.ts';
import { answerUsers } from './users.ts';
import { bucketOf } from './zone.ts';
import type { World } from './world.ts';

export interface AnswerOptions {
  /** Whether `fields` and `inspect e` list session.*: engines without session fields do not. */
  readonly listsSessions: boolean;
}

/** The answer to a plan on a world. */
export function answer(plan: Plan, world: World, options: AnswerOptions = { listsSessions: true }): Answer {
  const sheetOf = (asked: Plan, facts = gather(world)): Sheet => {
    const widened = widen(asked);
    return hidden(evaluate(openScope(facts, widened, options.listsSessions), widened), widened);
  };
  const staged = afterStages(sheetOf(plan), shownOf(plan), {
    over: (range) => sheetOf(overRange(plan, range)),
    nothing: () => nothingOf(plan, (asked) => sheetOf(asked, gather([]))),
  });
  return withoutHidden(finish(staged, plan), plan);
}

/** Cells of the metrics of a row of which nothing was counted. */
function nothingOf(plan: Plan, sheetOf: (plan: Plan) => Sheet): readonly Cell[] {
  if (plan.kind === 'lifecycle') return [0, 0, 0, 0];
  if (plan.kind === 'funnel') return [0, null, null, null];
  const ungrouped: Plan = 'groups' in plan ? { ...unrolled(plan), groups: [] } : plan;
  if (ungrouped.kind === 'latest') return sheetOf({ ...ungrouped, asOf: null }).lines[0]?.cells ?? [];
  return sheetOf(ungrouped).lines[0]?.cells ?? [];
}

function overRange(plan: Plan, range: TimeRange): Plan {
  const over = { ...plan, range };
  return 'rolling' in over && over.rolling !== undefined ? rolledOver(over, over.rolling, range) : over;
}

function unrolled<P extends Plan>(plan: P): P {
  return 'rolling' in plan ? { ...plan, rolling: undefined } : plan;
}

/** The plan over the range that its rows tell of. */
function shownOf(plan: Plan): Plan {
  return 'rolling' in plan && plan.rolling !== undefined ? { ...plan, range: plan.rolling.shown } : widen(plan);
}

/** Extends the range of a lifecycle to the start of its first bucket; an empty range has none. */
function widen(plan: Plan): Plan {
  if (plan.kind !== 'lifecycle' || plan.range.from >= plan.range.to) return plan;
  const from = bucketOf(plan.range.from, plan.unit, plan.zone).start;
  return { ...plan, range: { ...plan.range, from } };
}

function evaluate(scope: Scope, plan: Plan): Sheet {
  switch (plan.kind) {
    case 'aggregate':
      return answerAggregate(scope, plan);
    case 'list':
      return answerList(scope, plan);
    case 'latest':
      return answerLatest(scope, plan);
    case 'users':
      return answerUsers(scope, plan);
    case 'formula':
      return answerFormula(scope, plan);
    case 'fields':
      return answerFields(scope, plan);
    case 'inspect':
      return answerInspect(scope, plan);
    case 'funnel':
      return answerFunnel(scope, plan);
    case 'retention':
      return answerRetention(scope, plan);
    case 'paths':
      return answerPaths(scope, plan);
    case 'sessions':
      return answerSessions(scope, plan);
    case 'lifecycle':
      return answerLifecycle(scope, plan);
    case 'stickiness':
      return answerStickiness(scope, plan);
    case 'choice':
      return answerChoice(scope, plan);
    case 'attribution':
      return answerAttribution(scope, plan);
    case 'did':
    case 'identities':
      throw new Error('no query asks for that alone');
    default:
      return unreachable(plan);
  }
}
