/**
 * Where the next event of all must be that of the next step: which events have to be known. Those of persons who cannot get beyond
 * the start tell nothing, and of events that follow each other and are of no step, one is as good as all.
 */
import type { FunnelPlan } from '../../../dsl/plan/plan.ts';
import type { Positions } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import { personsOf } from '../../persons/persons-of.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../../rows/row-set.ts';
import { segmentsOf } from '../../scheduler.ts';

export class BetweenSteps {
  readonly #plan: FunnelPlan;
  readonly #context: QueryContext;
  /** By person: whether there are events of the first two steps, in this part or another. */
  readonly #passes: Uint8Array;
  /** By event type: whether its events may be of a step; null: those of all types. */
  readonly #isStep: Uint8Array | null;
  /** By person: the stretch of rows in which the event seen last was of no step. */
  readonly #others: Uint32Array;
  #stretch = 0;
  /** The rows of the positions asked for last. */
  #kept = new Uint32Array(0);

  constructor(plan: FunnelPlan, context: QueryContext) {
    const { size } = context.identity();
    context.budget.take(6 * size);
    this.#plan = plan;
    this.#context = context;
    this.#passes = whoContinue(plan, context);
    this.#isStep = typesOfSteps(plan, context);
    this.#others = new Uint32Array(size);
  }

  /** Of events of everybody, those that have to be known, until the next are asked for. Units that are no persons need them all. */
  of(rows: EventRows, positions: Positions): Positions {
    if (this.#plan.unit !== null) return positions;
    if (this.#isStep !== null) return this.#thinned(rows, positions, this.#isStep);
    return select(positions, { kind: 'table', codes: rows.persons(), passes: this.#passes, only: null }, this.#context);
  }

  #thinned(rows: EventRows, { rows: list, spans }: Positions, isStep: Uint8Array): Positions {
    const types = rows.segment.column('event_type')!.codes!;
    const persons = rows.persons();
    const stretches = stretchesAlone(rows, this.#plan, this.#context);
    const passes = this.#passes;
    const others = this.#others;
    this.#kept = this.#kept.length < rows.rows ? new Uint32Array(rows.rows) : this.#kept;
    const kept = this.#kept;
    let length = 0;
    let next = 0;
    this.#stretch++;
    for (const { from, to } of spans) {
      this.#context.checkpoint();
      for (let place = from; place < to; place++) {
        const row = list === null ? place : list[place]!;
        const person = persons[row]!;
        if (passes[person] === 0) continue;
        while (next < stretches.length && row >= stretches[next]!.to) {
          next++;
          this.#stretch++;
        }
        const isOther = isStep[types[row]!] === 0;
        const isAlone = next < stretches.length && row >= stretches[next]!.from;
        if (isOther && isAlone && others[person] === this.#stretch) continue;
        others[person] = isOther && isAlone ? this.#stretch : 0;
        kept[length++] = row;
      }
    }
    return { rows: kept, spans: length === 0 ? [] : [{ bucket: 0, from: 0, to: length }] };
  }
}

/** The rows at whose time no other segment has any: between two of them nothing can lie that another segment has. */
function stretchesAlone({ segment }: EventRows, plan: FunnelPlan, { snapshot }: QueryContext): readonly RowRange[] {
  const others = segmentsOf(plan, snapshot).filter(({ id }) => id !== segment.id);
  const stretches: RowRange[] = [];
  let from = 0;
  for (const { first, last } of others.toSorted((a, b) => a.first - b.first)) {
    const to = segment.rowAt(first);
    if (from < to) stretches.push({ from, to });
    from = Math.max(from, segment.rowAt(last + 1));
  }
  return from < segment.rows ? [...stretches, { from, to: segment.rows }] : stretches;
}

/** By person: 1 if there are events of the first two steps. */
function whoContinue(plan: FunnelPlan, context: QueryContext): Uint8Array {
  const named = plan.steps.slice(0, 2).filter(({ events }) => !events.includes(null));
  /** Of how many of these steps, one after the other, there are events. */
  const steps = new Uint8Array(context.identity().size);
  for (const [step, { events }] of named.entries()) {
    for (const persons of personsOf(events, context))
      for (let at = 0; at < persons.length; at++) if (steps[persons[at]!] === step) steps[persons[at]!]!++;
  }
  return steps.map((many) => (many === named.length ? 1 : 0));
}

function typesOfSteps({ steps }: FunnelPlan, { reader }: QueryContext): Uint8Array | null {
  const names = steps.flatMap(({ events }) => events);
  const types = new Uint8Array(reader.eventTypes().size + 1);
  for (const name of names) {
    if (name === null) return null;
    types[reader.eventTypes().find(name)] = 1;
  }
  return types;
}
