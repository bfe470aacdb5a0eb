/** What may stand where the cursor is in a dashboard: keys and values of its schema, variables, and words of the query language. */
import type { ProjectNames } from '../../lib/dsl/hints/complete.ts';
import { VIZ_OF_KIND, type CardKind } from '../../lib/dashboards/dashboard.ts';
import { queryWords, type Proposed, type ProposedWord } from '../proposed-words.ts';
import { yamlPlace, type YamlPlace } from './yaml-place.ts';

/** As much of JSON Schema as that of dashboards has. */
export interface SchemaNode {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
}

/** null: nothing is known there. */
export function wordsAt(text: string, cursor: number, known: { schema: SchemaNode; names: ProjectNames }): Proposed | null {
  const place = yamlPlace(text, cursor);
  if (place === null) return null;
  const { path, part, typed, start } = place;
  const nodes = nodesAt([known.schema], path).filter((node) => fits(node, place));
  if (part === 'key') return { start, partial: typed, words: keyWords(nodes, place), isEager: false };
  const hole = /\{\{\s*(\w*)$/.exec(typed);
  if (hole !== null) return { start: cursor - (hole[1] ?? '').length, partial: hole[1] ?? '', words: variableWords(text, path), isEager: false };
  if (isQuery(path)) return inQuery(place, known.names);
  return { start, partial: typed, words: valueWords(nodes, place), isEager: false };
} // prettier-ignore

const isQuery = (path: readonly string[]): boolean =>
  path.at(-1) === 'query' || path.at(-1) === 'fragment' || path.at(-2) === 'queries';

/** The language's own completion, its words quoted as the YAML around them asks. */
function inQuery({ typed, start, quotes }: YamlPlace, names: ProjectNames): Proposed {
  const proposed = queryWords(typed, names);
  const words = proposed.words.map(({ text, about }) => ({ text: QUOTED[quotes](text), about }));
  return { ...proposed, start: start + proposed.start, words };
}

const QUOTED: Readonly<Record<YamlPlace['quotes'], (text: string) => string>> = {
  none: (text) => text,
  single: (text) => text.replaceAll("'", "''"),
  double: (text) => JSON.stringify(text).slice(1, -1),
};

/** The schemas at a path: several where a value may be of several kinds. */
function nodesAt(nodes: readonly SchemaNode[], [key, ...rest]: readonly string[]): readonly SchemaNode[] {
  const all = nodes.flatMap(alternatives);
  if (key === undefined) return all;
  const below = all.flatMap(({ properties, additionalProperties: others }) => {
    const one = properties?.[key] ?? (typeof others === 'object' ? others : undefined);
    return one === undefined ? [] : [one];
  });
  return nodesAt(below, rest);
}

/** The node, what it may be, and the items of a list. */
function alternatives(node: SchemaNode): readonly SchemaNode[] {
  const others = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.items === undefined ? [] : [node.items])];
  return [node, ...others.flatMap(alternatives)];
}

/** Whether it is of the kind that is written beside. */
function fits({ properties }: SchemaNode, { beside }: YamlPlace): boolean {
  const kind = properties?.['kind']?.const;
  const written = beside.get('kind');
  return kind === undefined || written === undefined || kind === written;
}

function keyWords(nodes: readonly SchemaNode[], { beside }: YamlPlace): readonly ProposedWord[] {
  const words = new Map<string, ProposedWord>();
  for (const { properties = {} } of nodes) {
    for (const [key, node] of Object.entries(properties)) {
      if (!beside.has(key) && !words.has(key)) words.set(key, { text: `${key}: `, about: aboutKey(node) });
    }
  }
  return [...words.values()];
}

/** The first sentence, or what it may be. */
function aboutKey(node: SchemaNode): string {
  if (node.description !== undefined) return node.description.split(/[.;](?:\s|$)/, 1)[0] ?? '';
  if (node.enum !== undefined) return node.enum.slice(0, 4).join(', ');
  return node.properties !== undefined ? 'several keys' : node.items !== undefined ? 'a list' : '';
}

function valueWords(nodes: readonly SchemaNode[], { path, beside }: YamlPlace): readonly ProposedWord[] {
  const key = path.at(-1) ?? '';
  if (key === 'timezone') return Intl.supportedValuesOf('timeZone').map((text) => ({ text, about: 'time zone' }));
  const kind = beside.get('kind') ?? '';
  const drawn: readonly unknown[] | null = key === 'viz' && isCardKind(kind) ? VIZ_OF_KIND[kind] : null;
  const values = nodes.flatMap((node) => {
    if (node.const !== undefined) return [node.const];
    return node.enum ?? (node.type === 'boolean' ? [true, false] : []);
  });
  const fitting = [...new Set(values)].filter((value) => drawn === null || drawn.includes(value));
  return fitting.map((value) => ({ text: String(value), about: key }));
}

const isCardKind = (kind: string): kind is CardKind => kind in VIZ_OF_KIND;

/** The names that stand below `variables`; of a fragment of a variable, its value. */
function variableWords(text: string, path: readonly string[]): readonly ProposedWord[] {
  if (path[0] === 'variables') return [{ text: 'value}}', about: 'the value' }];
  const [, , list = ''] = /(^|\n)variables:(.*?)(?=\n[a-z]|$)/s.exec(text) ?? [];
  const names = [...list.matchAll(/\bname: *(["']?)([A-Za-z_]\w*)\1/g)].map(([, , name]) => name ?? '');
  return names.map((name) => ({ text: `${name}}}`, about: 'variable' }));
}
