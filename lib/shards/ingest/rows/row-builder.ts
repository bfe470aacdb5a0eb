/** Events → pending rows of a project: looks up their texts in the shard's dictionaries. */
import * as scan from '../scan/scanned-event.ts';
import { OVERFLOW } from '../../shard-reader.ts';
import type { IdPlace } from '../../segment/insert-ids/insert-ids.ts';
import { TYPE_CODES } from '../../segment/encoding/texts.ts';
import type {
  EnrichedText,
  IngestOrigin,
  NormalEvent,
  NormalIdentify,
  StoredEvent,
  PropertyValue,
} from '../../event.ts';
import { emptySought, seekId } from '../../segment/insert-ids/insert-key.ts';
import { referrerFields, urlFields } from '../enrich/url.ts';
import { eventOrigin } from '../normalise/context.ts';
import { profileChangesOf } from '../normalise/event.ts';
import { bindingDate } from '../normalise/identify.ts';
import { valueOf } from '../normalise/value.ts';
import { NO_BYTES } from '../../../base/growable.ts';
import type { FieldCode, PendingField } from './pending-field.ts';
import type { PendingRows, PendingIds } from './pending-rows.ts';
import type { RequestScope } from '../request-scope.ts';
import type { AskedId } from '../id-looks.ts';
import { hashBytes, ScratchText, textOf } from '../../hashing/hash.ts';
import type { Connection } from '../../file/shard-file.ts';
import type { SharedTexts } from '../../dictionary/shared-texts.ts';
import { type ShardState, SPACE } from '../shard-state.ts';

type PropertySpace = typeof SPACE.event | typeof SPACE.user;

const scratch = new ScratchText();
/** The insert id of the current event. One for all projects: one each would keep each project's last body in memory. */
const sought = emptySought();
/** All of the id of the scanned event that is being added. */
const idText: IdPlace = { bytes: NO_BYTES, start: 0, end: 0 };
/** The id of such an event: what states its import is not scanned. */
const SCANNED: AskedId = { id: sought, text: idText, isImported: false };
/** Other texts overwrite what is in `scratch`. (A `slice` of a Buffer would be a view.) */
const copyOf = ({ bytes, start, end }: IdPlace): IdPlace => ({
  bytes: new Uint8Array(bytes.subarray(start, end)),
  start: 0,
  end: end - start,
});
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

export class RowBuilder {
  readonly #state: ShardState;
  #rows: PendingRows;
  /** Rows being sealed. */
  #older: PendingRows | null = null;
  readonly #connection: () => Connection;
  readonly #ids: PendingIds = { type: 0, user: 0, device: 0, session: 0 };

  constructor(state: ShardState, rows: PendingRows, connection: () => Connection) {
    this.#state = state;
    this.#rows = rows;
    this.#connection = connection;
  }

  /** Adds to these rows from now on. `older`: other rows that are not sealed yet. */
  use(rows: PendingRows, older: PendingRows | null): void {
    this.#rows = rows;
    this.#older = older;
  }

  /** Adds a scanned event, at the time that it means. The path of ordinary events: it allocates no objects. */
  addScanned(bytes: Uint8Array, event: scan.ScannedEvent, scope: RequestScope): void {
    const { texts } = event;
    const isSent = texts[scan.TEXT.insert]! >= 0;
    if (isSent) {
      const [start, end] = [texts[scan.TEXT.insert]!, texts[scan.TEXT.insert + scan.PART.end]!];
      seekId(bytes, start, end, this.#state.idSecret, sought);
      idText.bytes = bytes;
      idText.start = start;
      idText.end = end;
      if (this.#isDuplicate(SCANNED, scope)) return;
    }
    const ids = this.#ids;
    ids.type = this.#scannedCode(this.#state.types, bytes, texts, scan.TEXT.type);
    ids.user = this.#scannedCode(this.#state.ids, bytes, texts, scan.TEXT.user);
    ids.device = this.#scannedCode(this.#state.ids, bytes, texts, scan.TEXT.device);
    if (ids.device === 0) ids.device = this.#codeOf(this.#state.ids, scope.context.device ?? null);
    ids.session = this.#scannedCode(this.#state.sessions, bytes, texts, scan.TEXT.session);
    const row = this.#push(event.time, scope);
    if (isSent) this.#rows.setInsertId(sought, false);
    this.#addScannedProperties(row, SPACE.event, bytes, event.eventProperties);
    if (event.userProperties.count > 0) {
      this.#addScannedProperties(row, SPACE.user, bytes, event.userProperties);
      if (ids.user !== 0)
        scope.profileChanges.push({
          person: ids.user,
          change: scannedChange(bytes, event, scope),
          seen: null,
        });
    }
    const library = texts[scan.TEXT.library]!;
    if (library >= 0)
      this.#addEnriched(row, ['_library', textOf(bytes, library, texts[scan.TEXT.library + scan.PART.end]!)]);
    this.#addRequestFields(row, scope, eventOrigin(event.originServer, event.clientOriginated, scope.event));
  }

  /** Adds an event normalised from parsed JSON. `fields`: those of an event with its own address or user agent, else null. */
  addNormal(event: NormalEvent, fields: readonly EnrichedText[] | null, scope: RequestScope): void {
    const { insertId, importId } = event;
    const isImported = importId !== null;
    if (insertId !== null && this.#isDuplicate({ id: sought, text: copyOf(this.#seek(insertId)), isImported }, scope))
      return;
    const ids = this.#ids;
    ids.type = this.#codeOf(this.#state.types, event.type);
    ids.user = this.#codeOf(this.#state.ids, event.userId);
    ids.device = this.#codeOf(this.#state.ids, event.deviceId ?? scope.context.device ?? null);
    ids.session = this.#codeOf(this.#state.sessions, event.sessionId);
    const row = this.#push(event.time, scope);
    if (insertId !== null) {
      this.#seek(insertId); // other texts have overwritten it
      this.#rows.setInsertId(sought, isImported);
    }
    this.#addProperties(row, SPACE.event, event.properties);
    this.#addProperties(row, SPACE.user, event.userProperties);
    const change = ids.user === 0 ? null : profileChangesOf(event, scope.event);
    if (change) scope.profileChanges.push({ person: ids.user, change, seen: null });
    if (event.library !== null) this.#addEnriched(row, ['_library', event.library]);
    if (importId !== null) this.#addEnriched(row, ['_import_id', importId]);
    if (fields === null) this.#addRequestFields(row, scope, event.origin);
    else for (const field of [...fields, ['_ingest_origin', event.origin] as const]) this.#addEnriched(row, field);
  }

  /** Adds an event as another store had it: with its arrival number, also if its insert id occurred before. */
  addStored(event: StoredEvent): void {
    const ids = this.#ids;
    ids.type = this.#codeOf(this.#state.types, event.type);
    ids.user = this.#codeOf(this.#state.ids, event.userId);
    ids.device = this.#codeOf(this.#state.ids, event.deviceId);
    ids.session = this.#codeOf(this.#state.sessions, event.sessionId);
    const row = this.#rows.push(event.time, event.arrival, event.received === 0 ? -Infinity : event.received, ids);
    if (event.insertId !== null) {
      this.#seek(event.insertId);
      this.#rows.setInsertId(
        sought,
        event.enriched.some(([column]) => column === '_import_id'),
      );
    }
    this.#addProperties(row, SPACE.event, event.properties, false);
    this.#addProperties(row, SPACE.user, event.userProperties, false);
    for (const field of event.enriched) this.#addEnriched(row, field);
  }

  /** Adds an identify. It takes effect once the request is on disk, in order with events. */
  addIdentify(identify: NormalIdentify, scope: RequestScope): void {
    const user = this.#codeOf(this.#state.ids, identify.userId);
    const { receivedAt } = scope.context;
    scope.profileChanges.push({ person: user, change: identify, seen: identify.at ?? receivedAt });
    const device = this.#codeOf(this.#state.ids, identify.deviceId ?? scope.context.device ?? null);
    if (device !== 0) scope.bindings.push({ device, user, at: bindingDate(identify, receivedAt), undo: false });
  }

  #push(time: number, scope: RequestScope): number {
    return this.#rows.push(time, this.#state.nextArrival++, scope.context.receivedAt, this.#ids);
  }

  /** Whether to leave out the event. Whether its id repeats a sealed one is known when the body has been read. */
  #isDuplicate(asked: AskedId, scope: RequestScope): boolean {
    const { id, isImported } = asked;
    const known =
      this.#rows.has(id, isImported, scope.context) ||
      (this.#older !== null && this.#older.has(id, isImported, scope.context)) ||
      scope.looks.isRepeat(asked);
    if (known) scope.counts.duplicate++;
    else if (this.#state.segments.length > 0) scope.looks.add(asked);
    return known;
  }

  /** Seeks an id that is a string; returns its bytes, which are in `scratch`. */
  #seek(text: string): IdPlace {
    const end = scratch.write(text);
    seekId(scratch.bytes, 0, end, this.#state.idSecret, sought);
    return { bytes: scratch.bytes, start: 0, end };
  }

  #addScannedProperties(
    row: number,
    space: PropertySpace,
    bytes: Uint8Array,
    properties: scan.ScannedProperties,
  ): void {
    const { slots } = properties;
    let overflow: [string, PropertyValue][] | null = null;
    for (let i = 0, at = 0; i < properties.count; i++, at += scan.SLOT.length) {
      const keyStart = slots[at + scan.SLOT.keyStart]!;
      const keyEnd = slots[at + scan.SLOT.keyEnd]!;
      const field = this.#state.propertyField(space, bytes, keyStart, keyEnd, slots[at + scan.SLOT.keyHash]!);
      if (field === null) (overflow ??= []).push([textOf(bytes, keyStart, keyEnd), scannedValue(bytes, properties, i)]);
      else {
        const code = pushScanned(field, row, bytes, properties, i);
        if (field.derived === null || slots[at + scan.SLOT.kind] !== scan.KIND.string) continue;
        const [start, end] = [slots[at + scan.SLOT.valueStart]!, slots[at + scan.SLOT.valueEnd]!];
        pushCodes(row, field.derived.get(code) ?? this.#derive(field, code, textOf(bytes, start, end)));
      }
    }
    if (overflow) this.#addOverflow(row, space, overflow);
  }

  /** @param derives Whether fields that follow from a property are added, too. */
  #addProperties(
    row: number,
    space: PropertySpace,
    properties: NormalEvent['properties'],
    derives: boolean = true,
  ): void {
    let overflow: [string, PropertyValue][] | null = null;
    for (const [key, value] of properties) {
      const length = scratch.write(key);
      const hash = hashBytes(scratch.bytes, 0, length);
      // A key that has the overflow column's own name goes into that column.
      const field = key === OVERFLOW ? null : this.#state.propertyField(space, scratch.bytes, 0, length, hash);
      if (field === null) (overflow ??= []).push([key, value]);
      else if (typeof value === 'number') field.pushNumber(row, value);
      else {
        const code = pushText(field, row, value.text, TYPE_CODES[value.type]);
        if (derives && field.derived !== null && value.type === 'string')
          pushCodes(row, field.derived.get(code) ?? this.#derive(field, code, value.text));
      }
    }
    if (overflow) this.#addOverflow(row, space, overflow);
  }

  /** Keys beyond a project's column limit share a column of objects. */
  #addOverflow(row: number, space: PropertySpace, entries: readonly [string, PropertyValue][]): void {
    const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(valueOf(value))}`);
    pushText(this.#state.unlimitedField(space, OVERFLOW), row, `{${members.join(',')}}`, TYPE_CODES.object);
  }

  /** The parts of a URL, which is parsed once per value. */
  #derive(field: PendingField, code: number, value: string): readonly FieldCode[] {
    const fields = field.key === 'p:url' ? urlFields(value) : referrerFields(value);
    const codes = fields.map((entry) => this.#enrichedCode(entry));
    field.derived!.set(code, codes);
    return codes;
  }

  #addRequestFields(row: number, scope: RequestScope, origin: IngestOrigin): void {
    pushCodes(row, scope.fieldCodes[origin] ?? this.#requestFields(scope, origin));
  }

  #requestFields(scope: RequestScope, origin: IngestOrigin): readonly FieldCode[] {
    const entries = [...scope.enriched[origin], ['_ingest_origin', origin] as const];
    return (scope.fieldCodes[origin] = entries.map((entry) => this.#enrichedCode(entry)));
  }

  #addEnriched(row: number, entry: EnrichedText): void {
    const { field, code } = this.#enrichedCode(entry);
    field.pushCode(row, code);
  }

  #enrichedCode([key, value]: EnrichedText): FieldCode {
    const field = this.#state.unlimitedField(SPACE.enriched, key);
    const length = scratch.write(value);
    return { field, code: field.code(scratch.bytes, 0, length, hashBytes(scratch.bytes, 0, length)) };
  }

  /** The code of a text field of a scanned event, new if needed; 0 if the event has no such field. */
  #scannedCode(shared: SharedTexts, bytes: Uint8Array, texts: Int32Array, field: number): number {
    const start = texts[field]!;
    if (start < 0) return 0;
    return shared.code(this.#connection, bytes, start, texts[field + scan.PART.end]!, texts[field + scan.PART.hash]!);
  }

  #codeOf(shared: SharedTexts, text: string | null): number {
    if (text === null) return 0;
    const length = scratch.write(text);
    return shared.code(this.#connection, scratch.bytes, 0, length, hashBytes(scratch.bytes, 0, length));
  }
}

// Every event calls these. An arrow function in one, or in a method above that every event calls, would cost an object per call.

function pushCodes(row: number, codes: readonly FieldCode[]): void {
  for (let i = 0; i < codes.length; i++) codes[i]!.field.pushCode(row, codes[i]!.code);
}

/** Returns the code. */
function pushText(field: PendingField, row: number, text: string, type: number): number {
  const length = scratch.write(text);
  const code = field.code(scratch.bytes, 0, length, hashBytes(scratch.bytes, 0, length), type);
  field.pushCode(row, code);
  return code;
}

/** Returns the code; 0 for a number. */
function pushScanned(
  field: PendingField,
  row: number,
  bytes: Uint8Array,
  properties: scan.ScannedProperties,
  i: number,
): number {
  const { slots } = properties;
  const at = i * scan.SLOT.length;
  if (slots[at + scan.SLOT.kind] === scan.KIND.number) {
    field.pushNumber(row, properties.numbers[i]!);
    return 0;
  }
  const code = scannedValueCode(field, bytes, slots, at);
  field.pushCode(row, code);
  return code;
}

function scannedValueCode(field: PendingField, bytes: Uint8Array, slots: Int32Array, at: number): number {
  switch (slots[at + scan.SLOT.kind]) {
    case scan.KIND.string:
      return field.code(
        bytes,
        slots[at + scan.SLOT.valueStart]!,
        slots[at + scan.SLOT.valueEnd]!,
        slots[at + scan.SLOT.valueHash]!,
      );
    case scan.KIND.true:
      return field.code(TRUE, 0, TRUE.length, hashBytes(TRUE, 0, TRUE.length), TYPE_CODES.boolean);
    case scan.KIND.false:
      return field.code(FALSE, 0, FALSE.length, hashBytes(FALSE, 0, FALSE.length), TYPE_CODES.boolean);
    default:
      return field.code(TRUE, 0, 0, hashBytes(TRUE, 0, 0), TYPE_CODES.null);
  }
}

function scannedValue(bytes: Uint8Array, { slots, numbers }: scan.ScannedProperties, i: number): PropertyValue {
  const at = i * scan.SLOT.length;
  switch (slots[at + scan.SLOT.kind]) {
    case scan.KIND.string:
      return {
        type: 'string',
        text: textOf(bytes, slots[at + scan.SLOT.valueStart]!, slots[at + scan.SLOT.valueEnd]!),
      };
    case scan.KIND.number:
      return numbers[i]!;
    case scan.KIND.true:
      return { type: 'boolean', text: 'true' };
    case scan.KIND.false:
      return { type: 'boolean', text: 'false' };
    default:
      return { type: 'null', text: '' };
  }
}

export function storedScanned(
  bytes: Uint8Array,
  properties: scan.ScannedProperties,
): (readonly [key: string, value: PropertyValue])[] {
  const stored: (readonly [string, PropertyValue])[] = [];
  for (let i = 0, at = 0; i < properties.count; i++, at += scan.SLOT.length) {
    const key = textOf(bytes, properties.slots[at + scan.SLOT.keyStart]!, properties.slots[at + scan.SLOT.keyEnd]!);
    stored.push([key, scannedValue(bytes, properties, i)]);
  }
  return stored;
}

/** The user properties of a scanned event as changes of the profile. */
function scannedChange(bytes: Uint8Array, event: scan.ScannedEvent, scope: RequestScope): NormalIdentify {
  const { texts, time } = event;
  const properties = storedScanned(bytes, event.userProperties);
  const userId = textOf(bytes, texts[scan.TEXT.user]!, texts[scan.TEXT.user + scan.PART.end]!);
  const change = profileChangesOf({ userId, userProperties: properties, time }, scope.event);
  if (change === null) throw new Error('an event with a user and user properties changes no profile');
  return change;
}
