/** Notices which events and property fields of a plan have rows in the range; the notes name those that were not seen. */
import { fieldName } from '../dsl/plan/fields.ts';
import type { Field, Plan } from '../dsl/plan/plan.ts';
import { planUses } from '../dsl/plan/plan-uses.ts';
import type { QueryContext } from './query-context.ts';
import type { EventRows } from './rows/event-rows.ts';
import type { FieldColumn } from './rows/field-column.ts';
import type { ProfileRows } from './rows/profile-rows.ts';
import { lowerBound } from '../base/lower-bound.ts';
import type { RowSet } from './rows/row-set.ts';
import { countEvent } from './groups/source-rows.ts';
import type { Unseen } from './unseen.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

export class Observer {
  #events: readonly string[];
  #fields: readonly Field[];

  constructor(plan: Plan) {
    const { events, fields } = planUses(plan);
    this.#events = events;
    this.#fields = fields.filter(({ kind }) => kind === 'event' || kind === 'sent' || kind === 'profile');
  }

  /** Looks at the rows of the range until everything was seen once. */
  seeEvents(rows: EventRows, range: Range, context: QueryContext): void {
    if (range.from >= range.to) return;
    this.#events = this.#events.filter((event) => countEvent(rows, range, event, context) === 0);
    this.#seeFields(rows, range);
  }

  seeProfiles(rows: ProfileRows, range: Range): void {
    if (range.from < range.to) this.#seeFields(rows, range);
  }

  get unseen(): Unseen {
    return { events: this.#events, fields: this.#fields.map(fieldName) };
  }

  #seeFields(rows: RowSet, range: Range): void {
    this.#fields = this.#fields.filter((field) => !hasValue(rows.field(field), range));
  }
}

/** Whether some row of the range has a value other than null: usually the first one. */
function hasValue(column: FieldColumn | null, { from, to }: Range): boolean {
  if (column === null) return false;
  const { codes, dictionary, numbers } = column;
  if (numbers !== null) {
    if (numbers.rows === null) return true;
    const place = lowerBound(numbers.rows, from);
    if (place < numbers.rows.length && numbers.rows[place]! < to) return true;
  }
  if (codes === null || dictionary === null) return false;
  for (let row = from; row < to; row++) if (codes[row] !== 0 && dictionary.type(codes[row]!) !== 'null') return true;
  return false;
}
