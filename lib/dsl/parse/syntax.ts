/**
 * The syntax tree of a query: what was written, not yet what it means. Readonly tagged unions; every part that an error may
 * point at has its span. Names of fields and columns are not checked yet.
 */
import type { MetricName } from '../plan/metrics.ts';
import type { Duration, TimeUnit } from '../time/units.ts';

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

/** `name` is the field with its quotes resolved, `text` as typed. */
export interface FieldRef extends Span {
  readonly name: string;
  readonly text: string;
}

export interface StringRef extends Span {
  readonly value: string;
}

export interface FunnelStep {
  readonly event: EventRef;
  readonly where: ConditionNode | null;
}

export type Source = Span &
  (
    | { readonly kind: 'events'; readonly event: EventRef }
    | { readonly kind: 'funnel'; readonly steps: readonly FunnelStep[]; readonly exclude: readonly EventRef[] }
    | { readonly kind: 'retention'; readonly event: EventRef; readonly returning: EventRef | null }
    | { readonly kind: 'paths'; readonly direction: 'from' | 'to'; readonly event: EventRef }
    | { readonly kind: 'lifecycle' | 'stickiness'; readonly event: EventRef }
    | { readonly kind: 'user'; readonly id: StringRef }
    | { readonly kind: 'users' | 'sessions' | 'fields' }
    | { readonly kind: 'inspect'; readonly event: EventRef }
    | { readonly kind: 'formula'; readonly expression: ExpressionNode }
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
    | { readonly kind: 'range'; readonly range: RangeNode }
    | { readonly kind: 'metrics'; readonly metrics: readonly MetricNode[]; readonly by: ByNode | null }
    | { readonly kind: 'by'; readonly by: ByNode }
    | { readonly kind: 'list' }
    | { readonly kind: 'latest'; readonly field: FieldRef; readonly per: FieldRef | null }
    | { readonly kind: 'sort'; readonly column: ColumnRef; readonly direction: 'asc' | 'desc' | null }
    | { readonly kind: 'top' | 'limit' | 'offset' | 'depth'; readonly count: number }
    | { readonly kind: 'window'; readonly duration: Duration }
    | { readonly kind: 'tz'; readonly zone: StringRef }
    | { readonly kind: 'results'; readonly event: EventRef }
    | { readonly kind: 'unit'; readonly field: FieldRef }
  );

export type StageKind = Stage['kind'];

/** The span covers the word `by`. */
export interface ByNode extends Span {
  readonly groups: readonly GroupNode[];
}

export type GroupNode =
  | (Span & { readonly kind: 'bucket'; readonly unit: TimeUnit; readonly text: string })
  | (FieldRef & { readonly kind: 'field' });

/** `word` is the metric's name in lower case: `p95`. Only `percentile` has `p`. The span covers the word. */
export interface MetricNode extends Span {
  readonly name: MetricName;
  readonly word: string;
  readonly p: number | null;
  readonly field: FieldRef | null;
}

/** A column as the answer prints it: `count`, `sum(event_properties.amount)`. */
export interface ColumnRef extends Span {
  readonly text: string;
}

export type Comparison = '=' | '!=' | '>' | '>=' | '<' | '<=';

/** `operators[i]` is the position of the word between term i and term i + 1. */
export type ConditionNode =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly ConditionNode[]; readonly operators: readonly number[] }
  | { readonly kind: 'not'; readonly term: ConditionNode; readonly at: number }
  | { readonly kind: 'compare'; readonly field: FieldRef; readonly op: Comparison; readonly literal: LiteralNode }
  | { readonly kind: 'contains' | 'matches'; readonly field: FieldRef; readonly negated: boolean; readonly literal: LiteralNode }
  | { readonly kind: 'in'; readonly field: FieldRef; readonly negated: boolean; readonly literals: readonly LiteralNode[] }
  | { readonly kind: 'exists'; readonly field: FieldRef; readonly negated: boolean }; // prettier-ignore

export type LiteralNode = Span &
  (
    | { readonly type: 'string'; readonly value: string }
    | { readonly type: 'number'; readonly value: number }
    | { readonly type: 'boolean'; readonly value: boolean }
    | { readonly type: 'null' }
  );

export type ExpressionNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'operand'; readonly event: EventRef; readonly metric: MetricNode; readonly text: string }
  | { readonly kind: 'negate'; readonly term: ExpressionNode }
  | {
      readonly kind: 'binary';
      readonly op: '+' | '-' | '*' | '/';
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    };
