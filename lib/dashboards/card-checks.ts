/** Checks cards one after the other: that kind, picture, queries and options fit each other. */
import { VIZ_OF_KIND, type Card, type CardOptions, type Layout, type Viz } from './dashboard.ts';
import type { QueryCompiler } from './query-compiler.ts';
import { QueryChecks, type GivenQuery } from './query-checks.ts';
import { memberOf, type RawCard } from './raw.ts';
import { DEFAULT_ROWS } from './schema.ts';
import type { VariableChecks } from './variable-checks.ts';
import type { Path, YamlFile } from './yaml-file.ts';

/** The name of a query without one. */
const ONLY = 'query';
const GRID = 12; // columns
/** A number is small, a table or a grid is wide. */
const SIZES: Readonly<Record<string, { readonly w: number; readonly h: number }>> = {
  number: { w: 3, h: 2 },
  table: { w: 12, h: 4 },
  retention: { w: 12, h: 4 },
  path: { w: 12, h: 5 },
  events: { w: 12, h: 5 },
  markdown: { w: 12, h: 2 },
};
const SIZE = { w: 6, h: 4 };

export class CardChecks {
  readonly #file: YamlFile;
  readonly #queries: QueryChecks;
  readonly #ids = new Set<string>();
  #count = 0;

  constructor(file: YamlFile, compiler: QueryCompiler, variables: VariableChecks) {
    this.#file = file;
    this.#queries = new QueryChecks(file, compiler, variables);
  }

  /** The card; it is valid if no problem was reported for it. */
  check(raw: RawCard, path: Path): Card {
    this.#count += 1;
    const { kind, title = null, description = null, limit = DEFAULT_ROWS } = raw;
    const viz = raw.viz ?? VIZ_OF_KIND[kind][0];
    if (!VIZ_OF_KIND[kind].includes(viz)) {
      this.#file.tell(
        [...path, 'viz'],
        `a card of kind ${kind} is drawn as ${VIZ_OF_KIND[kind].join(', ')}, not as ${viz}`,
      );
    }
    const id = this.#id(raw, path);
    const layout = this.#layout(raw, path, SIZES[viz] ?? SIZE);
    const options = this.#options(raw, path, viz);
    const queries = this.#queries.check(this.#queriesOf(raw, path), { kind, viz, options, path });
    return { id, title, description, kind, viz, queries, text: raw.text ?? null, limit, layout, options };
  }

  /** For a card that does not fit the schema: checks only the queries, so that their problems are reported now. */
  checkUnsound(raw: unknown, path: Path): [] {
    this.#count += 1;
    this.#queries.check(givenIn(raw, path), null);
    return [];
  }

  #id({ id }: RawCard, path: Path): string {
    const chosen = id ?? `card-${this.#count}`;
    if (this.#ids.has(chosen))
      this.#file.tell(id === undefined ? path : [...path, 'id'], `another card is called "${chosen}"`);
    this.#ids.add(chosen);
    return chosen;
  }

  #layout({ layout = {} }: RawCard, path: Path, size: { w: number; h: number }): Layout {
    const { x = null, w = Math.min(size.w, GRID - (x ?? 0)), h = size.h } = layout;
    if ((x ?? 0) + w > GRID)
      this.#file.tell([...path, 'layout'], `x + w is ${(x ?? 0) + w}; the grid has ${GRID} columns`);
    return { x, w, h };
  }

  #options({ options = {} }: RawCard, path: Path, viz: Viz): CardOptions {
    const { x = null, y, series = null, ratio = null, format = null, currency = null, goal, stacked = false } = options;
    const at = [...path, 'options'];
    if ((format === 'currency') !== (currency !== null)) {
      this.#file.tell(
        [...at, format === 'currency' ? 'format' : 'currency'],
        '`format: currency` and `currency` go together',
      );
    }
    const mayCompare = viz === 'number' || viz === 'line' || (viz === 'area' && !stacked);
    if (options.compare === true && !mayCompare)
      this.#file.tell([...at, 'compare'], '`compare` is for numbers, and for lines and areas that are not stacked');
    const compare = mayCompare && (options.compare ?? viz === 'number');
    if (options.better !== undefined && !(compare && viz === 'number'))
      this.#file.tell([...at, 'better'], '`better` is for numbers with a comparison');
    if (options.sparkline !== undefined && viz !== 'number')
      this.#file.tell([...at, 'sparkline'], '`sparkline` is for numbers');
    return {
      ...{ x, series, ratio, format, currency, stacked, compare },
      ...(options.better === undefined ? {} : { better: options.better }),
      ...(options.sparkline === undefined ? {} : { sparkline: options.sparkline }),
      ...(options.labels === undefined ? {} : { labels: options.labels }),
      y: y === undefined ? null : typeof y === 'string' ? [y] : y,
      goal:
        goal === undefined ? null : typeof goal === 'number' ? { value: goal, label: null } : { label: null, ...goal },
    };
  }

  #queriesOf(raw: RawCard, path: Path): readonly GivenQuery[] {
    const { kind, query, queries, text } = raw;
    const given = givenIn(raw, path);
    if (kind === 'markdown') {
      if (text === undefined) this.#file.tell(path, 'a card of kind markdown has a `text`');
      if (given.length > 0) this.#file.tell(path, 'a card of kind markdown has no query');
      return [];
    }
    if (text !== undefined) this.#file.tell([...path, 'text'], '`text` is for cards of kind markdown');
    if (given.length === 0) this.#file.tell(path, 'the card lacks `query`');
    if (query !== undefined && queries !== undefined)
      this.#file.tell(path, 'a card has `query` or `queries`, not both');
    return given;
  }
}

function givenIn(raw: unknown, path: Path): readonly GivenQuery[] {
  const query = memberOf(raw, 'query');
  const named = Object.entries(memberOf(raw, 'queries') ?? {});
  const given = [
    [ONLY, query, [...path, 'query']] as const,
    ...named.map(([name, one]) => [name, one, [...path, 'queries', name]] as const),
  ];
  return given.flatMap(([name, text, at]) => (typeof text === 'string' ? [{ name, text, at }] : []));
}
