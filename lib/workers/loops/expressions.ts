/** Filters and slots as expressions of generated loops. */
import type { Filter } from '../where/filter.ts';
import type { LoopInputs } from './generate.ts';
import type { SlotMap } from '../groups/slots.ts';
import { unreachable } from '../../unreachable.ts';

/** 0 or 1 for row i. */
export function filterExpression(filter: Filter, inputs: LoopInputs): string {
  switch (filter.kind) {
    case 'constant':
      return String(filter.value);
    case 'table':
      return `${inputs.name(filter.passes)}[${inputs.name(filter.codes)}[i]]`;
    case 'mask':
      return `${inputs.name(filter.bytes)}[i]`;
    case 'not':
      return `(${filterExpression(filter.term, inputs)} ^ 1)`;
    case 'and':
      return `(${filter.terms.map((term) => filterExpression(term, inputs)).join(' & ')})`;
    case 'or':
      return `(${filter.terms.map((term) => filterExpression(term, inputs)).join(' | ')})`;
    default:
      return unreachable(filter);
  }
}

/** The slot of row i within its bucket; '' where all rows of a bucket have one. */
export function slotExpression(slots: SlotMap, inputs: LoopInputs): string {
  return slots
    .map(({ codes, table }) =>
      table === null ? `${inputs.name(codes)}[i]` : `${inputs.name(table)}[${inputs.name(codes)}[i]]`,
    )
    .join(' + ');
}
