/** How the variants of a choice do. Runs in one part: a person's exposures and conversions may be in any segments. */
import { kept } from '../../../base/kept.ts';
import { CHOICE_KEY, EXPOSURE, VARIANT_KEY } from '../../../dsl/plan/choice.ts';
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { ChoicePlan, Field } from '../../../dsl/plan/plan.ts';
import { FieldIds, idAt, type CodedIds } from '../../groups/field-ids.ts';
import { positionsOf, rowsFrom, type Positions } from '../../groups/positions.ts';
import { Scan } from '../../groups/scan.ts';
import { blocksOf } from '../../groups/select.ts';
import { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { passingRows, sourceRows } from '../../groups/source-rows.ts';
import { TimeBatches, type Piece } from '../../rows/time-batches.ts';
import { ALL, both, filterOf, type Filter } from '../../where/filter.ts';
import { resultRows } from '../../../dsl/finish/choice-results.ts';
import { sole } from '../partial-result.ts';
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
  /** Of the groups of exposures; null without. */
  readonly labels: StartLabels | null;
}

export function choiceKernel(plan: ChoicePlan): Kernel {
  return {
    order: 'oldest',
    start(context) {
      const ids = (field: Field): FieldIds => new FieldIds({ field }, context, { keeps: true });
      const [unitIds, keyIds, variantIds] = [ids(plan.unit), ids(CHOICE_KEY), ids(VARIANT_KEY)];
      const units = new ChoiceUnits(plan, context);
      const labels = plan.groups.length === 0 ? null : new StartLabels(plan.groups, context);
      const batches = new TimeBatches<ChoiceColumns>('oldest', plan.range, (pieces) =>
        readBatch({ plan, context, keyIds, units, labels }, pieces),
      );
      return {
        consume(rows, { from, to }) {
          const filter = filterOf(plan.where, rows, context);
          const exposed = sourceRows(rows, { from, to }, { event: EXPOSURE, person: null }, context);
          const isExposed = exposed.from < exposed.to;
          const source = {
            rows,
            filter,
            units: unitIds.of(rows, rowsFrom({ from, to })),
            keys: isExposed ? keyIds.of(rows, rowsFrom({ from, to })) : null,
            variants: isExposed ? variantIds.of(rows, rowsFrom({ from, to })) : null,
          };
          units.fit(unitIds.size);
          batches.add(source, { from, to });
        },
        partial() {
          batches.end();
          const textOf = (variant: number): string => variantIds.text(variant) ?? '';
          if (plan.people !== undefined) return { kind: 'table', table: units.people(textOf, labels) };
          return units.partial(textOf, labels);
        },
      };
    },
    answer: (partials) =>
      plan.people === undefined
        ? finishTable(plan, columnsOf(plan), resultRows(sole('choice', partials).tallies))
        : sole('table', partials).table,
  };
}

/** Reads a batch's exposures first: a conversion may be in another piece than the exposure it follows. */
function readBatch(reading: Reading, pieces: readonly Piece<ChoiceColumns>[]): void {
  const known = reading.units.size;
  for (const piece of pieces) readExposures(reading, piece);
  reading.units.close(known);
  for (const piece of pieces) readConversions(reading, piece);
}

function readExposures({ plan, context, units, keyIds, labels }: Reading, piece: Piece<ChoiceColumns>): void {
  const { rows, filter, units: unitOf, keys, variants } = piece.source;
  if (unitOf === null || keys === null || variants === null) return;
  const source = sourceRows(rows, piece, { event: EXPOSURE, person: null }, context);
  const { list, from, to } = passingRows(rows, source, filter, context);
  const known = new Map<number, boolean>();
  const isChoice = (id: number): boolean => kept(known, id, () => keyIds.text(id) === plan.choice);
  const [times, persons] = [rows.times(), rows.persons()];
  const labelOf = labels?.of(rows, positionsOf(rows, list, { from, to }, null)) ?? null;
  const arrivals = labels === null ? null : rows.segment.arrivals(); // which of a millisecond is the first matters to groups only
  for (const block of blocksOf(from, to)) {
    context.checkpoint();
    for (let k = block.from; k < block.to; k++) {
      const row = list === null ? k : list[k]!;
      const [unit, variant] = [idAt(unitOf, row), idAt(variants, row)];
      if (unit === 0 || variant === 0 || !isChoice(idAt(keys, row))) continue;
      const first = { variant, time: times[row]!, arrival: arrivals?.[row] ?? 0, label: labelOf?.[k] ?? 0 };
      units.expose(unit, { ...first, person: persons[row]! });
    }
  }
}

/** Sifts rows by one byte per unit: few of them wait for a conversion, or were exposed. */
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
  for (const { rows: own, spans, values } of numbersOf(
    plan,
    rows,
    positionsOf(rows, list, { from, to }, null),
    context,
  )) {
    for (const block of spans.flatMap((span) => blocksOf(span.from, span.to))) {
      context.checkpoint();
      for (let k = block.from; k < block.to; k++) {
        const row = own === null ? k : own[k]!;
        const unit = idAt(unitOf, row);
        if (waiting[unit] !== 1) continue;
        if (values === null) units.convert(unit, times[row]!);
        else units.measure(unit, times[row]!, values[k]!);
      }
    }
  }
}

/** The rows that have a number of the plan's metric, with these; without a metric all. */
function numbersOf(
  { metrics: [metric] }: ChoicePlan,
  rows: EventRows,
  positions: Positions,
  context: QueryContext,
): readonly (Positions & { readonly values: Float64Array | null })[] {
  if (metric === undefined) return [{ ...positions, values: null }];
  return new Scan(rows, positions, ALL, context).numeric(metric.field);
}
