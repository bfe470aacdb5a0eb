/** `session.*` and `user_last_session.*` of events, for any source: sessions of all events, whatever `where` selects. */
import { kept } from '../../base/kept.ts';
import type { SessionField } from '../../dsl/plan/field-names.ts';
import { attributeOf, isSessionNumber, type Attribute } from '../../dsl/plan/session-attribute.ts';
import { lastSessionTimes, sessionTimes } from '../../dsl/plan/session-range.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import type { Segment, SegmentSummary } from '../../shards/shard-reader.ts';
import type { QueryContext, Reach, SessionFieldRef, SessionFields } from '../query-context.ts';
import { codedColumn, timesAt, type CodeArray, type ValueDictionary, type FieldColumn } from '../rows/field-column.ts';
import { EventRows } from '../rows/event-rows.ts';
import type { SegmentRows, RowRange } from '../rows/row-set.ts';
import { codeArray, pick, pickCodes } from '../rows/pick.ts';
import { type Places, CodePlaces, PersonPlaces } from './places.ts';
import type { Forming } from './row-keys.ts';
import { positionsIn, SegmentSessions } from './segment-sessions.ts';
import { keptPlaces, SessionSet, type SessionColumn } from './session-set.ts';
import { UrlParameters } from './url-parameters.ts';
import { numberText } from '../../dsl/plan/value.ts';

/** A field of all sessions, by place. */
type Laid =
  | { readonly kind: 'codes'; readonly codes: CodeArray; readonly dictionary: ValueDictionary }
  | { readonly kind: 'numbers'; readonly dictionary: ValueDictionary }
  | { readonly kind: 'times'; readonly values: Float64Array };

export class EventSessions implements SessionFields {
  readonly #context: QueryContext;
  readonly #places = new Map<SessionFieldRef['kind'], Places>();
  readonly #laid = new Map<string, Laid | null>();

  constructor(context: QueryContext) {
    this.#context = context;
  }

  column(field: SessionFieldRef, rows: SegmentRows): FieldColumn | null {
    const places = this.#placesOf(field.kind);
    const laid = this.#lay(field, places);
    return laid && columnAt(laid, places.of(rows));
  }

  placesOf(rows: SegmentRows): Uint32Array {
    return this.#placesOf('session').of(rows);
  }

  firstRows({ segment }: SegmentRows): Uint32Array {
    const part = this.#placesOf('session').set.parts.find(({ sessions }) => sessions.segment.id === segment.id);
    if (part === undefined) return new Uint32Array(0);
    const begun = keptPlaces(part.dropped);
    const { firstRows } = part.formed;
    return begun === null ? firstRows : pick(firstRows, begun, new Uint32Array(begun.length));
  }

  get places(): number {
    return this.#placesOf('session').length;
  }

  reach(name: SessionField): Reach {
    const { plan } = this.#context;
    const times = sessionTimes(plan);
    const most = plan.range.to > times.to ? 'some' : 'all'; // what lies ahead of now is in no session
    if (isSessionNumber(name)) return most;
    const made = new Map();
    const reach = joinReaches(
      this.#rangesIn(times).map(({ segment, range }) =>
        reachIn(new EventRows(segment, this.#context, made), range, attributeOf(name)),
      ),
    );
    return reach === 'all' ? most : reach;
  }

  byPlace(name: SessionField): FieldColumn | null {
    const places = this.#placesOf('session');
    const laid = this.#lay({ kind: 'session', name }, places);
    if (laid?.kind === 'codes') return codedColumn(laid.codes, laid.dictionary);
    return laid && columnAt(laid, firstPlaces(places.length));
  }

  #lay({ kind, name }: SessionFieldRef, places: Places): Laid | null {
    return kept(this.#laid, `${kind} ${name}`, () => {
      const column = name === 'event_count' ? countsOf(places.set) : places.set.column(name);
      const lay = <A extends CodeArray | Float64Array>(into: A, values: Parameters<Places['lay']>[0]): A => {
        this.#context.budget.take(into.byteLength);
        places.lay(values, into);
        return into;
      };
      if (column.kind === 'codes') {
        const { dictionary } = column;
        if (dictionary === null) return null;
        return { kind: 'codes', codes: lay(codeArray(dictionary.size, places.length), column.codes), dictionary };
      }
      const values = lay(new Float64Array(places.length).fill(NaN), column.values);
      // The text of a time depends on the query's zone, which a dictionary does not have.
      return column.times ? { kind: 'times', values } : { kind: 'numbers', dictionary: new NumberDictionary(values) };
    });
  }

  #placesOf(kind: SessionFieldRef['kind']): Places {
    const context = this.#context;
    return kept(this.#places, kind, () => {
      if (kind === 'session') {
        const times = sessionTimes(context.plan);
        return new CodePlaces(this.#form('session', times), times, context);
      }
      const { begin, form } = lastSessionTimes(context.plan);
      return new PersonPlaces(this.#form('person', form), begin, context);
    });
  }

  /** The sessions of all events of these times. */
  #form(forming: Forming, times: TimeRange): SessionSet {
    const context = this.#context;
    const set = new SessionSet(context);
    const options = { forming, context, parameters: new UrlParameters(context), made: new Map() };
    for (const { segment, range } of this.#rangesIn(times)) {
      context.checkpoint();
      set.add(new SegmentSessions(segment, positionsIn(segment, range), options));
    }
    return set;
  }

  /** The segments with events of these times, and which of their rows these are. */
  #rangesIn({ from, to }: TimeRange): { readonly segment: Segment; readonly range: RowRange }[] {
    const { snapshot, reader } = this.#context;
    return inRange(snapshot.segments, from, to).map(({ id }) => {
      const segment = reader.segment(id);
      return { segment, range: { from: segment.rowAt(from), to: segment.rowAt(to) } };
    });
  }
}

/** The values at these places, one row each. */
function columnAt(laid: Laid, places: Uint32Array): FieldColumn {
  switch (laid.kind) {
    case 'codes':
      return codedColumn(pickCodes(laid.codes, places), laid.dictionary);
    case 'numbers':
      return codedColumn(places, laid.dictionary);
    case 'times':
      return timesAt(laid.values, places);
  }
}

function firstPlaces(length: number): Uint32Array {
  const places = new Uint32Array(length);
  for (let place = 0; place < length; place++) places[place] = place;
  return places;
}

/** Event counts have few distinct values: they are their own codes. */
function countsOf({ parts }: SessionSet): SessionColumn {
  let most = 0;
  for (const { formed } of parts) {
    for (let at = 0; at < formed.counts.length; at++) if (formed.counts[at]! > most) most = formed.counts[at]!;
  }
  return { kind: 'codes', codes: parts.map(({ formed }) => formed.counts), dictionary: new CountDictionary(most) };
}

function inRange(segments: readonly SegmentSummary[], from: number, to: number): readonly SegmentSummary[] {
  return segments
    .filter((segment) => segment.first < to && segment.last >= from)
    .toSorted((a, b) => a.first - b.first || a.id - b.id);
}

/** How many sessions of a segment's rows have an attribute, as far as its columns show without forming them. */
function reachIn(rows: EventRows, range: RowRange, attribute: Attribute): Reach {
  switch (attribute.of) {
    case 'event_type':
      return 'all';
    case 'referrer': // none where it is of the own host
      return rows.field(attribute.field) === null ? 'none' : 'some';
    case 'field':
      return reachOf(rows.field(attribute.field), range);
    case 'campaign': {
      const sent = rows.field({ kind: 'event', path: attribute.name });
      return sent === null && rows.field({ kind: 'enriched', name: '_url' }) === null ? 'none' : 'some';
    }
  }
}

/** What is so of the rows of all segments. */
function joinReaches(reaches: readonly Reach[]): Reach {
  const [first = 'none'] = reaches;
  return reaches.every((reach) => reach === first) ? first : 'some';
}

/** All rows have a string, and none has "", which does not exist for a session: then all sessions have one. */
function reachOf(column: FieldColumn | null, { from, to }: RowRange): Reach {
  if (column === null) return 'none';
  const { codes, dictionary, numbers } = column;
  if (codes === null || numbers !== null) return 'some';
  if (dictionary?.onlyStrings !== true || dictionary.find?.('') !== 0) return 'some';
  const missing = codes.indexOf(0, from);
  return missing < 0 || missing >= to ? 'all' : 'some';
}

/** Code = place. Several codes may have one value. */
class NumberDictionary implements ValueDictionary {
  readonly key = `session numbers ${++dictionaries}`;
  readonly #values: Float64Array;

  /** @param values NaN where there is no session. */
  constructor(values: Float64Array) {
    this.#values = values;
  }

  get size(): number {
    return this.#values.length - 1;
  }
  type(code: number): 'number' | 'null' {
    return Number.isNaN(this.#values[code]!) ? 'null' : 'number';
  }
  text(code: number): string {
    return numberText(this.#values[code]!);
  }
  number(code: number): number {
    return this.#values[code]!;
  }
}

/** Code = number, for whole numbers from 1 on. */
class CountDictionary implements ValueDictionary {
  readonly key = `session counts ${++dictionaries}`;
  readonly size: number;

  /** @param most The largest number. */
  constructor(most: number) {
    this.size = most;
  }

  type(): 'number' {
    return 'number';
  }
  text(code: number): string {
    return numberText(code);
  }
  number(code: number): number {
    return code;
  }
}

let dictionaries = 0;
