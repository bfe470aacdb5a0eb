/** YAML with its places: what the text says, and where each part of it stands. */
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import { atStart, type Problem } from './problem.ts';

export const MAX_FILE_BYTES = 1_048_576;
/** Most nodes that aliases may copy from one anchor, in total: more is no dashboard but an attack. */
const MAX_ALIASES = 100;
/** What a file says, as JSON with all copies: a small file with large parts behind anchors may say very much. */
const MAX_EXPANDED_BYTES = 524_288;
/** Nesting of collections: a dashboard has seven levels. The parser recurses for each. */
const MAX_DEPTH = 50;

/** Path to a part: from the root, keys and indexes. */
export type Path = readonly (string | number)[];

export class YamlFile {
  readonly value: unknown;
  /** What is wrong with it, as far as it was checked. */
  readonly problems: Problem[] = [];
  readonly #text: string;
  readonly #document: Document;
  readonly #lines: LineCounter;

  private constructor(text: string, document: Document, { value, lines }: { value: unknown; lines: LineCounter }) {
    this.value = value;
    this.#text = text;
    this.#document = document;
    this.#lines = lines;
  }

  /** Reads a text, or reports what is wrong with it. */
  static read(text: string): YamlFile | readonly Problem[] {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_FILE_BYTES) return [atStart(fileTooLarge(bytes))];
    if (isTooDeep(text)) return [atStart(`The YAML is nested more than ${MAX_DEPTH} deep.`)];
    const lines = new LineCounter();
    // The library's own search for duplicate keys takes time quadratic in their number.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'error',
      uniqueKeys: false,
    });
    const problems = yamlMistakes(text, document, lines);
    const nodes = problems.length > 0 ? problems : nodeProblems(document, lines);
    if (nodes.length > 0) return nodes;
    try {
      const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }); // all aliases of an anchor share its value
      if (value === null || value === undefined) return [atStart('The file is empty.')];
      if (isLargerAsJson(value, MAX_EXPANDED_BYTES)) return [atStart(EXPANDED)];
      return new YamlFile(text, document, { value, lines });
    } catch (error) {
      if (error instanceof ReferenceError) return [atStart(ALIASES)]; // the library's words for endless expansion
      throw error;
    }
  }

  /** Notes a problem with the value at a path. @param within An offset in the value, a text. */
  tell(path: Path, message: string, within = 0): void {
    const node = this.#nodeAt(path);
    this.#tellAt(isScalar(node) && within > 0 ? this.#offsetWithin(node, within) : startOf(node), message);
  }

  /** Notes a problem with the key at the end of a path. */
  tellOfKey(path: Path, message: string): void {
    this.#tellAt(startOf(this.#keyAt(path)), message);
  }

  #tellAt(offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.problems.push({ line, column: col, message });
  }

  #offsetWithin(node: Scalar, within: number): number {
    const { range, type, value } = node;
    if (range === undefined || range === null || typeof value !== 'string') return 0;
    const [start, end] = range;
    return start + sourceOffset(this.#text.slice(start, end), { type: type ?? 'PLAIN', value, at: within });
  }

  /** The node at a path, or else the nearest around it. */
  #nodeAt(path: Path): Node | null {
    let node: unknown = this.#resolved(this.#document.contents);
    for (const step of path) {
      const next: unknown = isMap(node) || isSeq(node) ? node.get(step, true) : undefined;
      if (!isScalar(next) && !isMap(next) && !isSeq(next) && !isAlias(next)) break;
      node = this.#resolved(next);
    }
    return isScalar(node) || isMap(node) || isSeq(node) ? node : null;
  }

  #keyAt(path: Path): Node | null {
    const parent = this.#nodeAt(path.slice(0, -1));
    const name = path.at(-1);
    const pairs = isMap(parent) ? parent.items : [];
    const pair = pairs.find((one) => isPair(one) && isScalar(one.key) && one.key.value === name);
    return isScalar(pair?.key) ? pair.key : parent;
  }

  #resolved(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? 0;

const ALIASES = `The YAML has anchors that expand to more than ${MAX_ALIASES} copies.`;
const EXPANDED = `The file says more than ${MAX_EXPANDED_BYTES.toLocaleString('en')} bytes of JSON with all that its anchors copy: copy less, or write several files.`;

export function fileTooLarge(bytes: number): string {
  return `The file has ${bytes.toLocaleString('en')} bytes; a dashboard has at most ${MAX_FILE_BYTES.toLocaleString('en')}.`;
}

/** Duplicate keys, aliases of nothing, and too many aliases. */
function nodeProblems(document: Document, lines: LineCounter): readonly Problem[] {
  const problems: Problem[] = [];
  let aliases = 0;
  const tell = (node: Node, message: string): void => {
    const { line, col } = lines.linePos(node.range?.[0] ?? 0);
    problems.push({ line, column: col, message });
  };
  visit(document, {
    Map: (_key, map) => {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) tell(key, `the key \`${String(key.value)}\` appears twice`);
        keys.add(key.value);
      }
    },
    Alias: (_key, alias) => {
      aliases += 1;
      if (aliases <= MAX_ALIASES && alias.resolve(document) === undefined)
        tell(alias, `there is no anchor &${alias.source}; put a query that begins with * in quotes`);
    },
  });
  return aliases > MAX_ALIASES ? [atStart(ALIASES)] : problems;
}

/**
 * Whether collections may be nested too deep, judging by brackets and indentation, which texts have too. It runs before anything
 * is parsed, and is false for every real dashboard.
 */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (depth > MAX_DEPTH) return true;
  }
  return /^(?: *[-?:] ){50}/m.test(text) || new RegExp(`^ {${MAX_DEPTH * 16}}`, 'm').test(text);
}

const SEVERAL = 'The file has several YAML documents: put each dashboard in its own file.';
/** Starts something other than text in YAML, and often a query. */
const SPECIAL_START = /^\s*(?:- +)*(?:[\w-]+|"[^"]*"|'[^']*') *: +([*{["'|>@%&!`])/;
const COLON = /: .*: /;

/**
 * Mistakes in the YAML itself, in words for people who write queries into it. One for each line: what comes after the first is
 * mostly its consequence.
 */
function yamlMistakes(text: string, { errors, warnings }: Document, lines: LineCounter): readonly Problem[] {
  const problems: Problem[] = [];
  for (const { code, message, pos } of [...errors, ...warnings].toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const { line, col: column } = lines.linePos(pos[0]);
    const last = problems.at(-1)?.line ?? 0;
    if (line === last || (line === last + 1 && column === 1)) continue;
    const told =
      code === 'MULTIPLE_DOCS'
        ? SEVERAL
        : `The YAML cannot be read: ${message}${hintFor(text.slice(lines.lineStarts[line - 1], lines.lineStarts[line]))}`;
    problems.push({ line, column, message: told });
  }
  return problems;
}

function hintFor(line: string): string {
  const [, start] = SPECIAL_START.exec(line) ?? [];
  if (start !== undefined)
    return `; put a text that begins with ${start} in quotes ('…'), or in the lines below a \`|\``;
  return COLON.test(line) ? "; put a text with a colon and a space in quotes ('…')" : '';
}

/**
 * The offset in `source`, the YAML source of a text, of the character at `at` in the text. Walks both together; where they
 * differ, YAML adds or drops white space, or there is an escape.
 */
function sourceOffset(source: string, { type, value, at }: { type: string; value: string; at: number }): number {
  const isBlock = type.startsWith('BLOCK');
  const isQuoted = type.startsWith('QUOTE');
  let place = isBlock ? source.indexOf('\n') + 1 : isQuoted ? 1 : 0;
  for (let i = 0; i < at; i += 1) {
    place = skipAdded(source, place, value[i] ?? '');
    if (type === 'QUOTE_DOUBLE' && source[place] === '\\') place += escapeLength(source, place);
    else place += type === 'QUOTE_SINGLE' && source.startsWith("''", place) ? 2 : 1;
  }
  return Math.min(skipAdded(source, place, value[at] ?? ''), source.length);
}

/** An escaped line break, and white space: indentation, and the line breaks of folds. */
const ADDED = /(?:\\\r?\n)?\s*/y;

/** Skips what only the source has before the next character of the text. */
function skipAdded(source: string, place: number, wanted: string): number {
  if (source[place] === wanted) return place;
  ADDED.lastIndex = place;
  const added = ADDED.exec(source)?.[0] ?? '';
  if (wanted === ' ') return place + Math.max(0, added.length - 1); // a fold: one of them is the space
  const found = wanted === '' ? -1 : added.indexOf(wanted);
  return place + (found === -1 ? added.length : found);
}

function escapeLength(source: string, place: number): number {
  const lengths: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
  return lengths[source[place + 1] ?? ''] ?? 2;
}

/**
 * Whether a value takes more bytes as JSON, measured without making the text: what YAML's aliases share counts wherever it
 * stands. It takes no longer than reading so many bytes, even where a value contains itself.
 */
export function isLargerAsJson(value: unknown, bytes: number): boolean {
  const waiting = [value];
  let left = bytes;
  while (waiting.length > 0 && left >= 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) {
      left -= Buffer.byteLength(JSON.stringify(next) ?? 'null');
      continue;
    }
    const members: readonly [string, unknown][] = Object.entries(next);
    left -= 1 + Math.max(1, members.length); // brackets, and commas between members
    for (const [key, member] of members) {
      if (!Array.isArray(next)) left -= Buffer.byteLength(JSON.stringify(key)) + 1;
      waiting.push(member);
    }
  }
  return left < 0;
}
