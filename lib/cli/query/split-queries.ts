/**
 * The queries of a text, one a line. A query continues on the next line if that begins with `|` or `->`, if this one ends so, and
 * inside quotes and brackets. Blank lines and comment lines may be between queries or inside one.
 */
export function splitQueries(text: string): readonly string[] {
  const queries: string[] = [];
  let lines: string[] = [];
  let state: Scan = START;
  for (const line of text.split(/\r?\n/)) {
    const isOpen = state.quoted || state.depth > 0;
    const next = scan(line, state);
    if (!isOpen && next.isBlank) continue;
    const goesOn = isOpen || CONTINUES.test(line) || (lines.length > 0 && state.expectsMore);
    if (!goesOn && lines.length > 0) {
      queries.push(lines.join('\n'));
      lines = [];
    }
    lines.push(line);
    state = next;
  }
  return lines.length > 0 ? [...queries, lines.join('\n')] : queries;
}

/** State after a line. */
interface Scan {
  /** Inside a string. */
  readonly quoted: boolean;
  /** Open brackets. */
  readonly depth: number;
  /** Only a comment or blank. */
  readonly isBlank: boolean;
  /** It ends with `|`, `->` or a comma. */
  readonly expectsMore: boolean;
}

const START: Scan = { quoted: false, depth: 0, isBlank: true, expectsMore: false };
const CONTINUES = /^\s*(?:\||->)/;
const EXPECTS_MORE = /(?:\||->|,)\s*$/;

function scan(line: string, { quoted, depth }: Scan): Scan {
  let isQuoted = quoted;
  let open = depth;
  let end = line.length;
  for (let at = 0; at < end; at += 1) {
    const unit = line[at];
    if (isQuoted) {
      if (unit === '\\') at += 1;
      else if (unit === '"') isQuoted = false;
    } else if (unit === '"') isQuoted = true;
    else if (unit === '#') end = at;
    else if (unit === '(' || unit === '[') open += 1;
    else if (unit === ')' || unit === ']') open = Math.max(0, open - 1);
  }
  const code = line.slice(0, end);
  return {
    quoted: isQuoted,
    depth: open,
    isBlank: code.trim() === '',
    expectsMore: !isQuoted && EXPECTS_MORE.test(code),
  };
}
