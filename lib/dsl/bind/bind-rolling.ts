/** `rolling` and `cumulative`: metrics over windows that end with each bucket. */
import { METRIC_TRAITS, METRICS } from '../plan/metrics.ts';
import type { Group, Plan, FormulaPlan, Metric } from '../plan/plan.ts';
import { rolledOver } from '../plan/rolled.ts';
import type { OperandNode, Span } from '../parse/syntax.ts';
import type { WindowSpan } from '../time/windows.ts';
import { failAt, type BindingScope } from './binding.ts';
import type { StageOf } from './stages.ts';

const ROLLING: readonly string[] = METRICS.filter((word) => Object.entries(METRIC_TRAITS).some(([name, { rolls }]) => name === word && rolls)); // prettier-ignore

/** The plan with its windows, if it has a stage for them. */
export function bindRolling(binding: BindingScope, plan: Plan): Plan {
  const { stages } = binding;
  const stage = stageOf(binding);
  // The cells of a retention add up by themselves, and a formula has the windows of its operands.
  if (stage === null || plan.kind === 'retention' || plan.kind === 'formula') return plan;
  const word = `\`${stage.kind}\``;
  if (plan.kind !== 'aggregate' && plan.kind !== 'users' && plan.kind !== 'sessions') {
    return failAt(binding, stage, `expected metrics and a time bucket: ${word} is over these`, ['| count by day']);
  }
  onlyBucket(binding, plan, stage, word);
  const [other] = plan.metrics.filter((metric) => !rolls(metric));
  if (other !== undefined || plan.metrics.length === 0) {
    const node = stages.one('metrics')?.metrics[other === undefined ? 0 : plan.metrics.indexOf(other)];
    refuseMetric(binding, node ?? stage, word);
  }
  return rolledOver(plan, { span: spanOf(stage) }, plan.range);
}

/** @param nodes By operand: where it is written. */
export function bindRollingOperands(
  binding: BindingScope,
  plan: FormulaPlan,
  nodes: readonly OperandNode[],
): FormulaPlan {
  const stage = stageOf(binding);
  const [first] = nodes.flatMap(({ rolling }) => rolling ?? []);
  if (stage === null && first === undefined) return plan;
  const at = first ?? stage!;
  const word = `\`${first === undefined ? stage!.kind : 'rolling'}\``;
  onlyBucket(binding, plan, at, word);
  const span: WindowSpan = stage === null ? 'bucket' : spanOf(stage);
  const spans = nodes.map(({ rolling }) => rolling?.duration ?? span);
  for (const [index, { metric }] of plan.operands.entries()) {
    if (spans[index] !== 'bucket' && !rolls(metric)) refuseMetric(binding, nodes[index]!.metric, word);
  }
  return rolledOver(plan, { span, spans }, plan.range);
}

type RollingStage = StageOf<'rolling'> | StageOf<'cumulative' | 'unbounded'>;

const stageOf = ({ stages }: BindingScope): RollingStage | null => stages.one('rolling') ?? stages.one('cumulative');

const spanOf = (stage: RollingStage): WindowSpan => (stage.kind === 'rolling' ? stage.duration : null);

/** Throws QueryError unless one of the groups is a time bucket. */
function onlyBucket(
  binding: BindingScope,
  { groups }: { readonly groups: readonly Group[] },
  at: Span,
  word: string,
): void {
  const buckets = groups.filter(({ kind }) => kind === 'bucket').length;
  if (buckets === 0) failAt(binding, at, `expected a time bucket: ${word} has a window for each`, ['| count by day']);
  if (buckets > 1) failAt(binding, at, `expected only one time bucket: ${word} has a window for each`);
}

function refuseMetric(binding: BindingScope, at: Span, word: string): never {
  return failAt(binding, at, `expected one of ${ROLLING.join(', ')}: ${word} takes no other metric`);
}

const rolls = ({ kind }: Pick<Metric, 'kind'>): boolean => kind !== 'per' && METRIC_TRAITS[kind].rolls === true;
