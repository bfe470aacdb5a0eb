/** The fields of a dashboard's variables. Reports a valid change at once; shows a problem beside its field. */
import type { Dashboard, Values, Variable } from '../../lib/dashboards/dashboard.ts';
import { valueProblem } from '../../lib/dashboards/values.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { made } from '../element.ts';
import { morePresets, presetKey } from './date-presets.ts';

/** The value of the choice "Other dates…", which is not a value of a variable. */
const CUSTOM = '\u0000custom';
const SPAN = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/;

type Kind<K extends Variable['kind']> = Extract<Variable, { readonly kind: K }>;

/** What has options. */
type Choice = (Kind<'select'> | Kind<'cohort'>) & Pick<Kind<'select'>, 'options'>;

export class VariablesForm {
  readonly element: HTMLFormElement;
  readonly #fields = new Map<string, HTMLSelectElement>();
  readonly #change: (name: string, value: string) => void;
  readonly #timezone: string | null;

  constructor({ variables, timezone }: Dashboard, values: Values, change: (name: string, value: string) => void) {
    this.#change = change;
    this.#timezone = timezone;
    this.element = made('form', '', { class: 'variables', 'aria-label': 'Dashboard filters' });
    this.element.addEventListener('submit', (event) => event.preventDefault());
    this.element.append(...variables.map((variable) => this.#field(variable, values[variable.name] ?? variable.default)));
    this.element.hidden = variables.length === 0;
  } // prettier-ignore

  /** Adds options found by a query after those of the file. */
  addOptions(name: string, found: readonly { readonly value: string; readonly label: string }[]): void {
    const select = this.#fields.get(name);
    if (select === undefined) return;
    const known = new Set([...select.options].map(({ value }) => value));
    select.append(
      ...found.filter(({ value }) => !known.has(value)).map(({ value, label }) => new Option(label, value)),
    );
  }

  #field(variable: Variable, value: string): HTMLElement {
    switch (variable.kind) {
      case 'select':
        return this.#select(variable, value);
      case 'cohort':
        return this.#select({ ...variable, options: [] }, value);
      case 'input':
        return this.#input(variable, value);
      case 'range':
        return this.#range(variable, value);
      default:
        return unreachable(variable);
    }
  }

  #select(variable: Choice, value: string): HTMLElement {
    const select = made('select', '', { id: idOf(variable) });
    if (variable.any !== null) select.append(new Option(variable.any, ''));
    select.append(...variable.options.map((option) => new Option(option.label, option.value)));
    if (![...select.options].some((option) => option.value === value)) select.append(new Option(value, value));
    select.value = value;
    select.addEventListener('change', () => this.#change(variable.name, select.value));
    this.#fields.set(variable.name, select);
    return fieldOf(variable, [select]);
  }

  #input(variable: Kind<'input'>, value: string): HTMLElement {
    const input = made('input', '', { id: idOf(variable), type: variable.type, spellcheck: 'false', autocomplete: 'off' });
    if (variable.placeholder !== null) input.placeholder = variable.placeholder;
    if (variable.min !== null) input.min = String(variable.min);
    if (variable.max !== null) input.max = String(variable.max);
    if (variable.type === 'number') input.step = 'any';
    input.value = value;
    const problem = problemOf(variable);
    input.addEventListener('change', () => this.#take(variable, input.value, { problem, inputs: [input] }));
    return fieldOf(variable, [input, problem]);
  } // prettier-ignore

  #range(variable: Kind<'range'>, value: string): HTMLElement {
    const select = made('select', '', { id: idOf(variable), 'data-ranges': '' });
    const more = morePresets(variable, this.#timezone, new Date());
    const others = made('optgroup', '', { label: 'Other ranges' });
    select.append(...variable.presets.map(presetOption), others);
    others.append(...more.map(presetOption));
    const [, from = '', to = ''] = SPAN.exec(value) ?? [];
    const isPreset = [...variable.presets, ...more].some((preset) => preset.value === value);
    if (!isPreset && from === '') select.append(new Option(value, value));
    select.append(new Option('Other dates…', CUSTOM));
    select.value = isPreset || from === '' ? value : CUSTOM;
    const [first, last] = [dateField(`${variable.label}: first day`, from), dateField(`${variable.label}: last day`, to)];
    const dates = made('span', '', { class: 'dates' });
    dates.append(first, made('span', 'to'), last);
    dates.hidden = select.value !== CUSTOM;
    const problem = problemOf(variable);
    select.addEventListener('change', () => {
      dates.hidden = select.value !== CUSTOM;
      if (select.value !== CUSTOM) this.#take(variable, select.value, { problem, inputs: [first, last] });
      else first.focus();
    });
    for (const date of [first, last]) {
      date.addEventListener('change', () => {
        if (first.value === '' || last.value === '') return;
        this.#take(variable, `${first.value}..${last.value}`, { problem, inputs: [first, last] });
      });
    }
    return fieldOf(variable, [select, dates, problem]);
  } // prettier-ignore

  #take(variable: Variable, value: string, { problem, inputs }: { problem: HTMLElement; inputs: readonly HTMLInputElement[] }): void {
    const wrong = valueProblem(variable, value);
    problem.textContent = wrong ?? '';
    problem.hidden = wrong === null;
    for (const input of inputs) {
      if (wrong === null) input.removeAttribute('aria-invalid');
      else input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', problem.id);
    }
    if (wrong === null) this.#change(variable.name, value);
  } // prettier-ignore
}

function fieldOf(variable: Variable, content: readonly HTMLElement[]): HTMLElement {
  const field = made('div', '', { class: 'variable', 'data-variable': variable.name });
  field.append(made('label', variable.label, { for: idOf(variable) }), ...content);
  return field;
}

/** With its letter, for console/shortcuts.ts. */
function presetOption(preset: { readonly value: string; readonly label: string }): HTMLOptionElement {
  const option = new Option(preset.label, preset.value);
  const key = presetKey(preset);
  if (key !== null) option.dataset['key'] = key;
  return option;
}

function idOf({ name }: Variable): string {
  return `variable-${name}`;
}

function problemOf(variable: Variable): HTMLElement {
  const problem = made('p', '', { class: 'variable-problem', role: 'alert', id: `${idOf(variable)}-problem` });
  problem.hidden = true;
  return problem;
}

function dateField(label: string, value: string): HTMLInputElement {
  const field = made('input', '', { type: 'date', 'aria-label': label });
  field.value = value;
  return field;
}
