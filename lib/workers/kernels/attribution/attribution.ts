/**
 * Whose credit conversions are. Parts send conversions and touches as persons and times; the merge lays them out person by person,
 * and divides the credit of each conversion among the touches in its window.
 */
import { creditRows } from '../../../dsl/finish/credit-rows.ts';
import type { AttributionPlan } from '../../../dsl/plan/plan.ts';
import type { Cell, Table } from '../../../dsl/plan/table.ts';
import { roundComputed } from '../../../dsl/plan/value.ts';
import { knownValues } from '../../metrics/metric-state.ts';
import { mergeLabels, type MergedGroups } from '../../metrics/merge-groups.ts';
import { NumberedPersons } from '../../persons/members.ts';
import { Timelines } from '../../persons/timelines.ts';
import type { RowContext } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { pagedTable, takeRows } from '../group-rows.ts';
import { onlyKind, type AttributionPartial } from '../partial-result.ts';
import { Credits } from './credits.ts';
import { gatherTouches } from './gather-touches.ts';

export function attributionKernel(plan: AttributionPlan): Kernel {
  return {
    order: 'oldest',
    start: (context) => gatherTouches(plan, context),
    answer(partials, context) {
      const parts = onlyKind('attribution', partials);
      const touched = parts.map(({ labels, touches }) => ({ labels, own: touches.labels! }));
      const groups = mergeLabels(touched, plan.groups.length, context);
      return tableOf(plan, groups, divideAll(plan, parts, groups.count, context), context);
    },
  };
}

function divideAll(
  plan: AttributionPlan,
  parts: readonly AttributionPartial[],
  labels: number,
  context: RowContext,
): Credits {
  const credits = new Credits(plan, labels, context);
  const numbers = joinNumbers(parts, context);
  const touches = new Timelines(
    parts.map((part) => part.touches),
    parts.every(({ inOrder }) => inOrder),
    context,
  );
  const conversions = new Timelines(
    parts.map((part) => part.conversions),
    true, // whatever their order
    context,
  );
  const persons = Math.max(...parts.map((part) => part.persons));
  const members = new NumberedPersons(persons, touches.total + conversions.total, context);
  for (const slice of members.slices()) {
    context.checkpoint();
    conversions.layOutFirst(slice, members);
    touches.layOut(slice, members);
    const { starts, times, labels: numbered } = conversions;
    const own = { times: touches.times, labels: touches.labels ?? NONE };
    for (let member = 0; member < members.count; member++) {
      const range = { from: touches.starts[member]!, to: touches.starts[member + 1]! };
      for (let at = starts[member]!; at < starts[member + 1]!; at++) {
        const label = numbered === null ? 0 : numbered[at]!;
        credits.add({ time: times[at]!, number: label === 0 ? NaN : numbers[label - 1]! }, own, range);
      }
    }
  }
  for (const { ofNobody } of parts) credits.addUntouched(ofNobody.conversions, ofNobody.numbers);
  return credits;
}

const NONE = new Uint32Array(0);

/** The numbers of all parts; the labels of their conversions become those of these. */
function joinNumbers(parts: readonly AttributionPartial[], { budget }: RowContext): Float64Array {
  const joined = new Float64Array(parts.reduce((sum, { numbers }) => sum + numbers.length, 0));
  budget.take(joined.byteLength);
  let before = 0;
  for (const { numbers, conversions } of parts) {
    joined.set(numbers, before);
    const { labels } = conversions;
    if (labels !== null) for (let at = 0; at < labels.length; at++) if (labels[at] !== 0) labels[at]! += before;
    before += numbers.length;
  }
  return joined;
}

function tableOf(plan: AttributionPlan, groups: MergedGroups, credits: Credits, context: RowContext): Table {
  const shown = Array.from({ length: groups.count + 1 }, (_, label) => label).filter((label) => credits.has(label));
  const conversions = Float64Array.from(shown, (label) => roundComputed(credits.conversions(label)));
  const merged = { groups: groupsShown(groups, shown), values: [knownValues(conversions)] };
  return pagedTable(plan, plan.groups, merged, (only): Cell[][] => {
    takeRows(plan, only?.length ?? shown.length, context.budget);
    const rows = Array.from(only ?? shown.keys(), (at) => ({
      value: merged.groups.text(0, at),
      conversions: credits.conversions(shown[at]!),
      sum: credits.sum(shown[at]!),
    }));
    return creditRows(plan, rows, credits.all);
  });
}

/** Some groups of touches, numbered by their places; the one after all of them is of conversions without any. */
function groupsShown(groups: MergedGroups, shown: readonly number[]): MergedGroups {
  const isMissing = (at: number): boolean => shown[at] === groups.count;
  return {
    count: shown.length,
    text: (column, at) => (isMissing(at) ? null : groups.text(column, shown[at]!)),
    id: (column, at) => (isMissing(at) ? 0 : groups.id(column, shown[at]!)),
    compare: (a, b) =>
      isMissing(a) || isMissing(b) ? Number(isMissing(a)) - Number(isMissing(b)) : groups.compare(shown[a]!, shown[b]!),
    places: [],
  };
}
