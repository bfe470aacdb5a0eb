/** `people`: the plan of an answer becomes that of the persons behind it. */
import { failAt, type BindingScope } from './binding.ts';
import type { StageOf } from './stages.ts';
import { columnsOf, periodsOf } from '../plan/columns.ts';
import { joinAnd } from '../plan/conditions.ts';
import { lastWholeBucket } from '../plan/last-whole-bucket.ts';
import { IS_SOMEBODY, PERSON_GROUPS } from '../plan/people.ts';
import type {
  AggregatePlan,
  Condition,
  Field,
  FunnelPlan,
  LifecyclePlan,
  Metric,
  People,
  Plan,
  RetentionPlan,
  SessionsPlan,
} from '../plan/plan.ts';
import type { SourceKind } from '../parse/syntax.ts';
import { unitWord } from '../time/units.ts';

type PeopleStage = StageOf<'people'>;

/** Throws QueryError for people that the answer does not have. */
export function bindPersons(binding: BindingScope, plan: Plan, source: SourceKind): Plan {
  const stage = binding.stages.one('people');
  if (stage === null) return plan;
  const asked = peopleOf(binding, stage, plan, source);
  refuseTwoOfAName(binding, asked);
  return asked;
}

function peopleOf(binding: BindingScope, stage: PeopleStage, plan: Plan, source: SourceKind): Plan {
  switch (plan.kind) {
    case 'aggregate':
      return ofEvents(binding, stage, plan, source === 'choice' ? 'min' : 'max');
    case 'sessions':
      return ofSessions(binding, stage, plan);
    case 'funnel':
      return { ...plan, people: ofFunnel(binding, stage, plan) };
    case 'retention':
      return { ...plan, people: ofRetention(binding, stage, plan) };
    case 'lifecycle':
      return { ...plan, people: ofLifecycle(binding, stage, plan) };
    case 'stickiness':
      return { ...plan, people: ofStickiness(binding, stage) };
    case 'choice':
      refuseUnit(binding, stage);
      if (plan.metrics.length > 0) {
        failAt(binding, stage, '`people` shows who converted: expected `results` and an event, without a number', [
          '| results purchase | people',
        ]);
      }
      return { ...plan, people: counted(binding, stage) };
    case 'paths':
      return { ...plan, people: counted(binding, stage) };
    default:
      throw new Error(`\`people\` of ${plan.kind}`);
  }
}

const TIME: Field = { kind: 'core', name: 'time' };
const END_TIME: Field = { kind: 'session', name: 'end_time' };
const withSomebody = (where: Condition | null): Condition | null =>
  joinAnd(where === null ? [IS_SOMEBODY] : [where, IS_SOMEBODY]);

/** @param kind Of the events that count, the last one shows its time; of exposures the first. */
function ofEvents(binding: BindingScope, stage: PeopleStage, plan: AggregatePlan, kind: 'min' | 'max'): AggregatePlan {
  const people = counted(binding, stage);
  refuseMetrics(binding, stage);
  const groups = [...PERSON_GROUPS, ...plan.groups];
  const metrics: readonly Metric[] = [{ kind, field: TIME, column: 'time' }];
  return { ...plan, people, where: withSomebody(plan.where), groups, metrics };
}

/** The end of the last session that counts. */
function ofSessions(binding: BindingScope, stage: PeopleStage, plan: SessionsPlan): SessionsPlan {
  const people = counted(binding, stage);
  refuseMetrics(binding, stage);
  const groups = [...PERSON_GROUPS, ...plan.groups];
  const metrics: readonly Metric[] = [{ kind: 'max', field: END_TIME, column: 'time' }];
  return { ...plan, people, whereRows: withSomebody(plan.whereRows), groups, metrics };
}

/** All rows are of persons, whatever metric is taken of them; a metric of some rows, or of others, would be of other persons. */
function refuseMetrics(binding: BindingScope, stage: PeopleStage): void {
  for (const node of binding.stages.one('metrics')?.metrics ?? []) {
    if (node.of !== null || node.where !== null) {
      failAt(binding, stage, `\`people\` shows whom all rows are of: expected no \`${node.text}\``, [
        '`where` chooses rows: `| where event_properties.status = 500 | people`',
      ]);
    }
  }
}

function counted(binding: BindingScope, { which }: PeopleStage): People {
  if (which !== null) failAt(binding, which, 'expected `people` alone: here it shows everybody who is counted');
  return { which: 'counted', nth: 0 };
}

function refuseUnit(binding: BindingScope, stage: PeopleStage): void {
  if (binding.stages.one('unit') !== null) {
    failAt(binding, stage, 'expected no `unit`, by which others than people are counted: `people` shows people');
  }
}

function ofFunnel(binding: BindingScope, stage: PeopleStage, { steps }: FunnelPlan): People {
  refuseUnit(binding, stage);
  const { which } = stage;
  if (which?.word !== 'reached' && which?.word !== 'dropped') {
    return failAt(binding, which ?? stage, 'expected `people reached` or `people dropped`, and the number of a step', [
      '`people reached 2` shows who did step 2, `people dropped 2` who stopped there',
    ]);
  }
  const last = which.word === 'reached' ? steps.length : steps.length - 1;
  if (which.count > last) {
    failAt(binding, which, `expected a step of at most ${last}`, which.word === 'reached' ? [] : ['nobody stops at the last step: `people reached` shows who did it']); // prettier-ignore
  }
  refuseMetric(binding, stage);
  return { which: which.word, nth: which.count };
}

function ofRetention(binding: BindingScope, stage: PeopleStage, plan: RetentionPlan): People {
  const { which } = stage;
  if (which?.word !== 'returned' && which?.word !== 'lost') {
    return failAt(binding, which ?? stage, 'expected `people returned` or `people lost`, and the number of a period', [
      '`people returned 1` shows who came back in the period after the first, `people lost 1` who did not',
    ]);
  }
  const { last } = periodsOf(plan);
  if (which.count > last) failAt(binding, which, `expected a period of at most ${last}`);
  refuseMetric(binding, stage);
  return { which: which.word, nth: which.count };
}

/** Where persons are chosen by what they did, and not by what is measured. */
function refuseMetric(binding: BindingScope, stage: PeopleStage): void {
  const [node] = binding.stages.one('metrics')?.metrics ?? [];
  if (node !== undefined) failAt(binding, stage, `\`people\` has a row for each person: expected no \`${node.text}\``);
}

function ofLifecycle(binding: BindingScope, stage: PeopleStage, plan: LifecyclePlan): People {
  const { which } = stage;
  if (which === null || !('word' in which) || which.word === null || 'count' in which) {
    return failAt(binding, which ?? stage, 'expected one of new, returning, resurrected, dormant after `people`');
  }
  if (lastWholeBucket(plan) === null) {
    failAt(binding, stage, `expected a range with a whole ${unitWord(plan.unit)}: its last one is that of the people`, [
      'choose a longer range',
    ]);
  }
  return { which: which.word, nth: 0 };
}

function ofStickiness(binding: BindingScope, stage: PeopleStage): People {
  const { which } = stage;
  if (which?.word !== null) {
    return failAt(binding, which ?? stage, 'expected `people` and a number of days', ['`people 5`']);
  }
  return { which: 'active', nth: which.count };
}

function refuseTwoOfAName(binding: BindingScope, plan: Plan): void {
  const names = columnsOf(plan).map(({ name }) => name);
  const group = binding.stages.groups?.groups.find(({ text }) => names.filter((name) => name === text).length > 1);
  if (group !== undefined) {
    failAt(binding, group, `expected another group: rows of people have a column \`${group.text}\` anyway`);
  }
}
