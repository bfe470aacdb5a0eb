/** How the variants of a choice convert. Runs in one part: a person's exposures and conversions may be in any segments. */
import { CHOICE_KEY, EXPOSURE, VARIANT_KEY } from '../../../dsl/plan/choice.ts';
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { ChoicePlan } from '../../../dsl/plan/plan.ts';
import { FieldIds, idAt, type RowIds } from '../../groups/field-ids.ts';
import { NO_ROWS, positionsOf, type Positions } from '../../groups/positions.ts';
import { blocksOf, select } from '../../groups/select.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { sourceRows } from '../../groups/source-rows.ts';
import { TimeBatches, type Piece } from '../../rows/time-batches.ts';
import { filterOf, type Filter } from '../../where/filter.ts';
import { inOrder, resultRows } from '../../../dsl/finish/choice-results.ts';
import { sole, type ChoicePartial } from '../partial-result.ts';
import { ChoiceUnits } from './choice-units.ts';
import type { Kernel } from '../contract.ts';

/** The columns read from a segment. null: no row has the field. */
interface ChoiceColumns {
  readonly rows: EventRows;
  readonly filter: Filter;
  readonly units: RowIds | null;
  readonly keys: RowIds | null;
  readonly variants: RowIds | null;
}

interface State {
  readonly plan: ChoicePlan;
  readonly context: QueryContext;
  readonly unitIds: FieldIds;
  readonly keyIds: FieldIds;
  readonly variantIds: FieldIds;
  readonly units: ChoiceUnits;
  readonly batches: TimeBatches<ChoiceColumns>;
}

export function choiceKernel(plan: ChoicePlan): Kernel<State, ChoicePartial> {
  return {
    order: 'oldest',
    init(context) {
      const state: State = {
        plan,
        context,
        unitIds: new FieldIds(plan.unit, context),
        keyIds: new FieldIds(CHOICE_KEY, context),
        variantIds: new FieldIds(VARIANT_KEY, context),
        units: new ChoiceUnits(plan, context),
        batches: new TimeBatches<ChoiceColumns>('oldest', plan.range, (pieces) => readBatch(state, pieces)),
      };
      return state;
    },
    consume(state, rows, { from, to }) {
      const filter = filterOf(plan.where, rows, state.context);
      const exposed = sourceRows(rows, { from, to }, { event: EXPOSURE, person: null }, state.context);
      const isExposed = exposed.from < exposed.to;
      const source = {
        rows,
        filter,
        units: state.unitIds.of(rows, from, to),
        keys: isExposed ? state.keyIds.of(rows, from, to) : null,
        variants: isExposed ? state.variantIds.of(rows, from, to) : null,
      };
      state.units.fit(state.unitIds.size);
      state.batches.add(source, { from, to });
    },
    partial(state) {
      state.batches.end();
      return state.units.partial((variant) => state.variantIds.text(variant) ?? '');
    },
    merge: (partials) => sole('choice', partials),
    finish: ({ tallies }) => finishTable(plan, columnsOf(plan), resultRows(inOrder(tallies))),
  };
}

/** Reads a batch's exposures first: a conversion may be in another piece than the exposure it follows. */
function readBatch(state: State, pieces: readonly Piece<ChoiceColumns>[]): void {
  const known = state.units.size;
  for (const piece of pieces) readExposures(state, piece);
  state.units.close(known);
  for (const piece of pieces) readConversions(state, piece);
}

function readExposures(state: State, { source, from, to }: Piece<ChoiceColumns>): void {
  const { plan, context, units, keyIds } = state;
  const { rows, filter, units: unitOf, keys, variants } = source;
  if (unitOf === null || keys === null || variants === null) return;
  const own = sourceRows(rows, { from, to }, { event: EXPOSURE, person: null }, context);
  const { rows: list, spans } = select(positionsOf(rows, own.list, own, null), filter, context);
  const isChoice = remembered((id) => keyIds.text(id) === plan.choice);
  const times = rows.times();
  for (const block of spans.flatMap((span) => blocksOf(span.from, span.to))) {
    context.checkpoint();
    for (let k = block.from; k < block.to; k++) {
      const row = list === null ? k : list[k]!;
      const [unit, variant] = [idAt(unitOf, row), idAt(variants, row)];
      if (unit !== 0 && variant !== 0 && isChoice(idAt(keys, row))) units.expose(unit, variant, times[row]!);
    }
  }
}

/** Sifts rows by one byte per unit: few of them wait for a conversion. */
function readConversions(state: State, { source, from, to }: Piece<ChoiceColumns>): void {
  const { plan, context, units } = state;
  const { rows, filter, units: unitOf } = source;
  if (unitOf === null || units.size === 0) return;
  const own = sourceRows(rows, { from, to }, { event: plan.conversion, person: null }, context);
  const { rows: list, spans } = sift(positionsOf(rows, own.list, own, null), { filter, unitOf, units, context });
  if (spans.length === 0) return;
  const times = rows.times();
  const { waiting } = units;
  for (const block of spans.flatMap((span) => blocksOf(span.from, span.to))) {
    context.checkpoint();
    for (let k = block.from; k < block.to; k++) {
      const row = list === null ? k : list[k]!;
      const unit = idAt(unitOf, row);
      if (waiting[unit] === 1) units.convert(unit, times[row]!);
    }
  }
}

/** The rows that pass and whose unit waits for a conversion. */
function sift(
  positions: Positions,
  { filter, unitOf, units, context }: { filter: Filter; unitOf: RowIds; units: ChoiceUnits; context: QueryContext },
): Positions {
  const { codes, table } = unitOf;
  const passes = table === null ? units.waiting : Uint8Array.from(table, (unit) => units.waiting[unit]!);
  const waits: Filter = { kind: 'table', codes, passes, only: null };
  if (filter.kind === 'constant') return filter.value === 0 ? NO_ROWS : select(positions, waits, context);
  return select(positions, { kind: 'and', terms: [waits, filter] }, context);
}

/** A test of ids that runs once for each. */
function remembered(test: (id: number) => boolean): (id: number) => boolean {
  const known = new Map<number, boolean>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const result = test(id);
    known.set(id, result);
    return result;
  };
}
