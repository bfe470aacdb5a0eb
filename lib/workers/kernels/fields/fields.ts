/**
 * Which fields events have: `fields` for all events, `inspect e` for one event with distinct texts and samples. A slice is some
 * of the fields.
 */
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { FieldsPlan, InspectPlan } from '../../../dsl/plan/plan.ts';
import type { Cell } from '../../../dsl/plan/table.ts';
import { rowsIn } from '../../groups/positions.ts';
import { countsBySlot, type SlotState } from '../../metrics/state-array.ts';
import { selectEvents } from '../../persons/select-events.ts';
import type { QueryContext, Slice } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { countCodes } from './count-codes.ts';
import { FieldValues } from './field-values.ts';
import { only, type PartialOf } from '../partial-result.ts';
import { fieldsOfSegment, type PossibleField } from './known-fields.ts';
import { addOverflow } from './overflow-values.ts';
import { addProfilePresence, addProfileValues } from './profile-fields.ts';
import { SessionFieldCounts } from './session-fields.ts';

interface State {
  readonly context: QueryContext;
  /** Rows by person, including nobody: fields of a profile are read once for all of them. */
  readonly persons: SlotState<Uint32Array>;
  /** null: no row was seen. */
  sessions: SessionFieldCounts | null;
  readonly fields: Map<string, { readonly known: PossibleField; readonly values: FieldValues }>;
  rows: number;
}

const BYTES_PER_FIELD = 1_000;

export function fieldsKernel(plan: FieldsPlan | InspectPlan): Kernel<State, PartialOf<'fields'>> {
  const columns = columnsOf(plan);
  const distinct = plan.kind === 'inspect';
  const event = plan.kind === 'inspect' ? plan.event : null;
  return {
    order: 'oldest',
    init(context) {
      const persons = countsBySlot(context);
      // Ids added after the last binding are persons too.
      persons.resize(Math.max(context.identity().size, context.reader.ids().size + 1));
      return { context, persons, sessions: null, fields: new Map(), rows: 0 };
    },
    consume(state, rows, range) {
      const { context } = state;
      const positions = selectEvents(rows, range, { event, where: [plan.where], starts: null }, context);
      state.rows += rowsIn(positions.spans);
      if (positions.spans.length === 0) return;
      countCodes(rows.persons(), positions, state.persons, context);
      state.sessions ??= new SessionFieldCounts((known) => isIn(context.slice, known), distinct, context);
      state.sessions.add(rows, positions);
      for (const known of fieldsOfSegment(rows.segment)) {
        askedOf(state, known, distinct)?.add(rows, positions);
      }
      addOverflow(rows, positions, context, (known) => askedOf(state, known, distinct));
    },
    partial(state) {
      state.sessions?.addTo((known) => askedOf(state, known, distinct));
      const addProfiles = distinct ? addProfileValues : addProfilePresence;
      addProfiles(state.persons.values, state.context, (known) => askedOf(state, known, distinct));
      const found = [...state.fields.values()].filter(({ values }) => values.events > 0);
      const line = distinct ? inspectLine : fieldLine;
      return {
        kind: 'fields',
        rows: found.map(({ known, values }) => line(known, values, values.events / state.rows)),
      };
    },
    merge: (partials) => ({ kind: 'fields', rows: only('fields', partials).flatMap(({ rows }) => rows) }),
    finish: ({ rows }) => finishTable(plan, columns, rows),
  };
}

/** Fields differ in cost; hashing their names spreads them about evenly over slices. */
function isIn({ index, of }: Slice, { name }: PossibleField): boolean {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash % of === index;
}

/** null: another slice has the field. */
function askedOf({ fields, context }: State, known: PossibleField, distinct: boolean): FieldValues | null {
  if (!isIn(context.slice, known)) return null;
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
