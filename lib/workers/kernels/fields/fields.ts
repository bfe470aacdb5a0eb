/**
 * Which fields events have: `fields` for all events, `inspect e` for one event with distinct texts and samples. A slice is some
 * of the fields.
 */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { FieldsPlan, InspectPlan } from '../../../dsl/plan/plan.ts';
import type { Cell } from '../../../dsl/plan/table.ts';
import { positionsOf, rowsIn } from '../../groups/positions.ts';
import { select } from '../../groups/select.ts';
import type { QueryContext, Slice } from '../../query-context.ts';
import { sourceRows } from '../../groups/source-rows.ts';
import { filterOf } from '../../where/filter.ts';
import type { Kernel } from '../contract.ts';
import { FieldValues } from './field-values.ts';
import { only, type PartialOf } from '../partial-result.ts';
import { fieldsOfProfiles, fieldsOfSegment, type PossibleField } from './known-fields.ts';
import { PersonRows } from '../person-rows.ts';

interface State {
  readonly context: QueryContext;
  readonly persons: PersonRows;
  readonly fields: Map<string, { readonly known: PossibleField; readonly values: FieldValues }>;
  rows: number;
}

const BYTES_PER_FIELD = 1_000;

export function fieldsKernel(plan: FieldsPlan | InspectPlan): Kernel<State, PartialOf<'fields'>> {
  const columns = columnsOf(plan);
  const event = plan.kind === 'inspect' ? plan.event : null;
  return {
    order: 'oldest',
    init: (context) => ({
      context,
      persons: new PersonRows(context),
      fields: new Map(),
      rows: 0,
    }),
    consume(state, rows, range) {
      const { context } = state;
      const source = sourceRows(rows, range, { event, person: null }, context);
      const filter = filterOf(plan.where, rows, context);
      const positions = select(positionsOf(rows, source.list, source, null), filter, context);
      state.rows += rowsIn(positions.spans);
      if (positions.spans.length === 0) return;
      state.persons.add(rows.persons(), positions);
      for (const known of fieldsOfSegment(rows.segment)) {
        if (isIn(context.slice, known)) valuesOf(state, known, plan.kind === 'inspect').add(rows, positions);
      }
    },
    partial(state) {
      addProfiles(state, plan.kind === 'inspect');
      const found = [...state.fields.values()].filter(({ values }) => values.events > 0);
      const line = plan.kind === 'inspect' ? inspectLine : fieldLine;
      return {
        kind: 'fields',
        rows: found.map(({ known, values }) => line(known, values, values.events / state.rows)),
      };
    },
    merge: (partials) => ({ kind: 'fields', rows: only('fields', partials).flatMap(({ rows }) => rows) }),
    finish: ({ rows }) => finishTable(plan, columns, rows),
  };
}

/** Adds what the profiles of the rows' persons say. */
function addProfiles(state: State, distinct: boolean): void {
  const { context } = state;
  const dictionaries = context.profiles();
  const { persons, weights } = state.persons.profiled();
  if (persons.length === 0) return;
  for (const known of fieldsOfProfiles(dictionaries.profiles)) {
    if (!isIn(context.slice, known)) continue;
    context.checkpoint();
    const { field } = known;
    if (field.kind === 'profile') {
      valuesOf(state, known, distinct).addWeighted(dictionaries.keyColumn(field.path, persons), weights);
    } else if (field.kind === 'account') {
      valuesOf(state, known, distinct).addWeighted(dictionaries.column(field, persons), weights);
    }
  }
}

/** Fields differ in cost; hashing their names spreads them about evenly over slices. */
function isIn({ index, of }: Slice, { name }: PossibleField): boolean {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash % of === index;
}

function valuesOf({ fields, context }: State, known: PossibleField, distinct: boolean): FieldValues {
  const name = known.kind + known.name;
  const before = fields.get(name);
  if (before !== undefined) return before.values;
  context.budget.take(BYTES_PER_FIELD);
  const values = new FieldValues(known.field, context, distinct);
  fields.set(name, { known, values });
  return values;
}

function fieldLine({ name, kind }: PossibleField, values: FieldValues, coverage: number): Cell[] {
  return [name, kind, values.types, values.events, coverage];
}

function inspectLine({ name }: PossibleField, values: FieldValues, coverage: number): Cell[] {
  const { distinct, samples } = values.summary();
  return [name, coverage, values.types, distinct, samples];
}
