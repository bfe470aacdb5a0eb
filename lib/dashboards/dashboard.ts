/**
 * A dashboard as it is once its YAML was read and checked: plain data that is stored, sent to pages and kept in exports. What
 * the file leaves out is filled in; nothing in it need be checked again.
 */

export interface Dashboard {
  readonly version: 1;
  /** Names it in addresses and in the store; null: the file gives none, and it cannot be stored. */
  readonly id: string | null;
  readonly title: string;
  readonly description: string | null;
  /** Of a list of dashboards: lower first, those without one last, then by title. */
  readonly order: number | null;
  /** How often a page asks anew, ms; null: only when told to. */
  readonly refreshMs: number | null;
  /** IANA name of the zone that the queries count in; null: that of the project. */
  readonly timezone: string | null;
  readonly variables: readonly Variable[];
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string | null;
  readonly description: string | null;
  readonly cards: readonly Card[];
}

/** What a card is about; a query of it has the source that belongs to the kind. */
export const KINDS = [
  'metric', 'chart', 'table', 'events', 'funnel', 'retention', 'journey', 'sessions', 'lifecycle', 'stickiness', 'users',
  'inspect', 'markdown',
] as const; // prettier-ignore

export type Kind = (typeof KINDS)[number];

/** How a card is drawn. */
export const VIZ = [
  'number', 'line', 'area', 'bar', 'pie', 'table', 'events', 'funnel', 'retention', 'path', 'lifecycle', 'histogram',
  'markdown',
] as const; // prettier-ignore

export type Viz = (typeof VIZ)[number];

/** The pictures that a kind may have; the first is drawn where the file names none. */
export const VIZ_OF_KIND: Readonly<Record<Kind, readonly [Viz, ...Viz[]]>> = {
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
  users: ['table', 'number', 'line', 'area', 'bar', 'pie', 'histogram'],
  inspect: ['table', 'bar'],
  markdown: ['markdown'],
};

export interface Card {
  /** Unique in the dashboard. */
  readonly id: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly kind: Kind;
  readonly viz: Viz;
  /** None for markdown. One that the file gives as `query` is named `query`. */
  readonly queries: readonly CardQuery[];
  /** Markdown as written; null for all other kinds. */
  readonly text: string | null;
  /** Rows that each query may answer, 1 to 10,000. */
  readonly limit: number;
  readonly layout: Layout;
  readonly options: CardOptions;
}

export interface CardQuery {
  readonly name: string;
  readonly template: Template;
}

/** On a grid of 12 columns; a row of it is as high as the page has it. */
export interface Layout {
  /** Its first column, 0 to 11; null: the next that is free. */
  readonly x: number | null;
  /** Columns, 1 to 12; x + w is at most 12. */
  readonly w: number;
  /** Rows, 1 to 12. */
  readonly h: number;
}

export const FORMATS = ['number', 'integer', 'compact', 'percent', 'currency', 'duration'] as const;

export type NumberFormat = (typeof FORMATS)[number];

/** Names are columns of the answer. null: chosen by the roles of the columns. */
export interface CardOptions {
  readonly x: string | null;
  readonly y: readonly string[] | null;
  /** The column whose values are a line or a bar of their own each. */
  readonly series: string | null;
  /** The number is `part` divided by `whole`: columns of the one query, or names of queries (then the first metric of each). */
  readonly ratio: { readonly part: string; readonly whole: string } | null;
  /** null: by the type of the column. `percent` takes 0 to 1, `duration` seconds. */
  readonly format: NumberFormat | null;
  /** ISO 4217 code; only with format `currency`. */
  readonly currency: string | null;
  readonly goal: { readonly value: number; readonly label: string | null } | null;
  /** Whether the number is compared with the time before; of numbers only. */
  readonly compare: boolean;
  readonly stacked: boolean;
}

/** A query, or a part of one, with holes for variables. Values are printed by the language's own printer, never spliced. */
export type Template = readonly TemplatePart[];

/** `value` is the hole of a fragment for the value that was chosen. */
export type TemplatePart = { readonly text: string } | { readonly variable: string } | { readonly value: true };

interface VariableBase {
  readonly name: string;
  readonly label: string;
  /** As it stands in addresses and after `--var name=`. */
  readonly default: string;
}

/** Values are texts on the way in. '' is "any" where there is a label for it: its fragment is empty. */
export type Variable =
  | (VariableBase & {
      readonly kind: 'select';
      readonly options: readonly SelectOption[];
      /** More options: the first column of this query's answer, or the column named. Any text is a value then. */
      readonly source: { readonly template: Template; readonly column: string | null } | null;
      /** Label of the option ''; null: there is none. */
      readonly any: string | null;
      /** What stands for values that have no fragment of their own; null: the value itself. */
      readonly fragment: Template | null;
    })
  | (VariableBase & {
      readonly kind: 'input';
      readonly type: 'text' | 'number';
      /** What the text must be. There are no patterns: one that backtracks could hold a page for ever. */
      readonly check: InputCheck;
      readonly maxLength: number;
      readonly min: number | null;
      readonly max: number | null;
      readonly placeholder: string | null;
      /** A blank input is none, and its fragment empty; only with a fragment. */
      readonly optional: boolean;
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
  /** The author's own text in the place of the value. */
  readonly fragment: string | null;
}

/** The value of each variable. */
export type Values = Readonly<Record<string, string>>;
