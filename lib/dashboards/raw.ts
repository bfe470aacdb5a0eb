/** Parts of a dashboard as the file has them. A part is sound if it fits its schema, whatever is wrong with the others. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CardOptions, InputCheck, CardKind, Viz } from './dashboard.ts';
import { CARD_SCHEMA, ROOT_SCHEMA, VARIABLE_SCHEMA } from './schema.ts';

export type RawScalar = string | number | boolean;

export interface RawDashboard {
  readonly id?: string;
  readonly title: string;
  readonly description?: string;
  readonly order?: number;
}

export type RawOption = RawScalar | { readonly value: RawScalar; readonly label?: string; readonly fragment?: string };

export interface RawSelect {
  readonly name: string;
  readonly kind: 'select';
  readonly label?: string;
  readonly default?: RawScalar;
  readonly options?: readonly RawOption[];
  readonly query?: string;
  readonly column?: string;
  readonly any?: string;
  readonly fragment?: string;
}

export interface RawInput {
  readonly name: string;
  readonly kind: 'input';
  readonly label?: string;
  readonly default: RawScalar;
  readonly type?: 'text' | 'number';
  readonly check?: InputCheck;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly placeholder?: string;
  readonly optional?: boolean;
  readonly fragment?: string;
}

export interface RawCohort {
  readonly name: string;
  readonly kind: 'cohort';
  readonly label?: string;
  readonly default?: string;
  readonly any?: string;
  readonly fragment?: string;
}

export interface RawRange {
  readonly name: string;
  readonly kind: 'range';
  readonly label?: string;
  readonly default?: string;
  readonly presets?: readonly (string | { readonly value: string; readonly label?: string })[];
}

export type RawVariable = RawSelect | RawInput | RawCohort | RawRange;

export interface RawCard {
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly kind: CardKind;
  readonly viz?: Viz;
  readonly query?: string;
  readonly queries?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly limit?: number;
  readonly layout?: { readonly x?: number; readonly w?: number; readonly h?: number };
  readonly options?: {
    readonly [Name in Exclude<keyof CardOptions, 'y' | 'goal'>]?: NonNullable<CardOptions[Name]>;
  } & {
    readonly y?: string | readonly string[];
    readonly goal?: number | { readonly value: number; readonly label?: string };
  };
}

const ajv = new Ajv2020({ discriminator: true, strict: false, strictNumbers: true });

export const isRaw = ajv.compile<RawDashboard>(ROOT_SCHEMA);
export const soundVariable = ajv.compile<RawVariable>(VARIABLE_SCHEMA);
export const soundCard = ajv.compile<RawCard>(CARD_SCHEMA);

/** A list of the file; empty if there is something else. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const found = memberOf(value, key);
  return Array.isArray(found) ? found : [];
}

/** A text of the file; null if there is something else. */
export function textIn(value: unknown, key: string): string | null {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : null;
}

/** The value under a key of a map in the file. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
