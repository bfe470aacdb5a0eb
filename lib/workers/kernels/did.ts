/**
 * Who did something so and so often. Parts count the events of each person; whoever joins them tests the counts. Of a window, which
 * begins with another event of the person, one part has all: it lays the events aside until every start is known.
 */
import { Lease, primitives } from '../../primitives/memory.ts';
import type { DidPlan } from '../../dsl/plan/plan.ts';
import { compileTest } from '../../dsl/plan/value.ts';
import { rowsIn } from '../groups/positions.ts';
import { countsBySlot, numbersBySlot } from '../metrics/state-array.ts';
import { forPersons } from '../persons/person-blocks.ts';
import { eachTimed, selectPersons, selectTimed } from '../persons/select-events.ts';
import { Window } from '../persons/window.ts';
import { CHECK_EVERY } from '../check-every.ts';
import type { QueryContext, RowContext } from '../query-context.ts';
import type { Kernel, Run } from './contract.ts';
import { onlyKind, type PartialResult } from './partial-result.ts';

export function didKernel(plan: DidPlan): Kernel {
  return {
    order: 'oldest',
    start: (context) => (plan.within === null ? countAll(plan, context) : countWithin(plan, plan.within, context)),
    answer: () => {
      throw new Error('persons are no table: see `personsWho`');
    },
  };
}

/** By person: 1 if the test holds of what all parts counted, else 0. Code 0 is nobody, who did nothing. */
export function personsWho(
  { test }: DidPlan,
  partials: readonly PartialResult[],
  { budget, checkpoint }: Pick<RowContext, 'budget' | 'checkpoint'>,
): Uint8Array<SharedArrayBuffer> {
  using lease = new Lease();
  const parts = onlyKind('did', partials).map(({ counts }) => counts);
  const persons = parts.reduce((most, { length }) => Math.max(most, length), 1);
  budget.take(persons * (4 + 1 + 1)); // counts, what is found, and that for all threads
  const counts = lease.noWords(persons);
  for (const part of parts) {
    checkpoint();
    using own = new Lease();
    primitives.addCodes(own.hold(part).byteOffset, 4, part.length, counts.byteOffset);
  }
  counts[0] = 0;
  const most = primitives.largest(counts.byteOffset, 4, persons);
  budget.take(most);
  // A number is tested once, however many persons have it.
  const holds = compileTest(test);
  const table = lease.bytes(most + 1);
  for (let count = 0; count < table.length; count++) {
    if (count % CHECK_EVERY === 0) checkpoint();
    table[count] = holds(count) ? 1 : 0;
  }
  const found = lease.bytes(persons);
  primitives.testCodes(counts.byteOffset, 4, persons, table.byteOffset, found.byteOffset);
  const passes = new Uint8Array(new SharedArrayBuffer(persons));
  passes.set(found);
  return passes;
}

function countAll({ event, where, range: time }: DidPlan, context: QueryContext): Run {
  const counts = countsBySlot(context);
  counts.resize(context.identity().size);
  const wanted = { event, where: [where], starts: null };
  return {
    consume: (rows, range) =>
      forPersons(selectPersons(rows, { ...range, time }, wanted, context), context, ({ persons, count }) =>
        primitives.countCodes(persons, 4, count, counts.address, 0),
      ),
    partial: () => ({ kind: 'did', counts: counts.values }),
  };
}

/** Events of persons. */
interface Aside {
  readonly persons: Uint32Array;
  readonly times: Float64Array;
}

function countWithin(
  { event, where, range: time }: DidPlan,
  { of, starts, duration }: NonNullable<DidPlan['within']>,
  context: QueryContext,
): Run {
  const firsts = numbersBySlot(context, Infinity);
  firsts.resize(context.identity().size);
  const aside: Aside[] = [];
  return {
    consume(rows, range) {
      const started = { from: rows.rowAt(starts.from), to: Math.min(rows.rowAt(starts.to), range.to), time: starts };
      eachTimed(
        selectTimed(rows, started, { event: of, where: [], starts: null }, context),
        context,
        (person, start) => {
          if (start < firsts.values[person]!) firsts.values[person] = start;
        },
      );
      aside.push(
        layAside(selectTimed(rows, { ...range, time }, { event, where: [where], starts: null }, context), context),
      );
    },
    partial() {
      const counts = countsBySlot(context);
      counts.resize(context.identity().size);
      const window = new Window(duration, context.zone);
      for (const { persons, times } of aside) {
        for (let at = 0; at < persons.length; at++) {
          if (at % CHECK_EVERY === 0) context.checkpoint();
          const [person, start] = [persons[at]!, firsts.values[persons[at]!]!];
          if (times[at]! >= start && window.holds(start, times[at]!)) counts.values[person]!++;
        }
      }
      return { kind: 'did', counts: counts.values };
    },
  };
}

type Timed = ReturnType<typeof selectTimed>;

function layAside(found: Timed, context: RowContext): Aside {
  const count = rowsIn(found.spans);
  context.budget.take(count * (4 + 8)); // persons and times
  const aside = { persons: new Uint32Array(count), times: new Float64Array(count) };
  let length = 0;
  eachTimed(found, context, (person, time) => {
    aside.persons[length] = person;
    aside.times[length++] = time;
  });
  return aside;
}
