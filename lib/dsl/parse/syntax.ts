/**
 * The syntax tree of a query: what was written, not yet what it means. Readonly tagged unions; every part that an error may
 * point at has its span. Names of fields and columns are not checked yet.
 */
import type { AttributionModel } from '../plan/attribution.ts';
import type { MetricName } from '../plan/metrics.ts';
import type { CalendarPart } from '../time/calendar-parts.ts';
import type { WeekStart } from '../../base/project.ts';
import type { Duration, TimeUnit, AsOfUnit } from '../time/units.ts';

/** Offsets in UTF-16 units of the query; `end` is one past the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Query {
  readonly source: Source;
  readonly stages: readonly Stage[];
}

/** An event by name, or null for `*`. */
export interface EventRef extends Span {
  readonly name: string | null;
}

/** `name` is the field with its quotes resolved, `text` as typed. With `arithmetic` it is computed, and both are the text. */
export interface FieldRef extends Span {
  readonly name: string;
  readonly text: string;
  readonly arithmetic?: ExpressionNode<FieldNode>;
}

/** A field in arithmetic. */
export type FieldNode = FieldRef & { readonly kind: 'field' };

export interface StringRef extends Span {
  readonly value: string;
}

export interface FunnelStep {
  /** One of these. */
  readonly events: readonly EventRef[];
  readonly where: ConditionNode | null;
}

export type Source = Span &
  (
    | { readonly kind: 'events'; readonly event: EventRef }
    | { readonly kind: 'funnel'; readonly steps: readonly FunnelStep[]; readonly exclude: readonly EventRef[] }
    | {
        readonly kind: 'retention';
        readonly event: EventRef;
        /** Only the first one ever of a person starts a cohort. */ readonly first: boolean;
        readonly returning: EventRef | null;
      }
    | { readonly kind: 'paths'; readonly direction: 'from' | 'to'; readonly event: EventRef }
    | { readonly kind: 'lifecycle' | 'stickiness'; readonly event: EventRef }
    | { readonly kind: 'attribution'; readonly event: EventRef }
    | { readonly kind: 'user'; readonly id: StringRef }
    | { readonly kind: 'users' | 'sessions' | 'fields' }
    | { readonly kind: 'inspect'; readonly event: EventRef }
    | { readonly kind: 'formula'; readonly expression: ExpressionNode<OperandNode> }
    | { readonly kind: 'choice'; readonly key: StringRef }
  );

export type SourceKind = Source['kind'];

/** A moment as written: `2026-01-31T10:00+02:00`, bare or in quotes. */
export interface WhenNode extends Span {
  readonly text: string;
}

export type RangeNode =
  | { readonly kind: 'last'; readonly duration: Duration }
  | { readonly kind: 'from'; readonly from: WhenNode; readonly to: WhenNode | null }
  | { readonly kind: 'all' }
  | { readonly kind: 'today' | 'yesterday' }
  | { readonly kind: 'this'; readonly unit: 'week' | 'month' | 'quarter' | 'year' };

/** A stage's span is that of its first word, where errors about the whole stage point. */
export type Stage = Span &
  (
    | { readonly kind: 'where'; readonly condition: ConditionNode }
    /** Its fields are columns of the answer, named as printed. */
    | { readonly kind: 'having'; readonly condition: ConditionNode }
    | { readonly kind: 'share' }
    /** null: with the period before. */
    | { readonly kind: 'compare'; readonly ago: Duration | null }
    | { readonly kind: 'range'; readonly range: RangeNode }
    | { readonly kind: 'metrics'; readonly metrics: readonly MetricNode[]; readonly by: ByNode | null }
    | { readonly kind: 'by'; readonly by: ByNode }
    | { readonly kind: 'list'; readonly fields: readonly FieldRef[] }
    | { readonly kind: 'rolling'; readonly duration: Duration }
    | { readonly kind: 'latest'; readonly field: FieldRef; readonly per: FieldRef | null }
    | {
        readonly kind: 'sort';
        readonly column: ColumnRef;
        /** Arithmetic, by which rows of a list are sorted, in place of a column. */
        readonly computed: FieldRef | null;
        readonly direction: 'asc' | 'desc' | null;
      }
    | { readonly kind: 'top' | 'limit' | 'offset' | 'depth' | 'periods'; readonly count: number }
    | { readonly kind: 'unbounded' | 'cumulative' | 'withBots' }
    | { readonly kind: 'asOf'; readonly unit: AsOfUnit; readonly text: string }
    | { readonly kind: 'order'; readonly steps: 'strict' | 'any' }
    | { readonly kind: 'model'; readonly model: AttributionModel }
    | { readonly kind: 'window'; readonly duration: Duration }
    | { readonly kind: 'tz'; readonly zone: StringRef }
    | { readonly kind: 'weeks'; readonly from: WeekStart }
    | {
        readonly kind: 'results';
        readonly event: EventRef;
        /** A number of each person over these events; null: who does them. */
        readonly metric: { readonly name: 'sum' | 'avg'; readonly field: FieldRef } | null;
      }
    | { readonly kind: 'people'; readonly which: PeopleNode | null }
    | { readonly kind: 'unit' | 'same'; readonly field: FieldRef }
  );

export type StageKind = Stage['kind'];

/** Which of an answer's people. The span is that of the first word. */
export type PeopleNode = Span &
  (
    | { readonly word: 'reached' | 'dropped' | 'returned' | 'lost'; readonly count: number }
    | { readonly word: 'new' | 'returning' | 'resurrected' | 'dormant' }
    /** A number alone: of days. */
    | { readonly word: null; readonly count: number }
  );

/** The span covers the word `by`. */
export interface ByNode extends Span {
  readonly groups: readonly GroupNode[];
}

/** Words of time buckets. */
export type BucketWord = Exclude<TimeUnit, 'sunday_week'>;

/** `text`: as typed, which names the column. */
export type GroupNode = Span & { readonly text: string } & (
    | { readonly kind: 'bucket'; readonly unit: BucketWord }
    | { readonly kind: 'part'; readonly part: CalendarPart }
    | CohortNode
    | { readonly kind: 'field'; readonly field: FieldRef; readonly bin?: number; readonly each?: true }
  );

/**
 * `word` is the metric's name in lower case: `p95`. Only `percentile` has `p`. `of`: the metric of whose values it is, per `field`.
 * `text` is all of it as typed, without its alias. The span covers the word.
 */
export interface MetricNode extends Span {
  readonly name: MetricName;
  readonly word: string;
  readonly p: number | null;
  readonly of: MetricNode | null;
  readonly field: FieldRef | null;
  readonly where: ConditionNode | null;
  readonly text: string;
  readonly alias: StringRef | null;
}

/** A column as the answer prints it: `count`, `sum(event_properties.amount)`. */
export interface ColumnRef extends Span {
  readonly text: string;
}

export type Comparison = '=' | '!=' | '>' | '>=' | '<' | '<=';

export type TextOperator = 'contains' | 'starts with' | 'ends with';

/** `operators[i]` is the position of the word between term i and term i + 1. */
export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly ConditionNode[]; readonly operators: readonly number[] }
  | { readonly kind: 'not'; readonly term: ConditionNode; readonly at: number }
  | { readonly kind: 'compare'; readonly field: FieldRef; readonly op: Comparison; readonly literal: LiteralNode }
  | { readonly kind: TextOperator | 'matches'; readonly field: FieldRef; readonly negated: boolean; readonly literal: LiteralNode }
  | { readonly kind: 'has'; readonly field: FieldRef; readonly negated: boolean; readonly literal: LiteralNode }
  | { readonly kind: 'in'; readonly field: FieldRef; readonly negated: boolean; readonly literals: readonly LiteralNode[] }
  | { readonly kind: 'exists'; readonly field: FieldRef; readonly negated: boolean }
  | DidNode
  | (Span & CohortNode); // prettier-ignore

/** The row's person is in the saved cohort of this name. */
export interface CohortNode {
  readonly kind: 'cohort';
  readonly cohort: StringRef;
}

/** A row's person did such an event, so many times; null: at least once. The span covers the word. */
export interface DidNode extends Span {
  readonly kind: 'did';
  readonly event: EventRef;
  readonly where: ConditionNode | null;
  readonly times: { readonly op: Comparison; readonly count: number } | null;
  /** null: in the query's range. */
  readonly in: DidSpanNode | null;
}

export type DidSpanNode =
  | (RangeNode & { readonly kind: 'last' | 'from' | 'all' })
  | { readonly kind: 'within'; readonly duration: Duration; readonly of: EventRef };

export type LiteralNode = Span &
  (
    | { readonly type: 'string'; readonly value: string }
    | {
        readonly type: 'number';
        readonly value: number;
        /** Of a whole number beyond 2^53. */ readonly digits?: string;
      }
    | { readonly type: 'boolean'; readonly value: boolean }
    | { readonly type: 'null' }
  );

/** A metric of an event, as an operand of a formula. */
export interface OperandNode {
  readonly kind: 'operand';
  readonly event: EventRef;
  readonly metric: MetricNode;
  /** Over windows of its own. The span covers the word. */
  readonly rolling?: Span & { readonly duration: Duration };
}

/** `+ - * /` over numbers and operands. */
export type ExpressionNode<Operand> =
  | { readonly kind: 'number'; readonly value: number }
  | Operand
  | { readonly kind: 'negate'; readonly term: ExpressionNode<Operand> }
  | {
      readonly kind: 'binary';
      readonly op: '+' | '-' | '*' | '/';
      readonly left: ExpressionNode<Operand>;
      readonly right: ExpressionNode<Operand>;
    };
