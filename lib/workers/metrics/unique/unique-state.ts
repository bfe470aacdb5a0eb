import { mergeUnique } from './merge-unique.ts';
import { numbersAsTheyAre, type MetricState } from '../metric-state.ts';
import { UniqueAccumulator } from './unique.ts';

export const uniqueState: MetricState<'unique'> = {
  accumulate: (field, { slots, context, shared }) => new UniqueAccumulator(field, slots, context, shared),
  merge: (parts, { groups: { places, count }, limits }) => numbersAsTheyAre(mergeUnique(parts, places, count, limits)),
};
