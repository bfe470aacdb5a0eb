/**
 * How the schema of a SQLite file differs from one that this program makes. A file from elsewhere may have what runs with every
 * read or write: triggers, views, virtual tables, generated columns, checks, indexes on expressions.
 */
import type Database from 'better-sqlite3';
import { MOST_TOLD, shortened } from './text/shown.ts';

/** What a schema has: statements in one spelling, by what they make, as in `table segments`. */
export type KnownSchema = ReadonlyMap<string, string>;

interface Row {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

/** Read of a schema; ours have about a hundred parts. */
const MOST_PARTS = 1_000;
/** Characters read of a statement; ours have about a thousand. */
const MOST_SQL = 20_000;

/** Parts of the schema of a database. Runs nothing of it. */
export function schemaOf(db: Database.Database): KnownSchema {
  const rows = db
    .prepare<[], Row>(`SELECT type, name, substr(sql, 1, ${MOST_SQL}) AS sql FROM sqlite_schema LIMIT ${MOST_PARTS}`)
    .all();
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${JSON.stringify(name)}`, spelled(sql ?? '')]));
}

/** One line for each difference, the first of many. @param optional What may be missing. */
export function schemaProblems(
  found: KnownSchema,
  known: KnownSchema,
  optional: (part: string) => boolean = () => false,
): string[] {
  const foreign = [...found.keys()].filter((part) => !known.has(part));
  const other = [...found].filter(([part, sql]) => known.has(part) && known.get(part) !== sql);
  const missing = [...known.keys()].filter((part) => !found.has(part) && !optional(part));
  return [
    ...foreign.map((part) => `it has a ${shortened(part)}, which Windlass did not make`),
    ...other.map(([part]) => `its ${shortened(part)} is not as Windlass makes it`),
    ...missing.map((part) => `it lacks the ${shortened(part)}`),
  ].slice(0, MOST_TOLD);
}

/**
 * A statement without comments and quotes of names, with its definitions in order of the alphabet: columns that were added later
 * stand at the end, and texts keep the blanks with which they were written.
 */
function spelled(sql: string): string {
  const parts: string[] = [''];
  let depth = 0;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (/^(?:\s|--|\/\*)/.test(token)) continue;
    if (token === ')') depth--;
    if (token === ',' && depth === 1) parts.push('');
    else if (token === ')' && depth === 0) parts.push(')');
    else parts[parts.length - 1] += ` ${token.replace(/^"(\w+)"$/, '$1')}`;
    if (token === '(' && depth++ === 0) parts.push('');
  }
  const [head = '', ...rest] = parts;
  return [head, ...rest.toSorted((a, b) => (a < b ? -1 : 1))].join('\n');
}

/** Blanks, comments, texts, quoted names, words, and single characters. */
const TOKEN = /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|[\s\S]/g;
