/** The fields of sessions: what is computed of a session's events, and the values that these columns are. */
import {
  type Attribute,
  attributeOf,
  isSessionNumber,
  type SessionField,
  type SessionNumber,
  unreachable,
  type Zone,
} from '../../../../lib/seam.ts';
import { column } from './profiles.ts';
import { propertyValue } from './properties.ts';
import { name, sql, text, type Sql } from './statement.ts';
import type { Span } from './times.ts';
import { filledColumn, givenValue, textOfNumber, timeValue, type Value } from './values.ts';

/** The order of events. */
const MOMENT = sql`(time, arrival)`;

/** The columns of a query's session fields. They are named by a prefix, so that two kinds of sessions can be joined. */
export class SessionColumns {
  readonly #prefix: 'session' | 'last_session';
  readonly #zone: Zone;
  readonly #span: Span;
  readonly #asked = new Map<SessionField, Sql>();
  #isBegunAsked = false;

  /** @param span Where the sessions' times lie. */
  constructor(prefix: 'session' | 'last_session', zone: Zone, span: Span) {
    this.#prefix = prefix;
    this.#zone = zone;
    this.#span = span;
  }

  get isUsed(): boolean {
    return this.#asked.size > 0 || this.#isBegunAsked;
  }

  /** When the session's first event was, as events are ordered; of an event without a session that of none. */
  get begun(): Sql {
    this.#isBegunAsked = true;
    return sql`session_begun`;
  }

  /** NULL or '' of an event without a session. */
  value(field: SessionField): Value {
    const alias = name(`${this.#prefix}_${field}`);
    this.#asked.set(field, alias);
    if (isSessionNumber(field)) {
      if (field === 'event_count') return numberValue(alias);
      return field === 'duration' ? numberValue(sql`(${alias} / 1000)`) : timeValue(alias, this.#zone, this.#span);
    }
    if (!isProperty(attributeOf(field))) return filledColumn(alias);
    return givenValue({ text: sql`${alias}.1`, number: sql`${alias}.2`, json: sql`${alias}.3` });
  }

  /** The columns that were asked for. */
  get names(): Sql[] {
    return [...this.#asked.values()];
  }

  /** The same over the events of a session, for a SELECT that groups by session. */
  get aggregates(): Sql[] {
    const begun = this.#isBegunAsked ? [sql`min(${MOMENT}) AS session_begun`] : [];
    return [...[...this.#asked].map(([field, alias]) => sql`${ofEvents(field)} AS ${alias}`), ...begun];
  }
}

function ofEvents(field: SessionField): Sql {
  if (isSessionNumber(field)) return NUMBERS[field];
  const attribute = attributeOf(field);
  const isFirst = attribute.side === 'first';
  switch (attribute.of) {
    case 'event_type':
      return isFirst ? sql`argMin(event_type, ${MOMENT})` : sql`argMax(event_type, ${MOMENT})`;
    case 'field': {
      const { field: source } = attribute;
      if (source.kind === 'event') return firstValue(propertyValue('event', source.path));
      const plain = sql`ifNull(${column(source.name)}, '')`; // '' where it is missing
      const which = sql`(${plain}, ${MOMENT}, ${plain} != '')`;
      return isFirst ? sql`argMinIf${which}` : sql`argMaxIf${which}`;
    }
    case 'campaign':
      return firstValue(campaignValue(attribute.name));
    case 'referrer': {
      const isOwn = sql`${column('_hostname')} != '' AND ${column('_referrer_domain')} = ${column('_hostname')}`;
      return sql`argMin(if(${isOwn}, '', ifNull(${column(attribute.field.name)}, '')), ${MOMENT})`;
    }
    default:
      return unreachable(attribute);
  }
}

/** Whether its value may be of any type, and is kept as text, number and JSON. */
const isProperty = (attribute: Attribute): boolean =>
  attribute.of === 'campaign' || (attribute.of === 'field' && attribute.field.kind === 'event');

const NUMBERS: Readonly<Record<SessionNumber, Sql>> = {
  start_time: sql`toNullable(min(time))`,
  end_time: sql`toNullable(max(time))`,
  duration: sql`toNullable(max(time) - min(time))`,
  event_count: sql`toNullable(toFloat64(count()))`,
};

/** A number, NULL where there is none. */
function numberValue(number: Sql): Value {
  const written = textOfNumber(number);
  return givenValue({ text: written, number, json: written });
}

/** Its text, number and JSON. */
const firstValue = (value: Value): Sql =>
  sql`argMinIf((${value.text}, ${value.number}, ${value.json}), ${MOMENT}, ${value.exists})`;

/** The event property of that name, else that parameter of the URL. */
function campaignValue(key: string): Value {
  const sent = propertyValue('event', key);
  const parameter = filledColumn(urlParameter(key));
  const choose = (ours: Sql, theirs: Sql): Sql => sql`if(${sent.exists}, ${ours}, ${theirs})`;
  return {
    ...givenValue({
      text: choose(sent.text, parameter.text),
      number: choose(sent.number, parameter.number),
      json: choose(sent.json, parameter.json),
    }),
    exists: sql`((${sent.exists}) OR (${parameter.exists}))`,
  };
}

/**
 * The first parameter of this name, in any case, of the event's URL as URLSearchParams reads it; '' where there is none. Only an absolute URL
 * has a path or a host.
 */
function urlParameter(key: string): Sql {
  // URLs are read without line ends and tabs.
  const url = sql`replaceRegexpAll(trim(ifNull(${column('_url')}, '')), '[\\t\\r\\n]', '')`;
  const query = sql`extract(${url}, '^[^#?]*[?]([^#]*)')`;
  const decoded = (part: Sql): Sql => sql`toValidUTF8(decodeURLFormComponent(${part}))`;
  const at = sql`position(part, '=')`;
  const isNamed = sql`lower(${decoded(sql`if(${at} = 0, part, substring(part, 1, ${at} - 1))`)}) = ${text(key)}`;
  const found = sql`arrayFirst(part -> ${isNamed}, splitByChar('&', ${query}))`;
  const value = sql`arrayMap(part -> if(${at} = 0, '', ${decoded(sql`substring(part, ${at} + 1)`)}), [${found}])[1]`;
  return sql`if(${column('_path')} != '' OR ${column('_hostname')} != '', ${value}, '')`;
}
