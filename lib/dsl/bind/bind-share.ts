/** `share`: of the sum of the first metric. */
import { failAt, type BindingScope } from './binding.ts';
import { SHARE } from '../plan/columns.ts';
import type { Plan, TableStage } from '../plan/plan.ts';
import type { TableColumn } from '../plan/table.ts';

/** What adds up, so that there are parts of it. */
const SUMMED: readonly string[] = ['count', 'sum', 'sessions'];

export function bindShare(binding: BindingScope, plan: Plan, columns: readonly TableColumn[]): readonly TableStage[] {
  const stage = binding.stages.one('share');
  if (stage === null) return [];
  if (columns.some(({ name }) => name === SHARE)) {
    failAt(binding, stage, `the answer has a column \`${SHARE}\` already, so there can be no other`);
  }
  const metric = columns.findIndex(({ role }) => role === 'metric');
  const name = columns[metric]?.name;
  const first = 'metrics' in plan && plan.kind !== 'choice' ? plan.metrics[0]?.kind : undefined;
  if (name === undefined || !SUMMED.includes(first ?? name)) {
    const found = name === undefined ? 'these rows have no metric' : `\`${name}\` does not add up to a whole`;
    failAt(binding, stage, `expected \`count\`, \`sum\` or \`sessions\` as the first metric: ${found}`, [
      '`| count by … | share`',
    ]);
  }
  return [{ kind: 'share', metric }];
}
