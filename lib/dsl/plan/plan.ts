/**
 * The plan of a query: what to compute, complete and resolved (range, zone, fields, limits). Plain JSON data, so that it
 * crosses threads, is printed by `explain`, is cached, and can be lowered to SQL. Equal plans on equal data give equal tables.
 */
import type { MetricName } from './metrics.ts';
import type { Duration, TimeRange, TimeUnit } from '../time/units.ts';

export type CoreField = 'event_type' | 'user_id' | 'device_id' | 'session_id' | 'distinct_id' | 'time' | 'insert_id';

export type EnrichedField =
  | '_browser' | '_browser_version' | '_os' | '_os_version' | '_device_type' | '_platform'
  | '_url' | '_path' | '_path_clean' | '_hostname' | '_title' | '_referrer' | '_referrer_domain'
  | '_ip' | '_ua' | '_library' | '_ingest_origin'
  | '_country' | '_region' | '_city' | '_continent' | '_timezone' | '_latitude' | '_longitude'; // prettier-ignore

/** What a profile has besides its properties. `email` is the property of that name, `email_domain` what follows its last @. */
export type ProfileField = 'user_id' | 'email' | 'email_domain' | 'first_seen' | 'last_seen';

export type SessionField =
  | 'start_time' | 'end_time' | 'duration' | 'event_count' | 'first_event' | 'last_event'
  | 'landing_url' | 'landing_path' | 'landing_path_clean' | 'landing_hostname' | 'exit_url' | 'exit_path' | 'exit_path_clean'
  | 'referrer' | 'referring_domain' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_term' | 'utm_content'
  | 'gclid' | 'fbclid' | 'language' | 'timezone' | 'country' | 'region' | 'city' | 'continent' | 'ingest_origin'; // prettier-ignore

/** A field of a row, resolved. `_geo_country` is bound to `_country`; in `choice`, bare `choice_key` to the event property. */
export type Field =
  | { readonly kind: 'core'; readonly name: CoreField }
  | { readonly kind: 'event'; readonly path: string } // event_properties.<path>
  | { readonly kind: 'sent'; readonly path: string } // user_properties.<path>, as sent with the event
  | { readonly kind: 'enriched'; readonly name: EnrichedField }
  | { readonly kind: 'profile'; readonly path: string } // user.<path>
  | { readonly kind: 'account'; readonly name: ProfileField } // user.email …, and bare in `users`
  | { readonly kind: 'session'; readonly name: SessionField }
  | { readonly kind: 'last_session'; readonly name: SessionField }
  | {
      readonly kind: 'latest';
      readonly name: 'entity' | 'last_value' | 'set_at';
      /** Of a last value: it is in seconds. */ readonly seconds?: true;
    };

/** A literal as compared. A `time` is compared with a time field: milliseconds since the epoch. */
export type Literal =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'time'; readonly value: number };

/** A test of one value; false where the field is missing. Negations (`!=`, `not in`, `!~`) are `not` around it; `= null` is not exists. */
export type Test =
  | { readonly op: 'exists' }
  | { readonly op: 'equals'; readonly literal: Literal }
  | { readonly op: 'in'; readonly literals: readonly Literal[] }
  | { readonly op: 'compare'; readonly sign: '>' | '>=' | '<' | '<='; readonly literal: Literal } // string, number or time
  | { readonly op: 'contains'; readonly text: string }
  | { readonly op: 'matches'; readonly pattern: string }; // RE2 syntax, searched

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | { readonly kind: 'test'; readonly field: Field; readonly test: Test }
  | { readonly kind: 'constant'; readonly value: boolean };

/** A group of an answer. `column` is its name as typed. A bucket divides the source's own time (events: `time`). */
export type Group =
  | { readonly kind: 'bucket'; readonly unit: TimeUnit; readonly column: string }
  | { readonly kind: 'field'; readonly field: Field; readonly column: string };

type MetricOfField<Name> = Name extends MetricName
  ? { readonly kind: Name; readonly field: Field; readonly column: string }
  : never;

/** A metric with the name of its column. A median is percentile 50. */
export type Metric =
  | { readonly kind: 'count'; readonly column: string }
  | MetricOfField<Exclude<MetricName, 'count' | 'median' | 'percentile'>>
  | (MetricOfField<'percentile'> & { readonly p: number });

/** Which events: one name, or null for any. */
export type EventName = string | null;

/**
 * The order of rows. `sort`: by the answer's column at that index, ties in default order; `top`: by the first metric descending,
 * then all groups ascending.
 */
export type Order =
  | { readonly kind: 'default' }
  | { readonly kind: 'sort'; readonly column: number; readonly descending: boolean }
  | { readonly kind: 'top' };

/** What every plan has. Rows are ordered, `offset` of them skipped and `limit` kept (stages), then the request's page is cut. */
interface PlanBase {
  readonly zone: string; // IANA name or UTC
  readonly range: TimeRange;
  readonly where: Condition | null; // on every event the source reads
  readonly order: Order;
  readonly offset: number;
  readonly limit: number | null;
  readonly page: { readonly limit: number; readonly offset: number };
}

/** Metrics over events, grouped. `person`: only events whose distinct_id is this text (`user "id"`). */
export interface AggregatePlan extends PlanBase {
  readonly kind: 'aggregate';
  readonly event: EventName;
  readonly person: string | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
}

/** Events as rows. */
export interface ListPlan extends PlanBase {
  readonly kind: 'list';
  readonly event: EventName;
  readonly person: string | null;
}

/** The newest value of `field` of each entity. `having` filters its rows. Metrics, if any, are over those rows. */
export interface LatestPlan extends PlanBase {
  readonly kind: 'latest';
  readonly event: EventName;
  readonly person: string | null;
  readonly field: Field;
  readonly entity: Field;
  readonly having: Condition | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[]; // empty: the rows themselves
}

/** Profiles last seen in the range. Without metrics: the rows themselves. */
export interface UsersPlan extends PlanBase {
  readonly kind: 'users';
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
}

export type FormulaNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'operand'; readonly index: number } // of FormulaPlan.operands
  | { readonly kind: 'negate'; readonly term: FormulaNode }
  | {
      readonly kind: 'binary';
      readonly op: '+' | '-' | '*' | '/';
      readonly left: FormulaNode;
      readonly right: FormulaNode;
    };

/** An expression over metrics of events. An operand's `metric.column` is its text as written; equal ones are one operand. */
export interface FormulaPlan extends PlanBase {
  readonly kind: 'formula';
  readonly bucket: (Group & { readonly kind: 'bucket' }) | null;
  readonly operands: readonly { readonly event: EventName; readonly metric: Metric }[];
  readonly expression: FormulaNode;
}

export interface FieldsPlan extends PlanBase {
  readonly kind: 'fields';
}

/** `inspect *` (event null) lists events; `inspect e` lists the fields of one. */
export interface InspectPlan extends PlanBase {
  readonly kind: 'inspect';
  readonly event: EventName;
}

export interface FunnelPlan extends PlanBase {
  readonly kind: 'funnel';
  readonly steps: readonly { readonly event: EventName; readonly where: Condition | null }[];
  readonly exclude: readonly EventName[];
  readonly window: Duration;
  readonly groups: readonly Group[];
}

/** `returning` null means any event. */
export interface RetentionPlan extends PlanBase {
  readonly kind: 'retention';
  readonly event: EventName;
  readonly returning: EventName;
  readonly unit: 'day' | 'week' | 'month';
  readonly groups: readonly (Group & { readonly kind: 'field' })[];
}

export interface PathsPlan extends PlanBase {
  readonly kind: 'paths';
  readonly direction: 'from' | 'to';
  readonly event: EventName;
  readonly window: Duration;
  readonly depth: number;
  readonly label: Field; // event_type without `by`
}

/**
 * `where` has the conditions on events, `having` those on session.*. Without metrics: sessions, avg_duration, avg_events,
 * bounce_rate.
 */
export interface SessionsPlan extends PlanBase {
  readonly kind: 'sessions';
  readonly having: Condition | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
}

export interface LifecyclePlan extends PlanBase {
  readonly kind: 'lifecycle';
  readonly event: EventName;
  readonly unit: 'day' | 'week' | 'month';
  readonly column: string;
}

export interface StickinessPlan extends PlanBase {
  readonly kind: 'stickiness';
  readonly event: EventName;
}

/** `choice k | results e`. (`choice k` alone is an aggregate over choice.exposure.) */
export interface ChoicePlan extends PlanBase {
  readonly kind: 'choice';
  readonly choice: string;
  readonly conversion: EventName;
  readonly unit: Field; // distinct_id without `unit`
  readonly window: Duration;
}

export type Plan =
  | AggregatePlan
  | ListPlan
  | LatestPlan
  | UsersPlan
  | FormulaPlan
  | FieldsPlan
  | InspectPlan
  | FunnelPlan
  | RetentionPlan
  | PathsPlan
  | SessionsPlan
  | LifecyclePlan
  | StickinessPlan
  | ChoicePlan;
