/** The conversions of one part, and the touches of whoever may have converted. */
import { lowerBound } from '../../../base/lower-bound.ts';
import type { AttributionPlan, EventName } from '../../../dsl/plan/plan.ts';
import { listedRows, positionsOf, rangeOf, type Positions } from '../../groups/positions.ts';
import { Scan } from '../../groups/scan.ts';
import { select } from '../../groups/select.ts';
import { numbersBySlot } from '../../metrics/state-array.ts';
import { EventList } from '../../persons/event-list.ts';
import { inOrderOfTime } from '../../persons/in-order.ts';
import { personsOf } from '../../persons/persons-of.ts';
import { selectEvents } from '../../persons/select-events.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import { readRange } from '../../plan-parts.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { ALL, filterOf } from '../../where/filter.ts';
import type { Run } from '../contract.ts';
import { CELL_BYTES } from '../../budget.ts';

export function gatherTouches(plan: AttributionPlan, context: QueryContext): Run {
  const inOrder = inOrderOfTime(context.snapshot.segments, readRange(plan));
  const labels = new StartLabels(plan.groups, context);
  // Within a millisecond it matters which touch came first; the rows of a segment are in order anyway.
  const touches = new EventList({ arrivals: !inOrder, labels: true }, context);
  const measured = plan.metrics.length > 0;
  const conversions = new EventList({ arrivals: false, labels: measured }, context);
  const converted = whoMayConvert(plan.conversion, context);
  const numbers = new ConversionNumbers(plan, context);
  const ofNobody: number[] = [];
  let nobodies = 0;
  const addConversions = (rows: EventRows, range: RowRange): void => {
    const { event, where } = { event: plan.conversion, where: [plan.where] };
    const positions = selectEvents(rows, range, { event, where, starts: null }, context);
    const given = measured ? numbers.of(rows, range, positions) : null;
    conversions.add(rows, positions, given);
    if (positions.spans.length === 0) return;
    const persons = rows.persons();
    const { from } = rangeOf(positions);
    for (const [nth, row] of listedRows(positions).entries()) {
      if (persons[row] !== 0) continue;
      nobodies++;
      const label = given?.[from + nth] ?? 0;
      if (label === 0) continue;
      context.budget.take(CELL_BYTES);
      ofNobody.push(numbers.at(label));
    }
  };
  const addTouches = (rows: EventRows, range: RowRange): void => {
    const positions = touchRows(rows, range, plan, context);
    if (positions.spans.length === 0) return;
    const own = labels.of(rows, positions);
    const persons = rows.persons();
    const touching = new Uint32Array(rows.rows);
    const { from } = rangeOf(positions);
    for (const [nth, row] of listedRows(positions).entries()) {
      const person = persons[row]!;
      if (own[from + nth] !== 0 && (converted === null || converted[person] === 1)) touching[row] = person;
    }
    touches.add(rows, positions, own, touching);
  };
  return {
    consume(rows, range) {
      const to = Math.min(rows.rowAt(plan.range.to), range.to);
      addConversions(rows, { from: Math.min(rows.rowAt(plan.range.from), to), to });
      addTouches(rows, range);
    },
    partial() {
      const found = touches.partial();
      return {
        kind: 'attribution',
        persons: context.identity().size,
        inOrder,
        touches: found,
        labels: labels.pack(found.labels!),
        conversions: conversions.partial(),
        numbers: numbers.partial(),
        ofNobody: { conversions: nobodies, numbers: Float64Array.from(ofNobody) },
      };
    },
  };
}

/** Of a field of sessions their first events are touches. */
function touchRows(rows: EventRows, range: RowRange, plan: AttributionPlan, context: QueryContext): Positions {
  if (plan.groups[0]?.field.kind !== 'session') {
    return selectEvents(rows, range, { event: null, where: [plan.where], starts: null }, context);
  }
  const list = context.sessions().firstRows(rows);
  const from = lowerBound(list, range.from);
  const begun = positionsOf(rows, list, { from, to: lowerBound(list, range.to, from) }, null);
  return select(begun, filterOf(plan.where, rows, context), context);
}

/** By person: 1 if there may be a conversion, in this part or another; null: everybody may have one. */
function whoMayConvert(conversion: EventName, context: QueryContext): Uint8Array | null {
  if (conversion === null) return null;
  const { size } = context.identity();
  context.budget.take(size);
  const converted = new Uint8Array(size);
  for (const persons of personsOf([conversion], context)) {
    for (let at = 0; at < persons.length; at++) converted[persons[at]!] = 1;
  }
  return converted;
}

/** The numbers of conversions, each under a label of its own. */
class ConversionNumbers {
  readonly #plan: AttributionPlan;
  readonly #context: QueryContext;
  readonly #numbers;
  #count = 0;

  constructor(plan: AttributionPlan, context: QueryContext) {
    this.#plan = plan;
    this.#context = context;
    this.#numbers = numbersBySlot(context);
  }

  /** By place of the conversions: the label of their number, 0: they have none. */
  of(rows: EventRows, range: RowRange, conversions: Positions): Uint32Array {
    const [metric] = this.#plan.metrics;
    const labels = new Uint32Array(rangeOf(conversions).to);
    if (metric === undefined || labels.length === 0) return labels;
    const where = [this.#plan.where, metric.where ?? null];
    const measured = selectEvents(rows, range, { event: this.#plan.conversion, where, starts: null }, this.#context);
    const labelOf = new Uint32Array(rows.rows);
    for (const { values, ...positions } of new Scan(rows, measured, ALL, this.#context).numeric(metric.field)) {
      const { from } = rangeOf(positions);
      for (const [nth, row] of listedRows(positions).entries()) labelOf[row] = this.#add(values[from + nth]!);
    }
    const { from } = rangeOf(conversions);
    for (const [nth, row] of listedRows(conversions).entries()) labels[from + nth] = labelOf[row]!;
    return labels;
  }

  at(label: number): number {
    return this.#numbers.values[label - 1]!;
  }

  partial(): Float64Array {
    return this.#numbers.values.subarray(0, this.#count);
  }

  #add(value: number): number {
    this.#numbers.resize(this.#count + 1);
    this.#numbers.values[this.#count] = value;
    return ++this.#count;
  }
}
