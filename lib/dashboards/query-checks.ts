/** Checks the queries of cards: their holes, the language's own errors with every option, and whether they fit the picture. */
import { answerColumns } from '../dsl/plan/columns.ts';
import { needsNoComparison, withComparison } from './comparison.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import type { Card, CardQuery, CardKind, Variable } from './dashboard.ts';
import { expandQuery } from './expand.ts';
import type { QueryCompiler, QueryProblem } from './query-compiler.ts';
import { readTemplate, type ReadTemplate } from './template.ts';
import { nearOf, unknownVariable } from './values.ts';
import type { VariableChecks } from './variable-checks.ts';
import type { Path, YamlFile } from './yaml-file.ts';

const MAX_QUERIES = 500;

/** A query as the file has it. */
export interface GivenQuery {
  readonly name: string;
  readonly text: string;
  readonly at: Path;
}

/** The card that the queries belong to. */
export interface Purpose extends Pick<Card, 'kind' | 'viz' | 'options'> {
  readonly path: Path;
}

export class QueryChecks {
  readonly #file: YamlFile;
  readonly #compiler: QueryCompiler;
  readonly #variables: VariableChecks;
  #count = 0;
  #variants = 0;

  constructor(file: YamlFile, compiler: QueryCompiler, variables: VariableChecks) {
    this.#file = file;
    this.#compiler = compiler;
    this.#variables = variables;
  }

  /** The queries of a card; they are valid if no problem was reported. Without a purpose they need not fit one. */
  check(given: readonly GivenQuery[], purpose: Purpose | null): readonly CardQuery[] {
    const plans: Plan[] = [];
    const checked = given.map((query) => {
      const read = readTemplate(query.text, 'variables');
      const plan = this.#plan(query, read, purpose);
      if (plan !== null) plans.push(plan);
      return { name: query.name, template: read.template };
    });
    if (purpose !== null && plans.length === given.length && plans.length > 0)
      this.#checkColumns(plans, given, purpose);
    return checked;
  }

  /** null: it has none; the reason was reported. */
  #plan({ text, at }: GivenQuery, read: ReadTemplate, purpose: Purpose | null): Plan | null {
    this.#count += 1;
    if (this.#count > MAX_QUERIES) {
      if (this.#count === MAX_QUERIES + 1) this.#file.tell(at, `a dashboard has at most ${MAX_QUERIES} queries`);
      return null;
    }
    for (const problem of read.problems) this.#file.tell(at, problem.message, problem.at);
    if (read.problems.length > 0 || !this.#knowsAll(read, at, text)) return null;
    const variables = this.#variables.checked;
    const values = Object.fromEntries(variables.map((variable) => [variable.name, variable.default]));
    const expanded = expandQuery(variables, read.template, values);
    const plan = this.#compiler.plan(expanded.text);
    if ('position' in plan) {
      this.#file.tell(at, plan.message, placeIn(read, expanded.starts, plan));
      return null;
    }
    if (purpose !== null) this.#checkPurpose(plan, expanded.text, at, purpose);
    this.#checkVariants(read, at, values);
    return plan;
  }

  #checkPurpose(plan: Plan, q: string, at: Path, { kind, viz, options, path }: Purpose): void {
    const wanted = PLANS_OF_KIND[kind];
    if (wanted !== undefined && !wanted.kinds.includes(plan.kind))
      this.#file.tell(at, `a card of kind ${kind} ${wanted.asks}`);
    if (!options.compare || viz === 'number') return;
    const compareAt = [...path, 'options', 'compare'];
    const wrong = needsNoComparison(q) ? null : this.#compiler.problem(withComparison(q));
    if (wrong !== null) this.#file.tell(compareAt, wrong.message);
    else if (!answerColumns(plan).some(({ role }) => role === 'bucket'))
      this.#file.tell(compareAt, 'lines compare times: the query needs a bucket, such as `by day`');
  }

  #knowsAll({ template, starts }: ReadTemplate, at: Path, text: string): boolean {
    let all = true;
    for (const [index, part] of template.entries()) {
      if (!('variable' in part)) continue;
      const known = this.#variables.has(part.variable);
      if (known === 'sound') continue;
      all = false;
      const start = starts[index] ?? 0;
      const offset = text.indexOf(part.variable, start);
      if (known === 'none') this.#file.tell(at, unknownVariable(this.#variables.names, part.variable), offset);
    }
    return all;
  }

  /** Tries every option of the query's variables, one at a time: an author's fragment may be wrong. */
  #checkVariants(read: ReadTemplate, at: Path, values: Readonly<Record<string, string>>): void {
    const named = new Set(read.template.flatMap((part) => ('variable' in part ? [part.variable] : [])));
    const variables = this.#variables.checked;
    for (const variable of variables.filter(({ name }) => named.has(name))) {
      for (const value of optionsOf(variable)) {
        // How often queries of one dashboard may be compiled with other options than the defaults.
        if (value === variable.default || this.#variants >= 5_000) continue;
        this.#variants += 1;
        const expanded = expandQuery(variables, read.template, { ...values, [variable.name]: value });
        const wrong = this.#compiler.problem(expanded.text);
        if (wrong === null) continue;
        this.#file.tell(
          at,
          `with ${variable.name} = ${JSON.stringify(value)}: ${wrong.message}`,
          placeIn(read, expanded.starts, wrong),
        );
        break;
      }
    }
  }

  #checkColumns(plans: readonly Plan[], given: readonly GivenQuery[], { viz, options, path }: Purpose): void {
    const columns = plans.flatMap(answerColumns);
    const names = [...new Set(columns.map(({ name }) => name))];
    const wanted = [
      ...(['x', 'series'] as const).flatMap((key) => (options[key] === null ? [] : [[key, options[key]] as const])),
      ...(options.y ?? []).map((name) => ['y', name] as const),
    ];
    for (const [key, name] of wanted) {
      if (!names.includes(name)) this.#file.tell([...path, 'options', key], missing('column', name, names));
    }
    const { ratio } = options;
    const [terms, noun] = given.length > 1 ? [given.map(({ name }) => name), 'query'] : [names, 'column'];
    for (const key of ['part', 'whole'] as const) {
      if (ratio !== null && !terms.includes(ratio[key]))
        this.#file.tell([...path, 'options', 'ratio', key], missing(noun, ratio[key], terms));
    }
    const { sparkline } = options;
    const others = given.slice(1).map(({ name }) => name); // the first has the number
    if (sparkline !== undefined && !others.includes(sparkline))
      this.#file.tell([...path, 'options', 'sparkline'], missing('query after the first', sparkline, others));
    const [first] = given;
    if (viz === 'number' && first !== undefined && !columns.some(({ role }) => role === 'metric')) {
      this.#file.tell(first.at, 'a number needs a query with a metric, such as `| count`');
    }
  }
}

const PLANS_OF_KIND: Partial<
  Readonly<Record<CardKind, { readonly kinds: readonly Plan['kind'][]; readonly asks: string }>>
> = {
  events: { kinds: ['list'], asks: 'asks for events: `… | list`, or `user "id"`' },
  funnel: { kinds: ['funnel'], asks: 'asks `funnel a -> b`' },
  retention: { kinds: ['retention'], asks: 'asks `retention <event>`' },
  journey: { kinds: ['paths'], asks: 'asks `paths from <event>`, or `paths to <event>`' },
  sessions: { kinds: ['sessions'], asks: 'asks `sessions`' },
  lifecycle: { kinds: ['lifecycle'], asks: 'asks `lifecycle <event>`' },
  stickiness: { kinds: ['stickiness'], asks: 'asks `stickiness <event>`' },
  users: { kinds: ['users'], asks: 'asks `users`' },
  experiment: { kinds: ['choice'], asks: 'asks `choice k | results <event>`, whose verdict it shows' },
  inspect: { kinds: ['inspect', 'fields'], asks: 'asks `inspect <event>`, or `fields`' },
};

function optionsOf(variable: Variable): readonly string[] {
  switch (variable.kind) {
    case 'select':
      return [...variable.options.map(({ value }) => value), ...(variable.any === null ? [] : [''])];
    case 'cohort':
      return variable.any === null ? [] : [''];
    case 'range':
      return variable.presets.map(({ value }) => value);
    default:
      return variable.optional ? [''] : [];
  }
}

/** Where in the template a query's error is; for text that came out of a hole, at the hole. */
function placeIn({ template, starts }: ReadTemplate, filled: readonly number[], { position }: QueryProblem): number {
  const index = Math.max(
    0,
    filled.findLastIndex((start) => start <= position),
  );
  const part = template[index];
  const start = starts[index] ?? 0;
  return part !== undefined && 'text' in part
    ? start + Math.min(position - (filled[index] ?? 0), part.text.length)
    : start;
}

const missing = (noun: string, name: string, names: readonly string[]): string =>
  `there is no ${noun} ${JSON.stringify(name)}; ${nearOf(name, names)}`;
