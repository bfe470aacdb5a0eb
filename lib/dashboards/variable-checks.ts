/** Checks variables one by one, and knows them for the queries that name them. */
import type { SelectOption, Template, Variable } from './dashboard.ts';
import { expandQuery } from './expand.ts';
import type { QueryCompiler } from './query-compiler.ts';
import {
  textIn,
  type RawCohort,
  type RawInput,
  type RawOption,
  type RawRange,
  type RawScalar,
  type RawSelect,
  type RawVariable,
} from './raw.ts';
import { readTemplate } from './template.ts';
import { valueProblem } from './values.ts';
import type { Path, YamlFile } from './yaml-file.ts';

const PRESETS = ['last 7d', 'last 30d', 'last 90d', 'today', 'this month', 'this year'] as const;

export class VariableChecks {
  readonly checked: Variable[] = [];
  readonly #file: YamlFile;
  readonly #compiler: QueryCompiler;
  /** Names of variables that do not fit the schema: queries that use them cannot be checked. */
  readonly #unsound = new Set<string>();

  constructor(file: YamlFile, compiler: QueryCompiler) {
    this.#file = file;
    this.#compiler = compiler;
  }

  addUnsound(raw: unknown): void {
    const name = textIn(raw, 'name');
    if (name !== null) this.#unsound.add(name);
  }

  add(raw: RawVariable, path: Path): void {
    const before = this.#file.problems.length;
    if (this.checked.some(({ name }) => name === raw.name) || this.#unsound.has(raw.name)) {
      this.#file.tell([...path, 'name'], `another variable is called "${raw.name}"`);
    }
    const variable = this.#checked(raw, path);
    const wrong = valueProblem(variable, variable.default);
    if (wrong !== null && before === this.#file.problems.length)
      this.#file.tell([...path, 'default'], `the default does not fit: ${wrong}`);
    if (before === this.#file.problems.length) this.checked.push(variable);
    else this.#unsound.add(raw.name);
  }

  /** Whether there is such a variable; `unsound` if it is wrong itself. */
  has(name: string): 'sound' | 'unsound' | 'none' {
    if (this.checked.some((variable) => variable.name === name)) return 'sound';
    return this.#unsound.has(name) ? 'unsound' : 'none';
  }

  get names(): readonly string[] {
    return [...this.checked.map(({ name }) => name), ...this.#unsound];
  }

  #checked(raw: RawVariable, path: Path): Variable {
    if (raw.kind === 'select') return this.#select(raw, path);
    if (raw.kind === 'cohort') return this.#cohort(raw, path);
    return raw.kind === 'input' ? this.#input(raw, path) : this.#range(raw, path);
  }

  #select(raw: RawSelect, path: Path): Variable {
    const { name, label = name, any = null, options: given = [], query } = raw;
    const options = given.map(optionOf);
    for (const [index, { value, fragment }] of options.entries()) {
      const at = [...path, 'options', index];
      if (options.findIndex((other) => other.value === value) < index)
        this.#file.tell(at, `the option "${value}" appears twice`);
      if (value === '') this.#file.tell(at, 'an option for no choice at all is written `any: Its label`');
      if (fragment?.includes('{{') === true) this.#file.tell([...at, 'fragment'], NO_HOLES);
    }
    if (options.length === 0 && query === undefined)
      this.#file.tell(path, 'the variable lacks `options`, or a `query` that finds them');
    const fragment = this.#fragment(raw.fragment, path);
    const bare = query !== undefined || options.some((option) => option.fragment === null);
    if (any !== null && fragment === null && bare) this.#file.tell([...path, 'any'], `\`any\` ${NEEDS_FRAGMENT}`);
    if (raw.default === undefined && any === null && options.length === 0) {
      this.#file.tell(
        path,
        'the variable lacks `default`, or `any`: its options are known only once the query has run',
      );
    }
    const chosen = raw.default === undefined ? (any === null ? (options[0]?.value ?? '') : '') : String(raw.default);
    const source = query === undefined ? null : { template: this.#source(query, path), column: raw.column ?? null };
    return { kind: 'select', name, label, default: chosen, options, source, any, fragment };
  }

  #input(raw: RawInput, path: Path): Variable {
    const { name, label = name, type = 'text', check = 'any', maxLength = 200, optional = false } = raw; // UTF-16 units
    const { min = null, max = null, placeholder = null } = raw;
    const fragment = this.#fragment(raw.fragment, path);
    if (optional && fragment === null) this.#file.tell([...path, 'optional'], `\`optional\` ${NEEDS_FRAGMENT}`);
    if (type === 'text' && (min ?? max) !== null) this.#file.tell(path, '`min` and `max` are for `type: number`');
    if (type === 'number' && check !== 'any') this.#file.tell([...path, 'check'], '`check` is for texts');
    const shared = { kind: 'input', name, label, default: String(raw.default) } as const;
    return { ...shared, type, check, maxLength, min, max, placeholder, optional, fragment };
  }

  #cohort(raw: RawCohort, path: Path): Variable {
    const { name, label = name, any = null, default: chosen = '' } = raw;
    const fragment = this.#fragment(raw.fragment, path);
    if (any !== null && fragment === null) this.#file.tell([...path, 'any'], `\`any\` ${NEEDS_COHORT_FRAGMENT}`);
    if (any === null && chosen === '') this.#file.tell(path, 'the variable lacks `default`, or `any`');
    return { kind: 'cohort', name, label, default: chosen, any, fragment };
  }

  #range({ name, label = name, presets: given = PRESETS, default: chosen }: RawRange, path: Path): Variable {
    const presets = given.map((one) =>
      typeof one === 'string' ? { value: one, label: one } : { label: one.value, ...one },
    );
    const variable = { kind: 'range', name, label, default: chosen ?? presets[0]?.value ?? '', presets } as const;
    for (const [index, { value }] of presets.entries()) {
      const wrong = valueProblem(variable, value);
      if (wrong !== null) this.#file.tell([...path, 'presets', index], wrong);
    }
    return variable;
  }

  #fragment(text: string | undefined, path: Path): Template | null {
    if (text === undefined) return null;
    const { template, problems } = readTemplate(text, 'value');
    for (const { at, message } of problems) this.#file.tell([...path, 'fragment'], message, at);
    return template;
  }

  #source(query: string, path: Path): Template {
    const { template, problems } = readTemplate(query, 'variables');
    const at = [...path, 'query'];
    for (const problem of problems) this.#file.tell(at, problem.message, problem.at);
    if (template.some((part) => 'variable' in part)) this.#file.tell(at, 'the query of options may not use variables');
    else if (problems.length === 0) {
      const wrong = this.#compiler.problem(expandQuery([], template, {}).text);
      if (wrong !== null) this.#file.tell(at, wrong.message, wrong.position);
    }
    return template;
  }
}

const NO_HOLES = 'the fragment of an option is a text without {{…}}';
const NEEDS_FRAGMENT =
  'needs a `fragment` around {{value}}, such as `where user.plan = {{value}}`, so that it can be left out';

const NEEDS_COHORT_FRAGMENT =
  'needs a `fragment` around {{value}}, such as `where cohort {{value}}`, so that it can be left out';

function optionOf(raw: RawOption): SelectOption {
  const { value, label, fragment = null } = typeof raw === 'object' ? raw : { value: raw };
  const text = String(value);
  return { value: text, label: label ?? text, type: typeOf(value), fragment };
}

function typeOf(value: RawScalar): SelectOption['type'] {
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' && Number.isFinite(value) ? 'number' : 'string';
}

/** As in URLs. */
