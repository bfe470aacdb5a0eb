/** `session.*` and `user_last_session.*` of events, for any source: sessions of all events, whatever `where` selects. */
import type { SessionField } from '../../dsl/plan/plan.ts';
import { attributeOf, isSessionNumber, type Attribute } from '../../dsl/plan/session-attribute.ts';
import { shownRange } from '../../dsl/plan/shown-range.ts';
import type { Segment, SegmentSummary } from '../../shards/shard-reader.ts';
import type { QueryContext, Reach, SessionFieldRef, SessionFields } from '../query-context.ts';
import { codedColumn, timesAt, type CodeArray, type ValueDictionary, type FieldColumn } from '../rows/field-column.ts';
import { EventRows } from '../rows/event-rows.ts';
import type { SegmentRows } from '../rows/row-set.ts';
import { CodePlaces } from './code-places.ts';
import { CountDictionary, NumberDictionary } from './number-dictionary.ts';
import { PersonPlaces } from './person-places.ts';
import { pickCodes } from './pick.ts';
import type { Places } from './places.ts';
import type { Forming } from './row-keys.ts';
import { positionsIn, SegmentSessions } from './segment-sessions.ts';
import { SessionSet, type SessionColumn } from './session-set.ts';
import { UrlParameters } from './url-parameters.ts';

/** Time before the range's end in which a person's last session is looked for. */
const LAST_SESSION_MS = 90 * 24 * 3_600_000;

interface RowRange {
  readonly from: number;
  readonly to: number;
}

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
    switch (laid?.kind) {
      case undefined:
        return null;
      case 'codes':
        return codedColumn(pickCodes(laid.codes, places.of(rows)), laid.dictionary);
      case 'numbers':
        return codedColumn(places.of(rows), laid.dictionary);
      case 'times':
        return timesAt(laid.values, places.of(rows));
    }
  }

  placesOf(rows: SegmentRows): Uint32Array {
    return this.#placesOf('session').of(rows);
  }

  get places(): number {
    return this.#placesOf('session').length;
  }

  reach(name: SessionField): Reach {
    if (isSessionNumber(name)) return 'all';
    const made = new Map();
    return joinReaches(
      this.#rangesFrom(shownRange(this.#context.plan).from).map(({ segment, range }) =>
        reachIn(new EventRows(segment, this.#context, made), range, attributeOf(name)),
      ),
    );
  }

  byPlace(name: SessionField): FieldColumn | null {
    const places = this.#placesOf('session');
    const laid = this.#lay({ kind: 'session', name }, places);
    switch (laid?.kind) {
      case undefined:
        return null;
      case 'codes':
        return codedColumn(laid.codes, laid.dictionary);
      case 'numbers':
        return codedColumn(firstPlaces(places.length), laid.dictionary);
      case 'times':
        return timesAt(laid.values, firstPlaces(places.length));
    }
  }

  #lay({ kind, name }: SessionFieldRef, places: Places): Laid | null {
    const key = `${kind} ${name}`;
    const known = this.#laid.get(key);
    if (known !== undefined) return known;
    const column = name === 'event_count' ? countsOf(places.set) : places.set.column(name);
    let laid: Laid | null;
    if (column.kind === 'codes') {
      const { dictionary } = column;
      laid =
        dictionary === null ? null : { kind: 'codes', codes: places.codes(column.codes, dictionary.size), dictionary };
    } else {
      const values = places.numbers(column.values);
      // The text of a time depends on the query's zone, which a dictionary does not have.
      laid = column.times ? { kind: 'times', values } : { kind: 'numbers', dictionary: new NumberDictionary(values) };
    }
    this.#laid.set(key, laid);
    return laid;
  }

  #placesOf(kind: SessionFieldRef['kind']): Places {
    const known = this.#places.get(kind);
    if (known !== undefined) return known;
    const { from, to } = shownRange(this.#context.plan);
    const made =
      kind === 'session'
        ? new CodePlaces(this.#form('session', from), this.#context)
        : new PersonPlaces(this.#form('person', to - LAST_SESSION_MS), this.#context);
    this.#places.set(kind, made);
    return made;
  }

  /** The sessions of all events from `from` to the end of the plan's range. */
  #form(forming: Forming, from: number): SessionSet {
    const context = this.#context;
    const set = new SessionSet(context);
    const options = { forming, context, parameters: new UrlParameters(context), made: new Map() };
    for (const { segment, range } of this.#rangesFrom(from)) {
      context.checkpoint();
      set.add(new SegmentSessions(segment, positionsIn(segment, range), options));
    }
    return set;
  }

  /** The segments with events from `from` to the end of the plan's range, and which of their rows these are. */
  #rangesFrom(from: number): { readonly segment: Segment; readonly range: RowRange }[] {
    const { plan, snapshot, reader } = this.#context;
    const { to } = plan.range;
    return inRange(snapshot.segments, from, to).map(({ id }) => {
      const segment = reader.segment(id);
      return { segment, range: { from: segment.rowAt(from), to: segment.rowAt(to) } };
    });
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
