/** What a source reads: rows with fields. */
import {
  type Condition,
  type EventName,
  type Field,
  lastSessionTimes,
  type Plan,
  type ProfileField,
  sessionTimes,
  type TimeRange,
  unreachable,
  type Zone,
  zoneOf,
} from '../../../../lib/seam.ts';
import { NULLABLE_FIELDS } from '../schema.ts';
import { arithmeticValue } from './arithmetic.ts';
import { conditionSql } from './conditions.ts';
import { DidColumns } from './did.ts';
import { bindings, column, eventsTable, pathColumn, profiles } from './profiles.ts';
import { propertyValue } from './properties.ts';
import { SessionColumns } from './session-columns.ts';
import { all, join, name, NOTHING, sql, text, whole, type Sql, type Tenant, any, FALSE } from './statement.ts';
import { EVER } from './times.ts';
import {
  filledColumn,
  jsonValue,
  nullableText,
  timeValue,
  type Value,
  isOneNumber,
  isOneOf,
  textOfNumber,
} from './values.ts';
import { type Slots, hotColumn } from '../hot/slots.ts';

/** Rows with fields. Ask for all fields before the rows: these depend on what was asked for. */
export interface Rows {
  readonly project: Tenant;
  readonly zone: Zone;
  /** By which time buckets divide them, milliseconds. */
  readonly time: Sql;
  /** The number of a row's bucket of the range, where it does not follow from a time. */
  readonly bucket?: Sql;
  value(field: Field): Value;
  /** `FROM … WHERE …` */
  from(): Sql;
}

/** Which events. */
export interface EventSelection {
  readonly range: TimeRange;
  /** null: any. Of several, those with one of these names. */
  readonly events: readonly string[] | null;
  readonly where: Condition | null;
  readonly person?: string | null;
}

/** The names of some events, or null where one of them is any event. */
export function namesOf(events: readonly EventName[]): readonly string[] | null {
  const names = events.flatMap((event) => (event === null ? [] : [event]));
  return names.length < events.length ? null : [...new Set(names)];
}

/** One that the client did not give is made of the event's arrival, and takes no place. */
const INSERT_ID = sql`if(insert_id = '', concat('evt_', lower(leftPad(hex(arrival), 16, '0'))), insert_id)`;

/** Events of a project, with who sent them as of now. */
export class EventRows implements Rows {
  readonly zone: Zone;
  readonly time = sql`time`;
  /** Orders the events of one millisecond. */
  readonly arrival = sql`arrival`;
  readonly type = sql`event_type`;
  readonly project: Tenant;
  readonly #selection: EventSelection;
  readonly #plan: Plan;
  readonly #profile = new ProfileFields();
  readonly #sessions: SessionColumns;
  readonly #lastSessions: SessionColumns;
  readonly #dids: DidColumns;
  readonly #picked: Sql[] = [];
  #person = false;

  /** @param plan Its range is that of its sessions, too. */
  constructor(project: Tenant, plan: Plan, selection: EventSelection) {
    this.project = project;
    this.zone = zoneOf(plan);
    this.#selection = selection;
    this.#plan = plan;
    this.#sessions = new SessionColumns('session', this.zone, sessionTimes(plan));
    this.#lastSessions = new SessionColumns('last_session', this.zone, lastSessionTimes(plan).form);
    this.#dids = new DidColumns(plan, (did, events) => new EventRows(project, did, events));
  }

  value(field: Field): Value {
    switch (field.kind) {
      case 'core':
        if (field.name === 'time') return timeValue(this.time, this.zone, this.#selection.range);
        if (field.name === 'insert_id') return filledColumn(INSERT_ID);
        return field.name === 'distinct_id' ? this.person : filledColumn(column(field.name));
      case 'event':
        return hotValue(this.project.slots, field.path) ?? propertyValue('event', field.path, this.#pick);
      case 'sent':
        return propertyValue('user', field.path, this.#pick);
      case 'enriched':
        return NULLABLE_FIELDS.has(field.name) ? nullableText(column(field.name)) : filledColumn(column(field.name));
      case 'profile':
      case 'account':
        this.#person = true;
        return this.#profile.value(field, this.zone);
      case 'session':
        return this.#sessions.value(field.name);
      case 'last_session':
        this.#person = true;
        return this.#lastSessions.value(field.name);
      case 'arithmetic':
        return arithmeticValue(field, (operand) => this.value(operand));
      case 'did':
        this.#person = true;
        return this.#dids.value(field);
      case 'latest':
        throw new Error(`an event has no ${field.name}`);
      default:
        return unreachable(field);
    }
  }

  /** ClickHouse reads one key of a map only in the innermost SELECT: it is picked there. */
  readonly #pick = (expression: Sql): Sql => {
    const key = JSON.stringify(expression.pieces);
    const known = this.#picked.findIndex((other) => JSON.stringify(other.pieces) === key);
    return pickedColumn(known >= 0 ? known : this.#picked.push(expression) - 1);
  };

  /** Of an event without a user: whom its device is bound to, or the device. */
  get person(): Value {
    return { ...filledColumn(sql`distinct_id`), hash: this.personKey };
  }

  /** A number for each person, 0 of an event without one. Where nobody reads who it is, the ids need not be read. */
  get personKey(): Sql {
    this.#person = true;
    return sql`person_key`;
  }

  /** Whether an event is the first of its session. */
  get beginsSession(): Sql {
    return sql`(session_id != '' AND (time, ${this.arrival}) = ${this.#sessions.begun})`;
  }

  /** @param also A further condition. */
  from(also?: Sql): Sql {
    const { where, person = null } = this.#selection;
    const conditions = [
      ...(also === undefined ? [] : [also]),
      ...(where === null ? [] : [conditionSql(where, (field) => this.value(field))]),
      ...(person === null ? [] : [this.person.isText([person])]),
    ];
    return sql`FROM ${this.#joined()}${conditions.length === 0 ? NOTHING : sql` WHERE ${all(conditions)}`}`;
  }

  #joined(): Sql {
    const rows = this.#person ? this.#withPersons() : this.#stored();
    const joins = [
      ...(this.#profile.isUsed
        ? [sql`${profiles(this.project.id, this.#profile)} AS profile_rows ON distinct_id = profile_user`]
        : []),
      ...(this.#sessions.isUsed
        ? [sql`${this.#formSessions()} AS session_rows ON ${this.#sessionOfEvent()} = session_key`]
        : []),
      ...(this.#lastSessions.isUsed
        ? [sql`${this.#formLastSessions()} AS last_session_rows ON person_key = last_session_key`]
        : []),
    ];
    const all = [...joins.map((one) => sql`LEFT ANY JOIN ${one}`), ...this.#dids.joins(sql`person_key`)];
    return sql`(${rows}) AS event_rows${join(
      all.map((one) => sql` ${one}`),
      ' ',
    )}`;
  }

  /** Events long before the range, which a lifecycle reads too, and events ahead of now are of none of its sessions. */
  #sessionOfEvent(): Sql {
    const times = sessionTimes(this.#plan);
    const { from, to } = this.#selection.range;
    return from < times.from || to > times.to ? sql`if(${within(times)}, session_id, '')` : sql`session_id`;
  }

  /** The sessions of the range, of all their events: `session_key`, and what is asked for. */
  #formSessions(): Sql {
    const columns = join([sql`session_id AS session_key`, ...this.#sessions.aggregates], ', ');
    const rows = this.#allOf(sessionTimes(this.#plan));
    return sql`(SELECT ${columns} ${rows.from(sql`session_id != ''`)} GROUP BY session_id)`;
  }

  /** Of each person's own sessions, the one whose first event is latest: `last_session_key`, and what is asked for. */
  #formLastSessions(): Sql {
    const { begin, form } = lastSessionTimes(this.#plan);
    const rows = this.#allOf(form);
    const person = rows.personKey;
    const columns = [sql`${person} AS owner`, sql`min((time, arrival)) AS began`, ...this.#lastSessions.aggregates];
    const sessions = sql`SELECT ${join(columns, ', ')} ${rows.from(sql`session_id != '' AND ${person} != 0`)} GROUP BY ${person}, session_id`;
    return sql`(SELECT owner AS last_session_key, ${join(this.#lastSessions.names, ', ')} FROM (${sessions}) WHERE ${within(begin, sql`began.1`)} ORDER BY began DESC LIMIT 1 BY owner)`;
  }

  #allOf(range: TimeRange): EventRows {
    return new EventRows(this.project, this.#plan, { range, events: null, where: null });
  }

  #withPersons(): Sql {
    const keys = sql`if(bound_person != 0, bound_person, sender) AS person_key, multiIf(user_id != '', user_id, bound_user != '', bound_user, device_id) AS distinct_id`;
    return sql`SELECT *, ${keys} FROM (${this.#stored()}) AS stored LEFT ANY JOIN ${bindings(this.project.id)} AS bound ON if(anonymous, sender, 0) = bound_device`;
  }

  #stored(): Sql {
    const { range, events } = this.#selection;
    const picked = this.#picked.map((expression, nth) => sql`, ${expression} AS ${pickedColumn(nth)}`);
    const named = events === null ? [] : [filledColumn(sql`event_type`).isText(events)];
    return sql`SELECT *, sender, anonymous${join(picked, ' ')} FROM ${eventsTable} WHERE ${all([ofProject(this.project.id), within(range), ...named])}`;
  }
}

const pickedColumn = (nth: number): Sql => name(`picked_${nth}`);

export const ofProject = (id: string): Sql => sql`project = ${text(id)}`;

/** Times of the range. One that is empty has none. */
export const within = ({ from, to }: TimeRange, time: Sql = sql`time`): Sql =>
  sql`${time} >= ${whole(from)} AND ${time} < ${whole(to)}`;

/** Profiles last seen in the range. */
export class ProfileRows implements Rows {
  readonly zone: Zone;
  readonly time = sql`assumeNotNull(profile_last)`;
  readonly project: Tenant;
  readonly #range: TimeRange;
  readonly #where: Condition | null;
  readonly #dids: DidColumns;
  readonly #profile = new ProfileFields();

  constructor(project: Tenant, plan: Plan) {
    this.project = project;
    this.zone = zoneOf(plan);
    this.#range = plan.range;
    this.#where = plan.where;
    this.#dids = new DidColumns(plan, (did, events) => new EventRows(project, did, events));
    this.#profile.seen = true;
  }

  value(field: Field): Value {
    if (field.kind === 'arithmetic') return arithmeticValue(field, (operand) => this.value(operand));
    if (field.kind === 'did') return this.#dids.value(field);
    if (field.kind !== 'profile' && field.kind !== 'account') throw new Error(`a profile has no ${field.kind} fields`);
    return this.#profile.value(field, this.zone);
  }

  /** The properties as JSON text. */
  get properties(): Sql {
    this.#profile.whole = true;
    return sql`profile_all`;
  }

  from(also: Sql | null = null): Sql {
    const { from, to } = this.#range;
    const where = conditionSql(this.#where, (field) => this.value(field));
    const seen = sql`profile_last >= ${whole(from)} AND profile_last < ${whole(to)}`;
    const conditions = [seen, where, ...(also === null ? [] : [also])];
    // As column `sender` of events has a user.
    const dids = this.#dids.joins(sql`sipHash64(profile_user)`);
    return sql`FROM ${profiles(this.project.id, this.#profile)}${dids.length === 0 ? NOTHING : sql` AS profile_rows ${join(dids, ' ')}`} WHERE ${all(conditions)}`;
  }
}

/** The fields of profiles that a query uses. */
export class ProfileFields {
  readonly paths: string[] = [];
  seen = false;
  whole = false;
  #user = false;

  get isUsed(): boolean {
    return this.#user || this.seen || this.whole || this.paths.length > 0;
  }

  value(field: Field & { readonly kind: 'profile' | 'account' }, zone: Zone): Value {
    return field.kind === 'profile' ? jsonValue(this.#path(field.path)) : this.#account(field.name, zone);
  }

  #account(name: ProfileField, zone: Zone): Value {
    switch (name) {
      case 'user_id':
        this.#user = true;
        return filledColumn(sql`profile_user`);
      case 'email':
        return jsonValue(this.#path('email'));
      case 'email_domain': {
        const email = sql`JSONExtractString(${this.#path('email')})`;
        return filledColumn(
          sql`if(position(${email}, '@') = 0, '', lowerUTF8(arrayElement(splitByChar('@', ${email}), -1)))`,
        );
      }
      case 'first_seen':
      case 'last_seen':
        this.seen = true;
        return timeValue(name === 'first_seen' ? sql`profile_first` : sql`profile_last`, zone, EVER);
      default:
        return unreachable(name);
    }
  }

  #path(path: string): Sql {
    const known = this.paths.indexOf(path);
    return pathColumn(known >= 0 ? known : this.paths.push(path) - 1);
  }
}

const NO_NUMBER = sql`CAST(NULL, 'Nullable(Float64)')`;

/**
 * Its value by these columns; null where some of its values have none. A number is no text of its column of texts: where there are
 * both, a text goes first, which is how the number was spelled.
 */
function hotValue(slots: Slots, path: string): Value | null {
  const [ofTexts, ofNumbers] = [slots.slotOf('text', path), slots.slotOf('number', path)];
  if (path.includes('.') || !slots.has(path) || ofTexts === null || ofNumbers === null) return null;
  const number = ofNumbers === undefined ? NO_NUMBER : name(hotColumn('number', ofNumbers));
  const written = ofTexts === undefined ? writtenNumber(number) : name(hotColumn('text', ofTexts));
  const text =
    ofTexts === undefined || ofNumbers === undefined ? written : sql`ifNull(${written}, ${writtenNumber(number)})`;
  const columns = [...(ofTexts === undefined ? [] : [written]), ...(ofNumbers === undefined ? [] : [number])];
  return {
    text,
    number,
    present: any(columns.map((column) => sql`${column} IS NOT NULL`)), // how a number is written does not matter
    exists: sql`ifNull(${text} != '', 0)`,
    // Its type is in a map.
    get json() {
      return propertyValue('event', path).json;
    },
    isText: (wanted) => sql`ifNull(${isOneOf(text, wanted)}, 0)`,
    isNumber: (wanted) => (ofNumbers === undefined ? FALSE : isOneNumber(number, wanted)),
    group: { key: text, kind: 'text' },
  };
}

const writtenNumber = (number: Sql): Sql => sql`if(${number} IS NULL, NULL, ${textOfNumber(number)})`;
