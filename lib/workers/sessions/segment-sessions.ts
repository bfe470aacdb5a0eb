/**
 * The sessions that rows of one segment form. For whole segments they are formed once and cached with its columns: a query then
 * reads a place per session instead of a row per event.
 */
import { kept } from '../../base/kept.ts';
import type { SessionField } from '../../dsl/plan/field-names.ts';
import { NO_ROWS, rowsIn, type Positions } from '../groups/positions.ts';
import { Lease, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import { countsBySlot, type SlotState } from '../metrics/state-array.ts';
import type { QueryContext } from '../query-context.ts';
import type { Segment } from '../../shards/shard-reader.ts';
import { eachBlock } from '../groups/vectors.ts';
import type { Filter } from '../where/filter.ts';
import { EventRows, type MadeDictionaries } from '../rows/event-rows.ts';
import {
  type Coded,
  type ValueDictionary,
  dictionaryOf,
  GrowingDictionary,
  translate,
  translateInto,
  type FieldColumn,
} from '../rows/field-column.ts';
import { attributeOf, type Attribute } from '../../dsl/plan/session-attribute.ts';
import { pick } from '../rows/pick.ts';
import { referrers } from './referrers.ts';
import { keysOf, type Forming, type RowKeys } from './row-keys.ts';
import type { UrlParameters } from './url-parameters.ts';
import { numberText } from '../../dsl/plan/value.ts';
import type { RowRange } from '../rows/row-set.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** A place per session, in the order of first rows. */
export interface FormedSessions {
  readonly codes: Uint32Array; // session ids
  /** For persons' sessions; null where any sender counts. */
  readonly persons: Uint32Array | null;
  readonly firstRows: Uint32Array;
  readonly lastRows: Uint32Array;
  readonly counts: Uint32Array;
  readonly firstTimes: Float64Array;
  readonly lastTimes: Float64Array;
  /** The codes as bits, from `low` on, a multiple of 32; null if they are too far apart. */
  readonly bits: { readonly low: number; readonly words: Uint32Array } | null;
}

/** The value of one attribute, a place per session. */
export interface FormedValues {
  /** Codes of the dictionary; 0: none. */
  readonly codes: Uint32Array;
  /** null if all codes are 0. */
  readonly dictionary: ValueDictionary | null;
  /** The row that has the value; NO_EVENT if none does. */
  readonly rows: Uint32Array;
}

export interface FormingOptions {
  readonly forming: Forming;
  readonly context: QueryContext;
  /** Shared by the segments of a query. */
  readonly parameters: UrlParameters;
  readonly made: MadeDictionaries;
}

/** Who sent the events of sessions, a place per session. */
export interface FormedDevices {
  /** The device of the first event that has one; 0: none has. */
  readonly devices: Uint32Array;
  /** 1: another event has another device. */
  readonly several: Uint8Array;
}

const BYTES_PER_SESSION = 40;

export class SegmentSessions {
  readonly segment: Segment;
  readonly formed: FormedSessions;
  #positions: Positions | null;
  #settled = false;
  readonly #options: FormingOptions;
  readonly #values = new Map<SessionField, FormedValues>();
  #times: Float64Array | null = null;
  #devices: FormedDevices | null = null;

  /** @param positions The rows that form sessions, in any spans; null: all of the segment. */
  constructor(segment: Segment, positions: Positions | null, options: FormingOptions) {
    this.segment = segment;
    this.#positions = positions;
    this.#options = options;
    this.formed = this.#once('sessions', () => {
      const value = this.#form();
      return { value, bytes: value.codes.length * BYTES_PER_SESSION };
    });
  }

  /** The values of a field read from single events: a session's first or last one, or the first or last with a value. */
  values(name: SessionField): FormedValues {
    return kept(this.#values, name, () => {
      if (this.#settled) throw new Error(`session.${name} was not asked for while the rows were at hand`);
      return this.#once(`session ${name}`, () => {
        const value = this.#read(attributeOf(name));
        return { value, bytes: value.codes.byteLength + value.rows.byteLength };
      });
    });
  }

  /** Which devices sent the sessions' events. */
  devices(): FormedDevices {
    return (this.#devices ??= this.#once('session devices', () => {
      const value = this.#readDevices();
      return { value, bytes: value.devices.byteLength + value.several.byteLength };
    }));
  }

  timeAt(row: number): number {
    return (this.#times ??= this.segment.times())[row]!;
  }

  /** Reads these values and the devices now and drops the rows: others can no longer be read. */
  settle(names: readonly SessionField[]): void {
    for (const name of names) this.values(name);
    this.devices();
    this.#positions = NO_ROWS;
    this.#settled = true;
  }

  /** For whole segments, cached with the columns. Under other bindings a person's sessions are different. */
  #once<T>(name: string, make: () => { readonly value: T; readonly bytes: number }): T {
    if (this.#positions !== null) return make().value;
    const { forming, context } = this.#options;
    const whose = forming === 'person' ? ` of persons ${context.identity().version}` : '';
    return this.segment.derived(name + whose, make);
  }

  #rowKeys(): RowKeys | null {
    return keysOf(this.segment, this.#options.forming, this.#positions, this.#options.context);
  }

  #where(): Positions {
    return this.#positions ?? { rows: null, spans: [{ bucket: 0, from: 0, to: this.segment.rows }] };
  }

  #form(): FormedSessions {
    const keys = this.#rowKeys();
    if (keys === null) return NONE;
    const { context } = this.#options;
    const [counts, lasts] = [countsBySlot(context), countsBySlot(context)];
    for (const state of [counts, lasts]) state.resize(keys.count + 1);
    counts.values[0] = 1; // so that rows in no session start none
    const firstRows = formRows(keys, this.#where(), { counts, lasts, context });
    const formed = this.#readFormed(firstRows, keys, { counts, lasts });
    for (const state of [counts, lasts]) state.release();
    return formed;
  }

  /** Turns what was found by place into values by session. */
  #readFormed(
    firstRows: Uint32Array,
    keys: RowKeys,
    { counts, lasts }: { readonly counts: SlotState<Uint32Array>; readonly lasts: SlotState<Uint32Array> },
  ): FormedSessions {
    const { forming, context } = this.#options;
    const { length } = firstRows;
    using lease = new Lease();
    const places = placesOf(firstRows, keys, lease);
    const lastRows = pick(lasts.values, places, new Uint32Array(length));
    const ownCounts = pick(counts.values, places, new Uint32Array(length));
    const of = this.segment.column('session_id')!.codes!;
    const codes = pick(of, firstRows, new Uint32Array(length));
    const persons =
      forming === 'person' ? pick(this.segment.persons(context.identity()), firstRows, new Uint32Array(length)) : null;
    const times = this.segment.times();
    const firstTimes = pick(times, firstRows, new Float64Array(length));
    const lastTimes = pick(times, lastRows, new Float64Array(length));
    return { codes, persons, firstRows, lastRows, counts: ownCounts, firstTimes, lastTimes, bits: bitsOf(codes) };
  }

  #readDevices(): FormedDevices {
    const { length } = this.formed.firstRows;
    const keys = this.#rowKeys();
    const codes = this.segment.column('device_id')?.codes ?? null;
    if (codes === null || keys === null || length === 0) {
      return { devices: new Uint32Array(length), several: new Uint8Array(length) };
    }
    const { context } = this.#options;
    const [first, several] = [countsBySlot(context), countsBySlot(context)];
    for (const state of [first, several]) state.resize(keys.count + 1);
    eachBlock(this.#where(), context, (vectors) => {
      const own = vectors.ids(keys.keys, null);
      const { address, size } = vectors.codes(codes);
      primitives.findDevices(own, keys.low, address, size, vectors.count, first.address, several.address);
    });
    using lease = new Lease();
    const places = placesOf(this.formed.firstRows, keys, lease);
    const own = {
      devices: pick(first.values, places, new Uint32Array(length)),
      several: new Uint8Array(pick(several.values, places, lease.words(length))),
    };
    for (const state of [first, several]) state.release();
    return own;
  }

  #read(attribute: Attribute): FormedValues {
    const { context, made, parameters } = this.#options;
    const { firstRows, lastRows } = this.formed;
    const events = new EventRows(this.segment, context, made);
    if (attribute.of === 'referrer')
      return { ...referrers(events, attribute.field, { rows: firstRows, context }), rows: firstRows };
    const coded = codedValues(events, attribute, parameters);
    const none = new Uint32Array(firstRows.length);
    if (coded === null || none.length === 0)
      return { codes: none, rows: none.slice().fill(NO_EVENT), dictionary: null };
    const { codes, dictionary } = coded;
    const rows =
      attribute.of === 'event_type'
        ? attribute.side === 'first'
          ? firstRows
          : lastRows
        : this.#find(coded, attribute);
    const values = new Uint32Array(rows.length);
    for (let at = 0; at < rows.length; at++) values[at] = rows[at] === NO_EVENT ? 0 : codes[rows[at]!]!;
    return { codes: values, rows, dictionary };
  }

  /**
   * The first or last row of each session that has a value; NO_EVENT: none has.
   * Plain form: `if (has(i) && (last || found[key] === 0)) found[key] = i + 1`, in place 0 if it is in no session.
   */
  #find({ codes, dictionary }: Coded, { side }: Attribute): Uint32Array {
    const { context } = this.#options;
    const keys = this.#rowKeys()!;
    const found = countsBySlot(context);
    found.resize(keys.count + 1);
    const { passes } = context.tables.of({ op: 'exists' }, dictionary, context.checkpoint);
    const has: Filter = { kind: 'table', codes, passes, only: null };
    const last = side === 'last' ? 1 : 0;
    eachBlock(this.#where(), context, (vectors, _, first) => {
      const own = vectors.ids(keys.keys, null);
      const mask = vectors.mask(has);
      primitives.findInSessions(own, keys.low, vectors.rows, first, vectors.count, mask, last, found.address);
    });
    using lease = new Lease();
    const places = placesOf(this.formed.firstRows, keys, lease);
    const rows = pick(found.values, places, new Uint32Array(places.length));
    found.release();
    for (let at = 0; at < rows.length; at++) rows[at]!--; // 0 becomes NO_EVENT
    return rows;
  }
}

/** Rows of a range as positions that form sessions; null: all. */
export function positionsIn(segment: Segment, range: RowRange): Positions | null {
  if (range.from === 0 && range.to === segment.rows) return null;
  return { rows: null, spans: range.from < range.to ? [{ bucket: 0, ...range }] : [] };
}

/** In rows of values: no event has one. It is 0 - 1 as an unsigned word. */
export const NO_EVENT = 0xffffffff;

const NONE: FormedSessions = {
  codes: new Uint32Array(0),
  persons: null,
  firstRows: new Uint32Array(0),
  lastRows: new Uint32Array(0),
  counts: new Uint32Array(0),
  firstTimes: new Float64Array(0),
  lastTimes: new Float64Array(0),
  bits: null,
};

/** Words of bits per code, at most: beyond it most would be clear. */
const WORDS_PER_CODE = 2;

function bitsOf(codes: Uint32Array): FormedSessions['bits'] {
  let low = Infinity;
  let high = 0;
  for (let at = 0; at < codes.length; at++) {
    if (codes[at]! < low) low = codes[at]!;
    if (codes[at]! > high) high = codes[at]!;
  }
  low = Math.floor(low / 32) * 32;
  const length = ((high - low) >>> 5) + 1;
  if (codes.length === 0 || length > codes.length * WORDS_PER_CODE) return null;
  const words = new Uint32Array(length);
  for (let at = 0; at < codes.length; at++) words[(codes[at]! - low) >>> 5]! |= 1 << codes[at]!;
  return { low, words };
}

/** The places of rows that are in sessions. */
function placesOf(rows: Uint32Array, { keys, low }: RowKeys, lease: Lease): Uint32Array {
  const places = pick(keys, rows, lease.words(rows.length));
  for (let at = 0; at < places.length; at++) places[at]! -= low - 1;
  return places;
}

/**
 * Counts the rows of each place and remembers the last. Returns the first row of each session, in order.
 * Plain form: `if (counts[key]++ === 0) firstRows.push(i); lasts[key] = i`.
 */
function formRows(
  keys: RowKeys,
  where: Positions,
  { counts, lasts, context }: Record<'counts' | 'lasts', SlotState<Uint32Array>> & { readonly context: QueryContext },
): Uint32Array {
  const rows = rowsIn(where.spans);
  using lease = new Lease();
  const found = lease.words(Math.min(rows, keys.count));
  const out = begun.of((BLOCK_ROWS + 1) * 4);
  let length = 0;
  const state = [counts.address, lasts.address] as const;
  eachBlock(where, context, (vectors, _, first) => {
    const own = vectors.ids(keys.keys, null);
    const formed = primitives.formSessions(own, keys.low, vectors.rows, first, vectors.count, ...state, out);
    found.set(wordsAt(out, formed), length);
    length += formed;
  });
  return new Uint32Array(found.subarray(0, length));
}

const begun = new Scratch();

/** The values of all rows of a segment; null: no row has one. */
function codedValues(
  rows: EventRows,
  attribute: Exclude<Attribute, { readonly of: 'referrer' }>,
  parameters: UrlParameters,
): Coded | null {
  switch (attribute.of) {
    case 'event_type': {
      const { codes, dictionary } = rows.segment.column('event_type')!;
      return { codes: codes!, dictionary: dictionaryOf(dictionary!) };
    }
    case 'field':
      return coded(rows.field(attribute.field), rows.rows);
    case 'campaign':
      return campaign(rows, attribute.name, parameters);
  }
}

function coded(column: FieldColumn | null, rows: number): Coded | null {
  if (column === null) return null;
  const { codes, dictionary, numbers } = column;
  if (numbers === null) return codes === null || dictionary === null ? null : { codes, dictionary };
  const made = new GrowingDictionary();
  const values = new Uint32Array(rows);
  translateInto(made, values, column);
  for (let i = 0; i < numbers.values.length; i++) {
    values[numbers.rows === null ? i : numbers.rows[i]!] = made.code('number', numberText(numbers.values[i]!));
  }
  return { codes: values, dictionary: made };
}

/** The event property if it exists, else the URL parameter. */
function campaign(rows: EventRows, name: string, parameters: UrlParameters): Coded | null {
  const sent = coded(rows.field({ kind: 'event', path: name }), rows.rows);
  const urls = coded(rows.field({ kind: 'enriched', name: '_url' }), rows.rows);
  if (urls === null) return sent;
  const made = new GrowingDictionary();
  const values = new Uint32Array(rows.rows);
  const parameter = parameters.of(urls.dictionary, name);
  translate(values, urls, (code) => {
    const text = parameter(code);
    return text === '' ? 0 : made.code('string', text);
  });
  if (sent === null) return made.size === 0 ? null : { codes: values, dictionary: made };
  translate(values, sent, (code) => {
    const [type, text] = [sent.dictionary.type(code), sent.dictionary.text(code)];
    return type === 'null' || (type === 'string' && text === '') ? 0 : made.code(type, text);
  });
  return { codes: values, dictionary: made };
}
