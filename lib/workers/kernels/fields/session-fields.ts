/** What the sessions of rows say of them: each field is read once a session, or not at all where all sessions have it, or none. */
import { isSessionNumber } from '../../../dsl/plan/session-attribute.ts';
import { isTimeField } from '../../../dsl/plan/fields.ts';
import type { Positions } from '../../groups/positions.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { countsBySlot, type SlotState } from '../../metrics/state-array.ts';
import { countCodes, countSome } from './count-codes.ts';
import type { FieldValues } from './field-values.ts';
import { FIELDS_OF_SESSIONS } from './known-fields.ts';

type SessionsField = (typeof FIELDS_OF_SESSIONS)[number];

export class SessionFieldCounts {
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
      countCodes(this.#context.sessions().placesOf(rows), positions, this.#counts, this.#context);
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
