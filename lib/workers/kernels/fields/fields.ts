/**
 * Which fields events have: `fields` for all events, `inspect e` for one event with distinct texts and samples. A slice is some
 * of the fields.
 */
import { kept } from '../../../base/kept.ts';
import { columnsOf } from '../../../dsl/plan/columns.ts';
import { finishTable } from '../../../dsl/finish/finish.ts';
import type { FieldsPlan, InspectPlan } from '../../../dsl/plan/plan.ts';
import type { Cell } from '../../../dsl/plan/table.ts';
import { rowsIn, type Positions } from '../../groups/positions.ts';
import { countsBySlot, type SlotState } from '../../metrics/state-array.ts';
import { selectEvents } from '../../persons/select-events.ts';
import type { QueryContext, Slice } from '../../query-context.ts';
import type { Kernel } from '../contract.ts';
import { countRowCodes, countSome } from './count-codes.ts';
import { FieldValues } from './field-values.ts';
import { onlyKind } from '../partial-result.ts';
import { fieldsOfSegment, type PossibleField, propertyField, FIELDS_OF_SESSIONS } from './known-fields.ts';
import { addProfilePresence, addProfileValues } from './profile-fields.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { objectIn } from '../../rows/json-path.ts';
import { overflowOf } from '../../rows/property-column.ts';
import { isSessionNumber } from '../../../dsl/plan/session-attribute.ts';
import { isTimeField } from '../../../dsl/plan/fields.ts';
import { ENTRY_BYTES } from '../../budget.ts';

export function fieldsKernel(plan: FieldsPlan | InspectPlan): Kernel {
  const distinct = plan.kind === 'inspect';
  const event = plan.kind === 'inspect' ? plan.event : null;
  return {
    order: 'oldest',
    start(context) {
      /** Rows by person, including nobody: fields of a profile are read once for all of them. */
      const persons = countsBySlot(context);
      // Ids added after the last binding are persons too.
      persons.resize(Math.max(context.identity().size, context.reader.ids().size + 1));
      /** null: no row was seen. */
      let sessions: SessionFieldCounts | null = null;
      let total = 0;
      const fields = new Map<string, { readonly known: PossibleField; readonly values: FieldValues }>();
      /** null: another slice has the field. */
      const asked = (known: PossibleField): FieldValues | null => {
        if (!isIn(context.slice, known)) return null;
        return kept(fields, known.kind + known.name, () => {
          context.budget.take(8 * ENTRY_BYTES);
          return { known, values: new FieldValues(known.field, context, distinct) };
        }).values;
      };
      return {
        consume(rows, range) {
          const positions = selectEvents(rows, range, { event, where: [plan.where], starts: null }, context);
          total += rowsIn(positions.spans);
          if (positions.spans.length === 0) return;
          countRowCodes(rows.persons(), positions, persons, context);
          sessions ??= new SessionFieldCounts((known) => isIn(context.slice, known), distinct, context);
          sessions.add(rows, positions);
          for (const known of fieldsOfSegment(rows.segment)) asked(known)?.add(rows, positions);
          addOverflow(rows, positions, context, asked);
        },
        partial() {
          sessions?.addTo(asked);
          const addProfiles = distinct ? addProfileValues : addProfilePresence;
          addProfiles(persons.values, context, asked);
          const found = [...fields.values()].filter(({ values }) => values.events > 0);
          const line = distinct ? inspectLine : fieldLine;
          return { kind: 'fields', rows: found.map(({ known, values }) => line(known, values, values.events / total)) };
        },
      };
    },
    answer(partials) {
      const rows = onlyKind('fields', partials).flatMap((partial) => partial.rows);
      return finishTable(plan, columnsOf(plan), rows);
    },
  };
}

/** Fields differ in cost; hashing their names spreads them about evenly over slices. */
function isIn({ index, of }: Slice, { name }: PossibleField): boolean {
  let hash = 0;
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
  return hash % of === index;
}

function fieldLine({ name, kind }: PossibleField, values: FieldValues, coverage: number): Cell[] {
  return [name, kind, values.types, values.events, coverage];
}

function inspectLine({ name }: PossibleField, values: FieldValues, coverage: number): Cell[] {
  const { distinct, samples } = values.summary();
  return [name, coverage, values.types, distinct, samples];
}

/**
 * Adds properties that have no column of their own. A project may have very many: so each object of the overflow is parsed once for
 * all of its keys. @param valuesOf null: the field is not asked.
 */
function addOverflow(
  rows: EventRows,
  positions: Positions,
  context: QueryContext,
  valuesOf: (known: PossibleField) => FieldValues | null,
): void {
  for (const kind of ['p', 'u'] as const) {
    const overflow = overflowOf(rows.segment, kind);
    if (overflow === null) continue;
    const { codes, dictionary } = overflow;
    const counts = countsBySlot(context);
    counts.resize(dictionary.size + 1);
    countRowCodes(codes, positions, counts, context);
    const asked = new Map<string, FieldValues | null>();
    for (let code = 1; code <= dictionary.size; code++) {
      const count = counts.values[code]!;
      if (count === 0 || dictionary.type(code) !== 'object') continue;
      context.checkpoint();
      for (const [key, value] of Object.entries(objectIn(dictionary.text(code)))) {
        if (!asked.has(key)) asked.set(key, valuesOf(propertyField(kind, key)));
        asked.get(key)?.addValue(value, count);
      }
    }
    counts.release();
  }
}

type SessionsField = (typeof FIELDS_OF_SESSIONS)[number];

/** What the sessions of rows say of them: each field is read once a session, or not at all where all sessions have it, or none. */
class SessionFieldCounts {
  readonly #context: QueryContext;
  /** Fields that all sessions have. */
  readonly #everywhere: readonly SessionsField[];
  /** Fields whose values are looked at. */
  readonly #read: readonly SessionsField[];
  /** Rows by place of the session. */
  readonly #counts: SlotState<Uint32Array>;
  /** Rows in a session. */
  #rows = 0;

  /** @param distinct Also look at values of fields that all sessions have. */
  constructor(isAsked: (known: SessionsField) => boolean, distinct: boolean, context: QueryContext) {
    this.#context = context;
    const reached = FIELDS_OF_SESSIONS.filter(isAsked).map((known) => {
      return { known, reach: context.sessions().reach(known.field.name) };
    });
    const of = (wanted: string): SessionsField[] =>
      reached.filter(({ reach }) => reach === wanted).map(({ known }) => known);
    this.#everywhere = distinct ? [] : of('all');
    this.#read = distinct ? [...of('all'), ...of('some')] : of('some');
    this.#counts = countsBySlot(context);
    if (this.#read.length > 0) this.#counts.resize(context.sessions().places);
  }

  add(rows: EventRows, positions: Positions): void {
    const codes = rows.segment.column('session_id')?.codes ?? null;
    if (this.#everywhere.length > 0 && codes !== null) this.#rows += countSome(codes, positions, this.#context);
    if (this.#read.length > 0)
      countRowCodes(this.#context.sessions().placesOf(rows), positions, this.#counts, this.#context);
  }

  /** Adds what was found to the values of each field. */
  addTo(valuesOf: (known: SessionsField) => FieldValues | null): void {
    for (const known of this.#everywhere) {
      const { field } = known;
      const isNumber = isSessionNumber(field.name) && !isTimeField(field);
      valuesOf(known)?.see(isNumber ? 'number' : 'string', this.#rows);
    }
    for (const known of this.#read) {
      this.#context.checkpoint();
      const column = this.#context.sessions().byPlace(known.field.name);
      if (column !== null) valuesOf(known)?.addWeighted(column, this.#counts.values);
    }
  }
}
