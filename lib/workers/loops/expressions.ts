/** Filters and slots as expressions of generated loops. */
import type { Filter } from '../where/filter.ts';
import type { LoopWriter } from './generate.ts';
import type { SlotMap } from '../groups/slots.ts';
import { unreachable } from '../../unreachable.ts';

/** 0 or 1 for row i. */
export function filterExpression(filter: Filter, inputs: LoopWriter): string {
  switch (filter.kind) {
    case 'constant':
      return String(filter.value);
    case 'table':
      return `${inputs.table(filter.passes)}[${inputs.value(filter.codes)}]`;
    case 'mask':
      return inputs.value(filter.bytes);
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
export function slotExpression(slots: SlotMap, inputs: LoopWriter): string {
  return slots
    .map(({ codes, table }) =>
      table === null ? inputs.value(codes) : `${inputs.table(table)}[${inputs.value(codes)}]`,
    )
    .join(' + ');
}
