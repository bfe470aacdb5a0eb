/** Stages that work on the rows of the answer, in the order in which they run, whatever the order of writing. */
import { bindColumn } from './bind-column.ts';
import { bindConditionOn, type Tested } from './bind-condition.ts';
import type { BindingScope } from './binding.ts';
import { bindCompare } from './bind-compare.ts';
import { bindShare } from './bind-share.ts';
import { answerColumns } from '../plan/columns.ts';
import { joinAnd } from '../plan/conditions.ts';
import { findField } from '../plan/fields.ts';
import type { ConditionOn, Plan, TableStage } from '../plan/plan.ts';
import type { TableColumn } from '../plan/table.ts';

/** Throws QueryError for what the answer has no columns for. */
export function bindTableStages(binding: BindingScope, plan: Plan): readonly TableStage[] {
  const stages: TableStage[] = [];
  const columns = (): readonly TableColumn[] => answerColumns({ ...plan, tableStages: stages });
  stages.push(...bindCompare(binding, plan, columns()));
  stages.push(...bindShare(binding, plan, columns()));
  const condition = bindHaving(binding, columns());
  return condition === null ? stages : [...stages, { kind: 'having', condition }];
}

function bindHaving(binding: BindingScope, columns: readonly TableColumn[]): ConditionOn<number> | null {
  const tested: Tested<number> = {
    find: (ref) => {
      const isField = findField('events', ref.name) !== null || findField('users', ref.name) !== null;
      return bindColumn(binding, ref, columns, isField ? ['`where` chooses by fields'] : []);
    },
    isTime: (index) => columns[index]?.type === 'time',
  };
  return joinAnd(binding.stages.having.map((node) => bindConditionOn(binding, node, tested)));
}
