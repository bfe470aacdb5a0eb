/** Turns templates and values into queries. A value's text enters a query only as the language prints it. */
import { quote } from '../dsl/parse/lex-string.ts';
import { unreachable } from '../base/unreachable.ts';
import type { Template, Values, Variable } from './dashboard.ts';
import { rangeStage } from './values.ts';
import { fillTemplate, type Expanded } from './template.ts';

/** The query of a template. The values must be checked, with one for each variable it names. */
export function expandQuery(variables: readonly Variable[], template: Template, values: Values): Expanded {
  return fillTemplate(template, (part) => {
    const name = 'variable' in part ? part.variable : null;
    const variable = variables.find((one) => one.name === name);
    const value = name === null ? undefined : values[name];
    if (variable === undefined || value === undefined) throw new Error(`no value for {{${name ?? 'value'}}}`);
    return printValue(variable, value);
  });
}

/** The text that replaces a value in queries. */
export function printValue(variable: Variable, value: string): string {
  switch (variable.kind) {
    case 'range': {
      const stage = rangeStage(value);
      if (stage === null) throw new Error('a value was not checked');
      return stage;
    }
    case 'cohort':
      return value === '' ? '' : within(variable.fragment, quote(value));
    case 'input':
      if (value.trim() === '') return '';
      return within(variable.fragment, variable.type === 'number' ? String(Number(value)) : quote(value));
    case 'select': {
      const option = variable.options.find((one) => one.value === value);
      if (option === undefined && value === '') return '';
      const isText = option === undefined || option.type === 'string';
      return option?.fragment ?? within(variable.fragment, isText ? quote(value) : value);
    }
    default:
      return unreachable(variable);
  }
}

function within(fragment: Template | null, value: string): string {
  return fragment === null ? value : fillTemplate(fragment, () => value).text;
}
