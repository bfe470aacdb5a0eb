/** Who is new, returning, resurrected or dormant in one bucket: what decides is the first event in it and the last before. */
import { lastWholeBucket } from '../../../dsl/plan/last-whole-bucket.ts';
import type { LifecyclePlan, People } from '../../../dsl/plan/plan.ts';
import { numbersBySlot } from '../../metrics/state-array.ts';
import { eachTimed, selectTimed } from '../../persons/select-events.ts';
import { CHECK_EVERY } from '../../check-every.ts';
import { tableKernel, type Kernel } from '../contract.ts';
import { FoundPeople, peopleTable } from '../people.ts';

export function stateKernel(plan: LifecyclePlan, { which }: People): Kernel {
  const bucket = lastWholeBucket(plan);
  if (bucket === null) throw new Error('people of a lifecycle without a whole bucket');
  const { from, to, before } = bucket;
  const wanted = { event: plan.event, where: [plan.where], starts: null };
  return tableKernel('oldest', (context) => {
    const persons = context.identity().size;
    const [firsts, lasts] = [numbersBySlot(context, Infinity), numbersBySlot(context, -Infinity)];
    for (const state of [firsts, lasts]) state.resize(persons);
    return {
      consume(rows, range) {
        const within = { from: range.from, to: Math.min(range.to, rows.rowAt(to)), time: { from: -Infinity, to } };
        const events = selectTimed(rows, within, wanted, context);
        const [inBucket, earlier] = [firsts.values, lasts.values];
        eachTimed(events, context, (person, time) => {
          if (time < from) earlier[person] = Math.max(earlier[person]!, time);
          else inBucket[person] = Math.min(inBucket[person]!, time);
        });
      },
      table() {
        const found = new FoundPeople(persons, context);
        const [inBucket, earlier] = [firsts.values, lasts.values];
        for (let person = 1; person < persons; person++) {
          if (person % CHECK_EVERY === 0) context.checkpoint();
          const first = inBucket[person]!;
          const last = earlier[person]!;
          if (first === Infinity && last < before) continue; // most persons
          if (stateOf(first, last, before) === which) found.add(person, first < Infinity ? first : last, 0);
        }
        return peopleTable(plan, found, () => [], context);
      },
    };
  });
}

/**
 * Of a person with an event in the bucket or in the one before, which begins at `before`.
 * @param first In the bucket; Infinity: none. @param last Before it; -Infinity: none.
 */
function stateOf(first: number, last: number, before: number): People['which'] {
  if (first === Infinity) return 'dormant';
  if (last === -Infinity) return 'new';
  return last >= before ? 'returning' : 'resurrected';
}
