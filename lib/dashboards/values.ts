/** Values of variables, as readers and URLs give them: which are valid, and what replaces missing ones. */
import { COHORT_NAME } from '../base/cohorts.ts';
import { nearest } from '../base/text/nearest.ts';
import { unreachable } from '../base/unreachable.ts';
import type { Dashboard, InputCheck, Values, Variable } from './dashboard.ts';
import { isDay, DAY_MS, utcDay } from '../base/day.ts';
import { MOST_TOLD, shortened } from '../base/text/shown.ts';

/** Longest option that a query found, in UTF-16 units. */
export const MAX_FOUND_LENGTH = 1_000;
const NUMBER = /^[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][+-]?\d{1,3})?$/;

export function defaultValues({ variables }: Dashboard): Values {
  return Object.fromEntries(variables.map((variable) => [variable.name, variable.default]));
}

/** The given values, with defaults for missing and wrong ones; `problems` has a sentence for each wrong one. */
export function readValues(
  dashboard: Dashboard,
  given: Readonly<Record<string, string>>,
): { readonly values: Values; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const values = { ...defaultValues(dashboard) };
  const names = dashboard.variables.map(({ name }) => name);
  for (const [name, value] of Object.entries(given)) {
    const variable = dashboard.variables.find((one) => one.name === name);
    const problem = variable === undefined ? unknownVariable(names, name) : valueProblem(variable, value);
    if (problem === null) values[name] = value;
    else problems.push(problem);
  }
  return { values, problems };
}

export function unknownVariable(names: readonly string[], name: string): string {
  return `there is no variable "${name}"; ${names.length === 0 ? 'the dashboard has none' : nearOf(name, names)}`;
}

/** Which of the names was meant, or the first of them. */
export function nearOf(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant === null
    ? `there are ${names.slice(0, MOST_TOLD).join(', ')}`
    : `did you mean ${JSON.stringify(meant)}?`;
}

export function valueProblem(variable: Variable, value: string): string | null {
  const wrong = wrongValue(variable, value);
  return wrong === null ? null : `${variable.name}: ${wrong}`;
}

function wrongValue(variable: Variable, value: string): string | null {
  switch (variable.kind) {
    case 'range':
      return rangeStage(value) === null
        ? `"${shortened(value)}" is not a range like last 30d, this month, or 2026-01-01..2026-01-31`
        : null;
    case 'select':
      return wrongOption(variable, value);
    case 'cohort':
      if (value === '') return variable.any === null ? 'a cohort must be chosen' : null;
      return COHORT_NAME.test(value) ? null : `"${shortened(value)}" is no name of a cohort`;
    case 'input':
      if (value.trim() === '') return variable.optional ? null : 'it may not be blank';
      return variable.type === 'number' ? wrongNumber(variable, value) : wrongText(variable, value);
    default:
      return unreachable(variable);
  }
}

function wrongOption(variable: Variable & { kind: 'select' }, value: string): string | null {
  if (variable.options.some((option) => option.value === value)) return null;
  if (value === '') return variable.any === null ? 'one of the options must be chosen' : null;
  if (variable.source === null) {
    const values = variable.options.map((option) => option.value);
    return `there is no option "${shortened(value)}"; ${nearOf(value, values)}`;
  }
  return value.length <= MAX_FOUND_LENGTH ? null : `the value has more than ${MAX_FOUND_LENGTH} characters`;
}

function wrongNumber({ min, max }: Variable & { kind: 'input' }, value: string): string | null {
  const number = Number(value);
  if (!NUMBER.test(value) || !Number.isFinite(number)) return `"${shortened(value)}" is not a number`;
  if (min !== null && number < min) return `it must be at least ${min}`;
  if (max !== null && number > max) return `it must be at most ${max}`;
  return null;
}

function wrongText({ check, maxLength }: Variable & { kind: 'input' }, value: string): string | null {
  if (value.length > maxLength) return `it must have at most ${maxLength} characters`;
  const { noun, fits } = CHECKS[check];
  return fits(value) ? null : `"${shortened(value)}" is no ${noun}`;
}

/** What a text must be. Each pattern takes time proportional to the text. */
const CHECKS: Readonly<Record<InputCheck, { readonly noun: string; readonly fits: (text: string) => boolean }>> = {
  any: { noun: 'text', fits: () => true },
  word: { noun: 'word of letters, digits, _ and -', fits: (text) => /^[\p{L}\p{N}_-]+$/u.test(text) },
  email: { noun: 'e-mail address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  domain: { noun: 'domain', fits: (text) => /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(text) },
  uuid: { noun: 'UUID', fits: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) },
  date: { noun: 'date such as 2026-01-31', fits: isDay },
};

const WORDS =
  /^(?:all|today|yesterday|this (?:week|month|quarter|year)|last [1-9]\d{0,4} ?(?:mo|[mhdwqy]|(?:minute|hour|day|week|month|quarter|year)s?))$/;
const SPAN = /^(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)\.\.(\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?)$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The stage for a value, or null if it is not a range: `last 30d`, `2026-01-01..2026-01-31` including both days. */
export function rangeStage(value: string): string | null {
  if (WORDS.test(value)) return value;
  const [, from, to] = SPAN.exec(value) ?? [];
  if (from === undefined || to === undefined || !isReal(from) || !isReal(to)) return null;
  const end = DAY.test(to) ? utcDay(momentOf(to) + DAY_MS) : to;
  return momentOf(from) < momentOf(end) ? `from "${from}" to "${end}"` : null;
}

/** A day, as the minute that it begins with, or a time; null: there is none, such as 31 February. */
export function wallTime(text: string): string | null {
  return isReal(text) ? `${text}T00:00`.slice(0, 16) : null;
}

/** Checks only the calendar; which moment it is depends on the query's zone. */
function momentOf(text: string): number {
  return Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`);
}

/** Date.parse reads 31 February as a day in March. */
function isReal(text: string): boolean {
  const moment = momentOf(text);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}
