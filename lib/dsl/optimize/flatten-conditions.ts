/** `a and (b and c)` → `a and b and c`; `not not a` → `a`. */
import { join, mapCondition, mapConditions } from '../plan/conditions.ts';
import type { Condition } from '../plan/plan.ts';
import type { Pass } from './pass.ts';

export const flattenConditions: Pass = {
  name: 'flatten-conditions',
  run: (plan) => mapConditions(plan, (condition) => mapCondition(condition, flatten)),
};

function flatten(condition: Condition): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const { kind } = condition;
      return join(
        kind,
        condition.terms.flatMap((term) => (term.kind === kind ? term.terms : [term])),
      );
    }
    case 'not':
      return condition.term.kind === 'not' ? condition.term.term : condition;
    case 'test':
    case 'constant':
      return condition;
  }
}
