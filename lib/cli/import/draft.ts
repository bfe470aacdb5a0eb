/** What becomes of a record, field by field: by a table of places that each format has. */
import { isRecord } from '../../base/is-record.ts';
import { readTime } from '../../base/read-time.ts';
import { readJsonWithDigits } from '../../base/text/read-json.ts';
import { type Loss, type Mapped, type SourceRecord, ImportError } from './format.ts';

/** Takes the value of a field, which is something, to where it belongs. */
export type Goal = (draft: Draft, value: unknown, field: string) => void;

/** The places of fields, by their names. */
export type Goals = ReadonlyMap<string, Goal>;

export const placesOf = (table: Readonly<Record<string, Goal>>): Goals => new Map(Object.entries(table));

/** Another form of a value; undefined if it says nothing. */
type Read = (value: unknown) => unknown;

/** A field at the root of the event. */
export const root = (name: string, read?: Read): Goal => placeIn('event', name, read);

/** A property of the event. */
export const property = (name: string, read?: Read): Goal => placeIn('properties', name, read);

/** A property of the user: of the profile, where the event has a user id. */
export const userProperty = (name: string, read?: Read): Goal => placeIn('user', name, read);

const placeIn =
  (part: 'event' | 'properties' | 'user', name: string, read: Read = (value) => value): Goal =>
  (draft, value, field) => {
    const found = read(value);
    if (!saysNothing(found)) draft.put(part, name, found, field);
  };

/** A property of the event by its own name: what most tables leave over. */
export const ownProperty: Goal = (draft, value, field) => draft.put('properties', field, value, field);

export const ownUserProperty: Goal = (draft, value, field) => draft.put('user', field, value, field);

/** Nowhere, and why. */
export const lost =
  (why: string): Goal =>
  (draft, _value, field) =>
    void draft.lost.push({ field, why });

/** Where the format itself looks, outside of its table. */
export const formatItself: Goal = () => undefined;

/** An event, and changes of profiles, in the making. */
export class Draft {
  readonly event = new Map<string, unknown>();
  readonly properties = new Map<string, unknown>();
  readonly user = new Map<string, unknown>();
  readonly identifies: Readonly<Record<string, unknown>>[] = [];
  readonly lost: Loss[] = [];

  /** Takes the fields of a record that say something to their places; those that the table knows come first. */
  place(record: SourceRecord, places: Goals, others: Goal = ownProperty): void {
    this.#place(record, places, (value, field) => saysNothing(value) || others(this, value, field));
  }

  /** The same for an object that people fill, whose own members stay what they are, be they blank. */
  placeOwn(record: SourceRecord, places: Goals, others: Goal = ownProperty): void {
    this.#place(record, places, (value, field) => others(this, value, field));
  }

  #place(record: SourceRecord, places: Goals, other: (value: unknown, field: string) => unknown): void {
    const left: [string, unknown][] = [];
    for (const [field, value] of Object.entries(record)) {
      const known = places.get(field);
      if (known === undefined) left.push([field, value]);
      else if (!saysNothing(value)) known(this, value, field);
    }
    for (const [field, value] of left) other(value, field);
  }

  /**
   * A value where no other is yet. Two fields may mean one property: `url` is the page of an event, and may be what somebody calls
   * a link.
   */
  put(part: 'event' | 'properties' | 'user', name: string, value: unknown, field: string): void {
    const fields = this[part];
    if (!fields.has(name)) return void fields.set(name, value);
    if (fields.get(name) === value) return;
    if (part !== 'properties') return this.loseOnce(field, `another field has its place, ${name}`);
    this.loseOnce(field, `another field has its place: it is stored as event_properties.other_${name}`);
    fields.set(`other_${name}`, value);
  }

  /** A field at the root of the event, if the value says something. */
  set(name: string, value: unknown): void {
    if (!saysNothing(value)) this.event.set(name, value);
  }

  /** The session of the device, or else the user, with this number: others may have one of the same number. */
  setSession(number: string | undefined): void {
    const who = this.event.get('device_id') ?? this.event.get('user_id');
    if (number !== undefined && typeof who === 'string') this.event.set('session_id', `${who}.${number}`);
  }

  /** Binds the device of the event to its user, from the time of the event on. */
  bind(): void {
    const [user, device] = [this.event.get('user_id'), this.event.get('device_id')];
    if (user !== undefined && device !== undefined) this.identify({ user_id: user, device_id: device });
  }

  /** A change of a profile at the time of the event, by its members that say something. */
  identify(change: Readonly<Record<string, unknown>>): void {
    const members = Object.entries({ time: this.event.get('time'), ...change });
    this.identifies.push(Object.fromEntries(members.filter(([, value]) => !saysNothing(value))));
  }

  /** What has become of a record of an event. */
  end(): Mapped {
    if (this.properties.size > 0) this.event.set('event_properties', Object.fromEntries(this.properties));
    if (this.user.size > 0) this.event.set('user_properties', Object.fromEntries(this.user));
    return { events: [Object.fromEntries(this.event)], identifies: this.identifies, lost: this.lost };
  }

  /** What has become of a record that only binds a device and changes a profile. */
  endAsChange(operations: Operations = {}): Mapped {
    const [user, device] = [this.event.get('user_id'), this.event.get('device_id')];
    const changes = { user_properties: Object.fromEntries(this.user), user_property_ops: whole(operations) };
    if (user === undefined) this.loseOnce('user_properties', NO_PROFILE);
    else this.identify({ user_id: user, device_id: device, ...changes });
    if (this.properties.size > 0) this.loseOnce('event_properties', 'a change of a profile has none');
    return { events: [], identifies: this.identifies, lost: this.lost };
  }

  /** Changes the profile of the event's user, if there is anything to change. */
  change(operations: Operations): void {
    const ops = whole(operations);
    const user = this.event.get('user_id');
    if (saysNothing(ops)) return;
    if (user === undefined) this.loseOnce('user_properties', NO_PROFILE);
    else this.identify({ user_id: user, user_property_ops: ops });
  }

  loseOnce(field: string, why: string): void {
    if (!this.lost.some((loss) => loss.field === field && loss.why === why)) this.lost.push({ field, why });
  }
}

/** Of a profile, as `user_property_ops` has them. */
export type Operations = Readonly<Partial<Record<'$set' | '$set_once' | '$unset', unknown>>>;

const whole = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([, change]) => !saysNothing(change)));

/** Nothing becomes of a record, and why. */
export const allLost = (field: string, why: string): Mapped => ({ events: [], identifies: [], lost: [{ field, why }] });

/** Why changes of the profile of somebody without user id are lost. */
export const NO_PROFILE = 'only users have profiles, and nobody is known to be the user of this device';

/** NULL as databases write it into CSVs, and texts with which products fill gaps. */
const NOTHING: ReadonlySet<string> = new Set(['\\N', '(not set)', '(data deleted)']);
const BLANK = /^[\0\s]*$/;

/** Whether a value says nothing: none, blank, only NUL characters, or a list or object without members. */
export function saysNothing(value: unknown): boolean {
  if (typeof value === 'string') return BLANK.test(value) || NOTHING.has(value);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined;
}

/** A text or number as a text; undefined if the field has none. */
export function ownText(record: SourceRecord, field: string): string | undefined {
  const value = Object.hasOwn(record, field) ? record[field] : undefined;
  if (saysNothing(value)) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : undefined;
}

/** The first of these fields that says something, as a time in ISO 8601, UTC. Throws ImportError if none does, or if it is no time. */
export function timeOf(record: SourceRecord, ...fields: readonly string[]): string {
  const field = fields.find((name) => !saysNothing(record[name]));
  if (field === undefined) throw new ImportError(`${fields[0]} is missing: every event has a time`);
  const time = readTime(record[field]);
  if (time === null) throw new ImportError(`${field} is no time: ${JSON.stringify(record[field]).slice(0, 80)}`);
  return new Date(time).toISOString();
}

/** The number that a text is the usual spelling of, `1.5` but not `1.50` or `007`; else the value itself. */
export function spelledAsNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isFinite(number) && String(number) === value ? number : value;
}

/** Numbers in decimal fractions, which databases fill up with zeros: `12.5000`. */
export function decimalOf(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value) ? Number(value) : spelledAsNumber(value);
}

/** A JSON text in a column of a CSV, or the value itself where it is none. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return readJsonWithDigits(value, (digits) => digits);
  } catch {
    return value; // a text that only begins like JSON
  }
}

/** An object in a field, or in a column as JSON text; without members if there is none. Throws ImportError for text that is cut. */
export function recordOf(record: SourceRecord, field: string): SourceRecord {
  const value = jsonOf(record[field]);
  if (typeof value === 'string' && !saysNothing(value)) throw new ImportError(`${field} is no JSON`);
  return isRecord(value) ? value : {};
}

/** The same place for several fields. */
export const each = (fields: readonly string[], place: Goal): Readonly<Record<string, Goal>> =>
  Object.fromEntries(fields.map((field) => [field, place]));
