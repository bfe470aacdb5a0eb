/**
 * A dashboard after its YAML was read and checked: plain data that is stored, sent to pages and kept in exports. Defaults are
 * filled in; nothing in it needs checking again.
 */
import { DAY_MS } from '../base/day.ts';

export interface Dashboard {
  readonly version: 1;
  /** Names it in URLs and in the store; null: the file gives none, so it cannot be stored. */
  readonly id: string | null;
  readonly title: string;
  readonly description: string | null;
  /** Position in a list of dashboards: lower first, those without one last, then by title. */
  readonly order: number | null;
  /** How often a page queries again, ms; null: only on demand. */
  readonly refreshMs: number | null;
  /** IANA name of the queries' time zone; null: the project's. */
  readonly timezone: string | null;
  readonly variables: readonly Variable[];
  readonly sections: readonly Section[];
  /** What happened when, by time; left out: nothing. */
  readonly annotations?: readonly Annotation[];
  /** Names of the cohorts in its queries, with the default values or another option: these cannot be deleted. Left out: none. */
  readonly cohorts?: readonly string[];
}

export interface Annotation {
  /** In the queries' zone, to the minute: `2026-11-20T00:00`; or a moment, of the project's own: `2026-11-20T14:30:00.000Z`. */
  readonly at: string;
  readonly text: string;
}

/** The longest interval: browsers take one of 25 days or more for none at all, and would query without a pause. */
export const MAX_REFRESH_MS = DAY_MS;

export interface Section {
  readonly title: string | null;
  readonly description: string | null;
  readonly cards: readonly Card[];
}

/** What a card is about; its queries have the source of that kind. */
export const CARD_KINDS = [
  'metric', 'chart', 'table', 'events', 'funnel', 'retention', 'journey', 'sessions', 'lifecycle', 'stickiness', 'users',
  'experiment', 'inspect', 'markdown',
] as const; // prettier-ignore

export type CardKind = (typeof CARD_KINDS)[number];

/** How a card is drawn. */
export const VIZ = [
  'number', 'line', 'area', 'bar', 'pie', 'table', 'events', 'funnel', 'retention', 'path', 'lifecycle', 'histogram',
  'facts', 'markdown',
] as const; // prettier-ignore

export type Viz = (typeof VIZ)[number];

/** The pictures that a kind may have; the first is the default. */
export const VIZ_OF_KIND: Readonly<Record<CardKind, readonly [Viz, ...Viz[]]>> = {
  metric: ['number'],
  chart: ['line', 'area', 'bar', 'pie', 'histogram', 'table'],
  table: ['table'],
  events: ['events', 'table'],
  funnel: ['funnel', 'bar', 'table'],
  retention: ['retention', 'line', 'table'],
  journey: ['path', 'table'],
  sessions: ['table', 'number', 'line', 'area', 'bar', 'pie', 'histogram'],
  lifecycle: ['lifecycle', 'table'],
  stickiness: ['bar', 'histogram', 'line', 'table'],
  users: ['table', 'facts', 'number', 'line', 'area', 'bar', 'pie', 'histogram'],
  experiment: ['table', 'bar'],
  inspect: ['table', 'bar'],
  markdown: ['markdown'],
};

export interface Card {
  /** Unique in the dashboard. */
  readonly id: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly kind: CardKind;
  readonly viz: Viz;
  /** Empty for markdown. The one that the file gives as `query` is named `query`. */
  readonly queries: readonly CardQuery[];
  /** Markdown as written; null for all other kinds. */
  readonly text: string | null;
  /** Rows that each query may return, 1 to 10,000. */
  readonly limit: number;
  readonly layout: Layout;
  readonly options: CardOptions;
}

export interface CardQuery {
  readonly name: string;
  readonly template: Template;
}

/** On a grid of 12 columns; the page decides how high its rows are. */
export interface Layout {
  /** First column, 0 to 11; null: the next free one. */
  readonly x: number | null;
  /** Columns, 1 to 12; x + w is at most 12. */
  readonly w: number;
  /** Rows, 1 to 12. */
  readonly h: number;
}

export const FORMATS = ['number', 'integer', 'compact', 'percent', 'currency', 'duration'] as const;

export type NumberFormat = (typeof FORMATS)[number];

/** Names are columns of the answer. null: chosen by the columns' roles. */
export interface CardOptions {
  readonly x: string | null;
  readonly y: readonly string[] | null;
  /** The column whose values each get a line or a bar. */
  readonly series: string | null;
  /** The number is `part` divided by `whole`: columns of the only query, or names of queries (then the first metric of each). */
  readonly ratio: { readonly part: string; readonly whole: string } | null;
  /** null: by the column's type. `percent` takes 0 to 1, `duration` seconds. */
  readonly format: NumberFormat | null;
  /** ISO 4217 code; only with format `currency`. */
  readonly currency: string | null;
  readonly goal: { readonly value: number; readonly label: string | null } | null;
  /** Whether it is compared with the period before: numbers, and lines and areas over time. */
  readonly compare: boolean;
  /** Which change is an improvement. Left out: neither. */
  readonly better?: 'up' | 'down';
  /** Below a number: the query whose first metric is drawn as a small line. Left out: none. */
  readonly sparkline?: string;
  readonly stacked: boolean;
  /** Names of columns as people read them. Left out: all have their own. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A query, or a part of one, with holes for variables. The language's own printer prints the values; they are never spliced. */
export type Template = readonly TemplatePart[];

/** `value` is the hole in a fragment for the chosen value. */
export type TemplatePart = { readonly text: string } | { readonly variable: string } | { readonly value: true };

interface VariableBase {
  readonly name: string;
  readonly label: string;
  /** As in URLs and after `--var name=`. */
  readonly default: string;
}

/** Values come in as texts. '' means "any" if there is a label for it: its fragment is empty. */
export type Variable =
  | (VariableBase & {
      readonly kind: 'select';
      readonly options: readonly SelectOption[];
      /** More options: the first column of this query's answer, or the named column. Any text is then a valid value. */
      readonly source: { readonly template: Template; readonly column: string | null } | null;
      /** Label of the option ''; null: there is no such option. */
      readonly any: string | null;
      /** Fragment for values without their own; null: the value itself. */
      readonly fragment: Template | null;
    })
  | (VariableBase & {
      readonly kind: 'input';
      readonly type: 'text' | 'number';
      /** What the text must be. There are no patterns, since one that backtracks could block a page for ever. */
      readonly check: InputCheck;
      readonly maxLength: number;
      readonly min: number | null;
      readonly max: number | null;
      readonly placeholder: string | null;
      /** A blank input counts as none, and its fragment is empty; only with a fragment. */
      readonly optional: boolean;
      readonly fragment: Template | null;
    })
  | (VariableBase & {
      /** The name of a cohort of the project: any that could be one is a valid value. */
      readonly kind: 'cohort';
      /** Label of the option ''; null: there is no such option. */
      readonly any: string | null;
      /** null: the name in quotes. */
      readonly fragment: Template | null;
    })
  | (VariableBase & {
      readonly kind: 'range';
      /** Values such as `last 30d`, `this month`, `2026-01-01..2026-01-31` (days, both included). */
      readonly presets: readonly { readonly value: string; readonly label: string }[];
    });

export const INPUT_CHECKS = ['any', 'word', 'email', 'domain', 'uuid', 'date'] as const;

export type InputCheck = (typeof INPUT_CHECKS)[number];

export interface SelectOption {
  /** Unique in the variable. */
  readonly value: string;
  readonly label: string;
  /** How the value is printed in a query. */
  readonly type: 'string' | 'number' | 'boolean';
  /** The author's own text in place of the value. */
  readonly fragment: string | null;
}

/** The value of each variable. */
export type Values = Readonly<Record<string, string>>;
