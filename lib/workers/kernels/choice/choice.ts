/** How the variants of a choice convert. Runs in one part: a person's exposures and conversions may be in any segments. */
import { kept } from '../../../base/kept.ts';
import { CHOICE_KEY, EXPOSURE, VARIANT_KEY } from '../../../dsl/plan/choice.ts';
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { ChoicePlan, Field } from '../../../dsl/plan/plan.ts';
import { FieldIds, idAt, type CodedIds } from '../../groups/field-ids.ts';
import { blocksOf } from '../../groups/select.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { passingRows, sourceRows } from '../../groups/source-rows.ts';
import { TimeBatches, type Piece } from '../../rows/time-batches.ts';
import { both, filterOf, type Filter } from '../../where/filter.ts';
import { variantsInOrder, resultRows } from '../../../dsl/finish/choice-results.ts';
import { sole } from '../partial-result.ts';
import { FoundPeople, peopleTable } from '../people.ts';
import type { Table } from '../../../dsl/plan/table.ts';
import { ChoiceUnits } from './choice-units.ts';
import type { Kernel } from '../contract.ts';

/** The columns read from a segment. null: no row has the field. */
interface ChoiceColumns {
  readonly rows: EventRows;
  readonly filter: Filter;
  readonly units: CodedIds | null;
  readonly keys: CodedIds | null;
  readonly variants: CodedIds | null;
}

/** What the exposures and conversions of a part are read with. */
interface Reading {
  readonly plan: ChoicePlan;
  readonly context: QueryContext;
  readonly keyIds: FieldIds;
  readonly units: ChoiceUnits;
}

export function choiceKernel(plan: ChoicePlan): Kernel {
  return {
    order: 'oldest',
    start(context) {
      const ids = (field: Field): FieldIds => new FieldIds({ field }, context);
      const [unitIds, keyIds, variantIds] = [ids(plan.unit), ids(CHOICE_KEY), ids(VARIANT_KEY)];
      const units = new ChoiceUnits(plan, context);
      const batches = new TimeBatches<ChoiceColumns>('oldest', plan.range, (pieces) =>
        readBatch({ plan, context, keyIds, units }, pieces),
      );
      return {
        consume(rows, { from, to }) {
          const filter = filterOf(plan.where, rows, context);
          const exposed = sourceRows(rows, { from, to }, { event: EXPOSURE, person: null }, context);
          const isExposed = exposed.from < exposed.to;
          const source = {
            rows,
            filter,
            units: unitIds.of(rows, from, to),
            keys: isExposed ? keyIds.of(rows, from, to) : null,
            variants: isExposed ? variantIds.of(rows, from, to) : null,
          };
          units.fit(unitIds.size);
          batches.add(source, { from, to });
        },
        partial() {
          batches.end();
          if (plan.people !== undefined)
            return { kind: 'table', table: peopleOf(plan, { units, variantIds }, context) };
          return units.partial((variant) => variantIds.text(variant) ?? '');
        },
      };
    },
    answer: (partials) =>
      plan.people === undefined
        ? finishTable(plan, columnsOf(plan), resultRows(variantsInOrder(sole('choice', partials).tallies)))
        : sole('table', partials).table,
  };
}

/** Whoever saw one variant, at the first exposure. */
function peopleOf(
  plan: ChoicePlan,
  { units, variantIds }: { readonly units: ChoiceUnits; readonly variantIds: FieldIds },
  context: QueryContext,
): Table {
  const found = new FoundPeople(units.size, context);
  units.eachPerson((person, time, variant, converted) => found.add(person, time, 2 * variant + (converted ? 1 : 0)));
  return peopleTable(plan, found, (label) => [variantIds.text(label >>> 1), label % 2 === 1], context);
}

/** Reads a batch's exposures first: a conversion may be in another piece than the exposure it follows. */
function readBatch(reading: Reading, pieces: readonly Piece<ChoiceColumns>[]): void {
  const known = reading.units.size;
  for (const piece of pieces) readExposures(reading, piece);
  reading.units.close(known);
  for (const piece of pieces) readConversions(reading, piece);
}

function readExposures({ plan, context, units, keyIds }: Reading, piece: Piece<ChoiceColumns>): void {
  const { rows, filter, units: unitOf, keys, variants } = piece.source;
  if (unitOf === null || keys === null || variants === null) return;
  const source = sourceRows(rows, piece, { event: EXPOSURE, person: null }, context);
  const { list, from, to } = passingRows(rows, source, filter, context);
  const known = new Map<number, boolean>();
  const isChoice = (id: number): boolean => kept(known, id, () => keyIds.text(id) === plan.choice);
  const [times, persons] = [rows.times(), rows.persons()];
  for (const block of blocksOf(from, to)) {
    context.checkpoint();
    for (let k = block.from; k < block.to; k++) {
      const row = list === null ? k : list[k]!;
      const [unit, variant] = [idAt(unitOf, row), idAt(variants, row)];
      if (unit !== 0 && variant !== 0 && isChoice(idAt(keys, row)))
        units.expose(unit, variant, times[row]!, persons[row]!);
    }
  }
}

/** Sifts rows by one byte per unit: few of them wait for a conversion. */
function readConversions({ plan, context, units }: Reading, piece: Piece<ChoiceColumns>): void {
  const { rows, filter, units: unitOf } = piece.source;
  if (unitOf === null || units.size === 0) return;
  const { waiting } = units;
  const { codes, table } = unitOf;
  const passes = table === null ? waiting : Uint8Array.from(table, (unit) => waiting[unit]!);
  const waits: Filter = { kind: 'table', codes, passes, only: null };
  const source = sourceRows(rows, piece, { event: plan.conversion, person: null }, context);
  const { list, from, to } = passingRows(rows, source, both(waits, filter), context);
  if (from === to) return;
  const times = rows.times();
  for (const block of blocksOf(from, to)) {
    context.checkpoint();
    for (let k = block.from; k < block.to; k++) {
      const row = list === null ? k : list[k]!;
      const unit = idAt(unitOf, row);
      if (waiting[unit] === 1) units.convert(unit, times[row]!);
    }
  }
}
