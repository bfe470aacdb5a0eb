/**
 * The plan of a query: what to compute, complete and resolved (range, zone, fields, limits). Plain JSON data, so that it
 * crosses threads, is printed by `explain`, is cached, and can be lowered to SQL. Equal plans on equal data give equal tables.
 */
import type { Hides } from './hides.ts';
import type { AttributionModel } from './attribution.ts';
import type { CoreField, EnrichedField, ProfileField, SessionField } from './field-names.ts';
import type { MetricName } from './metrics.ts';
import type { FormulaNode } from './formula-node.ts';
import type { Onward } from './onward.ts';
import type { Cell } from './table.ts';
import type { CalendarPart } from '../time/calendar-parts.ts';
import type { CohortUnit, Duration, TimeRange, TimeUnit } from '../time/units.ts';
import type { Rolling } from '../time/windows.ts';

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
    }
  /** A number computed of those that `fields` are or spell; null where one is none, and where it is not finite. */
  | { readonly kind: 'arithmetic'; readonly expression: FormulaNode; readonly fields: readonly Field[] }
  /** `in` where the row's person meets the condition of the saved cohort, else `out`. Only groups are of it. */
  | { readonly kind: 'cohort'; readonly name: string; readonly condition: Condition }
  /** How many such events the row's person has in the span. */
  | { readonly kind: 'did'; readonly event: EventName; readonly where: Condition | null; readonly span: DidSpan };

/** Relative to the query's range, since that is another one where answers are compared. `asked`: that range. */
export type DidSpan =
  | { readonly kind: 'asked' | 'all' }
  | { readonly kind: 'last'; readonly duration: Duration }
  | { readonly kind: 'range'; readonly range: TimeRange }
  /** From the person's first event of this name in the query's range on. */
  | { readonly kind: 'within'; readonly duration: Duration; readonly of: EventName };

/** A literal as compared. A `time` is compared with a time field: milliseconds since the epoch. */
export type PlanLiteral =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly value: number; /** Of a whole number beyond 2^53. */ readonly digits?: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'time'; readonly value: number };

/** A test of one value; false where the field is missing. Negations (`!=`, `not in`, `!~`) are `not` around it; `= null` is not exists. */
export type Test =
  | { readonly op: 'exists' }
  | { readonly op: 'equals'; readonly literal: PlanLiteral }
  | { readonly op: 'in'; readonly literals: readonly PlanLiteral[] }
  | { readonly op: 'compare'; readonly sign: '>' | '>=' | '<' | '<='; readonly literal: PlanLiteral } // string, number or time
  | { readonly op: 'contains' | 'starts with' | 'ends with'; readonly text: string }
  | { readonly op: 'has'; readonly literal: PlanLiteral } // of an element of an array, or of any other value
  | { readonly op: 'matches'; readonly pattern: string }; // RE2 syntax, searched

/** @template F What is tested: fields of rows, or columns of an answer. */
export type ConditionOn<F> =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly ConditionOn<F>[] }
  | { readonly kind: 'not'; readonly term: ConditionOn<F> }
  | { readonly kind: 'test'; readonly field: F; readonly test: Test }
  | { readonly kind: 'constant'; readonly value: boolean };

export type Condition = ConditionOn<Field>;

/** A group of an answer. `column` is its name as typed. A bucket or a part divides the source's own time (events: `time`). */
export type Group =
  | { readonly kind: 'bucket'; readonly unit: TimeUnit; readonly column: string }
  | { readonly kind: 'part'; readonly part: CalendarPart; readonly column: string }
  | FieldGroup;

/** `bin`: its numbers, by bins of this width. `each`: a row for each distinct element of an array. */
export interface FieldGroup {
  readonly kind: 'field';
  readonly field: Field;
  readonly column: string;
  readonly bin?: number;
  readonly each?: true;
}

/** What the first event of a person has. */
export type GroupOfPerson = Exclude<Group, { readonly kind: 'bucket' }>;

/** The name of its column, and which rows it is over; without `where` all. Groups are formed by all rows either way. */
interface MetricBase {
  readonly column: string;
  readonly where?: Condition;
}

type MetricOfField<Name> = Name extends MetricName
  ? MetricBase & { readonly kind: Name; readonly field: Field }
  : never;

/** A metric of rows, with the name of its column. A median is percentile 50. */
export type RowMetric =
  | (MetricBase & { readonly kind: 'count' })
  | MetricOfField<Exclude<MetricName, 'count' | 'median' | 'percentile'>>
  | (MetricOfField<'percentile'> & { readonly p: number });

/** What becomes of the values of a metric, one for each value of `field`; rows that lack it are left out. */
export interface PerMetric {
  readonly kind: 'per';
  readonly aggregate: Exclude<MetricName, 'count' | 'unique' | 'mode' | 'median'>;
  /** Of a percentile. */
  readonly p: number | null;
  readonly of: RowMetric;
  readonly field: Field;
  readonly column: string;
  readonly where?: never; // `of` has it
}

export type Metric = RowMetric | PerMetric;

/** A metric whose value follows from a sum and a number of events. */
export type CellMetric = RowMetric & { readonly kind: 'count' | 'sum' | 'avg' };

/** Which events: one name, or null for any. */
export type EventName = string | null;

/**
 * The order of rows. `sort`: by the answer's column at that index, ties in default order; `top`: by the first metric descending,
 * then all groups ascending.
 */
export type Order =
  | { readonly kind: 'default' }
  | { readonly kind: 'none' } // for what needs no order
  | { readonly kind: 'sort'; readonly column: number; readonly descending: boolean }
  | { readonly kind: 'top' };

/** A stage that works on the rows of the answer, whatever the source. Columns are named by their index before the stage. */
export type TableStage =
  /** Adds to each of the metrics its value over an earlier range, and its change. */
  | {
      readonly kind: 'compare';
      readonly range: TimeRange;
      readonly metrics: readonly number[];
      /** What was found there; left out until then. */
      readonly earlier?: readonly (readonly Cell[])[];
    }
  /** Adds to a metric its share of all rows, or of those of the same time bucket. */
  | { readonly kind: 'share'; readonly metric: number }
  /** Keeps the rows whose cells pass. */
  | { readonly kind: 'having'; readonly condition: ConditionOn<number> };

/** Of whom the rows are in place of the answer: `nth` is the step (from 1), the period, or the number of days. */
export interface People {
  readonly which:
    | 'counted'
    | 'reached' | 'dropped'
    | 'returned' | 'lost'
    | 'new' | 'returning' | 'resurrected' | 'dormant'
    | 'active'; // prettier-ignore
  readonly nth: number;
}

/** What every plan has. Rows pass through `tableStages`, are ordered, `offset` of them skipped and `limit` kept (stages), then the request's page is cut. */
interface PlanBase {
  readonly zone: string; // IANA name or UTC
  readonly range: TimeRange;
  readonly now: number; // when the query arrived and 1 ms, since the epoch: sessions have no events from then on
  readonly where: Condition | null; // on every event the source reads
  readonly leavesOutBots?: true; // by `where`, as the project wants; the notes say how many
  readonly people?: People;
  /** In the order in which they run, after every row is there and before any is left out. */
  readonly tableStages: readonly TableStage[];
  readonly order: Order;
  readonly offset: number;
  readonly limit: number | null;
  readonly page: { readonly limit: number; readonly offset: number };
  /** Whoever asks sees no personal data; left out: everything may be seen. */
  readonly hides?: Hides;
}

/** Metrics over events, grouped. `person`: only events whose distinct_id is this text (`user "id"`). */
export interface AggregatePlan extends PlanBase {
  readonly kind: 'aggregate';
  readonly event: EventName;
  readonly person: string | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
  readonly rolling?: Rolling;
}

/** A field of rows, with the name of its column as typed. Hidden ones come last: rows are sorted by them, and no column shows them. */
export interface ListedField {
  readonly field: Field;
  readonly column: string;
  readonly hidden?: true;
}

/** Events as rows. `fields`: these columns alone. `arrivals`: which of all these are in the answer, in place of rows. */
export interface ListPlan extends PlanBase {
  readonly kind: 'list';
  readonly fields?: readonly ListedField[];
  readonly arrivals?: true;
  readonly event: EventName;
  readonly person: string | null;
  readonly onward?: Onward;
}

/** The newest value of `field` of each entity; `asOf`: at the end of each such bucket, by which the first group divides them. `whereRows` filters them. Metrics, if any, are over those rows. */
export interface LatestPlan extends PlanBase {
  readonly kind: 'latest';
  readonly event: EventName;
  readonly person: string | null;
  readonly field: Field;
  readonly entity: Field;
  readonly asOf: TimeUnit | null;
  readonly whereRows: Condition | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[]; // empty: the rows themselves
}

/** Profiles last seen in the range. Without metrics: the rows themselves, of `fields` alone. */
export interface UsersPlan extends PlanBase {
  readonly kind: 'users';
  readonly fields?: readonly ListedField[];
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
  readonly rolling?: Rolling;
}

/**
 * An expression over metrics of events. An operand's `metric.column` is its text as written; equal ones are one operand. A group
 * is one of any operand's events.
 */
export interface FormulaPlan extends PlanBase {
  readonly kind: 'formula';
  readonly groups: readonly Group[];
  readonly operands: readonly { readonly event: EventName; readonly metric: RowMetric }[];
  readonly expression: FormulaNode;
  readonly rolling?: Rolling;
}

export interface FieldsPlan extends PlanBase {
  readonly kind: 'fields';
}

/** `inspect *` (event null) lists events; `inspect e` lists the fields of one. */
export interface InspectPlan extends PlanBase {
  readonly kind: 'inspect';
  readonly event: EventName;
}

/** A step is one of several events. */
export interface PlanStep {
  readonly events: readonly EventName[];
  readonly where: Condition | null;
}

/** A metric of the time since the step before. */
export interface StepTime {
  readonly kind: Exclude<MetricName, 'count' | 'unique' | 'mode' | 'median'>;
  /** Of a percentile. */ readonly p: number | null;
  readonly column: string;
}

/**
 * `strict`: nothing else happens between steps. `any`: steps are filled in whatever order. `same`: the steps of an attempt have
 * the start's value of it. `unit`: whose steps they are; null: a person's.
 */
export interface FunnelPlan extends PlanBase {
  readonly kind: 'funnel';
  readonly steps: readonly PlanStep[];
  readonly stepOrder: 'given' | 'strict' | 'any';
  readonly same: Field | null;
  readonly unit: Field | null;
  readonly times: readonly StepTime[];
  readonly exclude: readonly EventName[];
  readonly window: Duration;
  readonly groups: readonly Group[];
}

/**
 * `returning` null means any event. Without a metric, cells are numbers of persons; with one, that metric over the returning
 * events of the cohort's persons in the period.
 */
export interface RetentionPlan extends PlanBase {
  readonly kind: 'retention';
  readonly event: EventName;
  /** Whether a cohort's persons are those whose first such event of all stored ones lies in the range. */
  readonly first: boolean;
  readonly returning: EventName;
  /** The last period; null: the range's, but at most 12. */
  readonly periods: number | null;
  /** A period counts who returned in it or later in the range. */
  readonly unbounded: boolean;
  readonly metrics: readonly CellMetric[]; // at most one
  /** The metric is over all periods up to each. */
  readonly cumulative: boolean;
  readonly unit: CohortUnit;
  readonly groups: readonly GroupOfPerson[];
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
 * `where` has the conditions on events, `whereRows` those on session.*. Without metrics: sessions, avg_duration, avg_events,
 * bounce_rate.
 */
export interface SessionsPlan extends PlanBase {
  readonly kind: 'sessions';
  readonly whereRows: Condition | null;
  readonly groups: readonly Group[];
  readonly metrics: readonly Metric[];
  readonly rolling?: Rolling;
}

export interface LifecyclePlan extends PlanBase {
  readonly kind: 'lifecycle';
  readonly event: EventName;
  readonly unit: CohortUnit;
  readonly column: string;
}

export interface StickinessPlan extends PlanBase {
  readonly kind: 'stickiness';
  readonly event: EventName;
}

/** A number of each person: the sum over some events, or the mean. */
export type PersonMetric = MetricOfField<'sum' | 'avg'>;

/**
 * `choice k | results e`. (`choice k` alone is an aggregate over choice.exposure.) Without a metric, who converts; with one, that
 * number of each person over the events `conversion`. Groups are of the exposure that counts.
 */
export interface ChoicePlan extends PlanBase {
  readonly kind: 'choice';
  readonly choice: string;
  readonly conversion: EventName;
  readonly metrics: readonly PersonMetric[]; // at most one
  readonly groups: readonly Group[];
  readonly unit: Field; // distinct_id without `unit`
  readonly window: Duration;
}

/**
 * The credit of each conversion in the range goes to values of a field: of the person's events with one, its touches, from `window`
 * before it to it. Of a field of sessions only their first events are touches.
 */
export interface AttributionPlan extends PlanBase {
  readonly kind: 'attribution';
  readonly conversion: EventName;
  readonly groups: readonly FieldGroup[]; // one
  readonly model: AttributionModel;
  readonly window: Duration;
  readonly metrics: readonly (RowMetric & { readonly kind: 'sum' })[]; // at most one, whose values are divided as the credit is
}

/**
 * Which persons have so many events of `event` that meet `where` that the test holds: what a condition `did` asks. No query is one by
 * itself. `within`: only events from the person's first `of` among `starts` on count, for so long.
 */
export interface DidPlan extends PlanBase {
  readonly kind: 'did';
  readonly event: EventName;
  readonly test: Test;
  readonly within: { readonly duration: Duration; readonly of: EventName; readonly starts: TimeRange } | null;
}

/** A page of a project's profiles, or of the devices that are bound to somebody, in order of their ids: for exports. */
export interface IdentitiesPlan extends PlanBase {
  readonly kind: 'identities';
  readonly of: 'profiles' | 'bindings';
  /** The id behind which the page begins; '': with the first one. */
  readonly after: string;
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
  | ChoicePlan
  | AttributionPlan
  | DidPlan
  | IdentitiesPlan;
