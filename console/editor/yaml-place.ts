/**
 * Where in a dashboard's YAML the cursor is. It looks at indentation and at the line, not at the grammar: while somebody types,
 * the text is mostly no YAML at all. What it does not understand it finds nothing in.
 */

export interface YamlPlace {
  /** The keys around it, from the root; items of lists have none. */
  readonly path: readonly string[];
  readonly part: 'key' | 'value';
  /** What is typed of it so far, and where that begins in the text. */
  readonly typed: string;
  readonly start: number;
  /** How a text there is written. */
  readonly quotes: 'none' | 'single' | 'double';
  /** The keys beside it and their values, as far as these stand in a line. */
  readonly beside: ReadonlyMap<string, string>;
}

/** A line up to a value: its indentation and dashes, and its key. */
const KEYED = /^([ ]*(?:- +)*)([A-Za-z_][\w-]*):(?:\s+|$)/;
const TYPED_KEY = /^([ ]*(?:- +)*)([A-Za-z_][\w-]*)?$/;
const BLOCK = /^[|>][+-]?\d?\s*$/;

/** null: a comment, or nothing that is known. */
export function yamlPlace(text: string, cursor: number): YamlPlace | null {
  const before = text.slice(0, cursor);
  const lines = before.split('\n');
  const line = lines.pop() ?? '';
  const block = blockAround(lines, line);
  if (block !== null) {
    const { above, key, column } = block;
    const start = lines.slice(0, above + 1).join('\n').length + 1;
    const around = parentsOf(lines.slice(0, above), column);
    return {
      ...{ path: [...around, key], part: 'value', typed: before.slice(start), start, quotes: 'none' },
      beside: keysBeside(text, above, column),
    };
  }
  const at = before.length - line.length;
  const keyed = KEYED.exec(line);
  if (keyed !== null) {
    const [all, indent = '', key = ''] = keyed;
    const [column, path] = [indent.length, parentsOf(lines, indent.length)];
    const beside = keysBeside(text, lines.length, column);
    return inFlow({ path: [...path, key], beside }, line.slice(all.length), at + all.length);
  }
  const flow = /^([ ]*(?:- +)*)(?=[[{'"])/.exec(line);
  if (flow !== null) {
    const indent = (flow[1] ?? '').length;
    return inFlow({ path: parentsOf(lines, indent), beside: new Map() }, line.slice(indent), at + indent);
  }
  const [, indent = '', typed = ''] = TYPED_KEY.exec(line) ?? [];
  if (!TYPED_KEY.test(line)) return null;
  const column = indent.length;
  return {
    ...{ path: parentsOf(lines, column), part: 'key', typed, start: cursor - typed.length, quotes: 'none' },
    beside: keysBeside(text, lines.length, column),
  };
}

interface Block {
  /** The line with its key. */
  readonly above: number;
  readonly key: string;
  readonly column: number;
}

/** The block of text, below `key: |`, that a line is in. */
function blockAround(lines: readonly string[], line: string): Block | null {
  const indent = line.trim() === '' ? line.length : line.length - line.trimStart().length;
  for (let above = lines.length - 1; above >= 0; above--) {
    const other = lines[above] ?? '';
    if (other.trim() === '' || other.length - other.trimStart().length >= indent) continue;
    const [all = '', dashes = '', key = ''] = KEYED.exec(other) ?? [];
    return all !== '' && dashes.length < indent && BLOCK.test(other.slice(all.length))
      ? { above, key, column: dashes.length }
      : null;
  }
  return null;
}

/** The keys above that what stands in a column belongs to. */
function parentsOf(lines: readonly string[], column: number): readonly string[] {
  const path: string[] = [];
  let inside = column;
  for (let at = lines.length - 1; at >= 0 && inside > 0; at--) {
    const [, dashes, key = ''] = KEYED.exec(lines[at] ?? '') ?? [];
    if (dashes === undefined || dashes.length >= inside) continue;
    path.unshift(key);
    inside = dashes.length;
  }
  return path;
}

/** The keys of the same map, but for that of the line itself. */
function keysBeside(text: string, line: number, column: number): ReadonlyMap<string, string> {
  const lines = text.split('\n');
  const found = new Map<string, string>();
  /** Whether the map goes on beyond a line. */
  const read = (at: number, isAbove: boolean): boolean => {
    const one = lines[at] ?? '';
    if (one.trim() === '') return true;
    const dashes = /^[ ]*(?:- +)*/.exec(one)?.[0] ?? '';
    if (dashes.length < column) return false;
    const isFirst = dashes.length === column && dashes.includes('-');
    if (isFirst && !isAbove) return false;
    const [all, , key] = KEYED.exec(one) ?? [];
    if (dashes.length === column && key !== undefined) found.set(key, one.slice(all?.length ?? 0).trim());
    return !isFirst;
  };
  const startsItem = /^[ ]*- /.test(lines[line] ?? '');
  if (!startsItem) for (let at = line - 1; at >= 0 && read(at, true); at--);
  for (let at = line + 1; at < lines.length && read(at, false); at++);
  return found;
}

type Around = Pick<YamlPlace, 'path' | 'beside'>;

/** Follows brackets and quotes within a line. @param at Where the text begins. */
function inFlow(around: Around, text: string, at: number): YamlPlace | null {
  let [path, beside, isMap] = [around.path, new Map(around.beside), false];
  const outer: (readonly [typeof path, typeof beside, boolean])[] = [];
  let start = 0;
  let key: string | null = null;
  const end = (until: number): void => {
    if (key !== null) beside.set(key, text.slice(start, until).trim());
    key = null;
  };
  for (let index = 0; index < text.length; index++) {
    const sign = text[index] ?? '';
    if (sign === '#' && (index === 0 || text[index - 1] === ' ')) return null;
    if ((sign === "'" || sign === '"') && text.slice(start, index).trim() === '') {
      const closing = closingQuote(text, index);
      if (closing === -1) return { path: key === null ? path : [...path, key], part: 'value', typed: text.slice(index + 1), start: at + index + 1, quotes: sign === "'" ? 'single' : 'double', beside };
      index = closing;
    } else if ((sign === '{' || sign === '[') && text.slice(start, index).trim() === '') {
      outer.push([path, beside, isMap]);
      [path, beside, isMap] = [key === null ? path : [...path, key], sign === '{' ? new Map<string, string>() : beside, sign === '{'];
      [key, start] = [null, index + 1];
    } else if ((sign === '}' || sign === ']') && outer.length > 0) {
      end(index);
      [path, beside, isMap] = outer.pop()!;
      start = index + 1;
    } else if (sign === ',' && outer.length > 0) {
      end(index);
      start = index + 1;
    } else if (sign === ':' && isMap && key === null && /^\s/.test(text[index + 1] ?? ' ')) {
      [key, start] = [text.slice(start, index).trim(), index + 1];
    }
  }
  const [, space = '', typed = ''] = /^(\s*)(.*)$/s.exec(text.slice(start)) ?? [];
  const isKey = isMap && key === null;
  return { path: key === null ? path : [...path, key], part: isKey ? 'key' : 'value', typed, start: at + start + space.length, quotes: 'none', beside };
} // prettier-ignore

/** -1: there is none. */
function closingQuote(text: string, open: number): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++;
    else if (text[at] === quote && text[at + 1] === quote && quote === "'") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}
