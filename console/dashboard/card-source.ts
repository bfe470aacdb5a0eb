/** The source of a card: its queries, and its lines in the file of the dashboard. */
import type { Card } from '../../lib/dashboards/dashboard.ts';

/** A query as it is asked. */
export interface Asked {
  readonly name: string;
  readonly q: string;
}

/** All queries of a card as one text; with several, each below its name. */
export function queriesText(asked: readonly Asked[]): string {
  const [only, another] = asked;
  if (only !== undefined && another === undefined) return only.q;
  return asked.map(({ name, q }) => `# ${name}\n${q}`).join('\n\n');
}

/** The lines of a file that are about a card; all of it where these cannot be told. */
export function cardYaml(yaml: string, { id, title }: Pick<Card, 'id' | 'title'>): string {
  const lines = yaml.replaceAll('\r\n', '\n').split('\n');
  const named = [placeOf(lines, 'id', id), title === null ? null : placeOf(lines, 'title', title)].find((place) => place !== null); // prettier-ignore
  if (named === undefined || named === null) return yaml;
  const first = lines.findLastIndex((line, at) => at <= named.line && isItem(line) && indentOf(line) < named.column);
  if (first < 0) return yaml;
  const indent = indentOf(lines[first]!);
  const after = lines.findIndex((line, at) => at > first && line.trim() !== '' && indentOf(line) <= indent);
  const own = lines.slice(first, after < 0 ? lines.length : after);
  return own.map((line) => line.slice(indent)).join('\n').trimEnd(); // prettier-ignore
}

/** Where a key has a value: in a block, or in braces. */
function placeOf(lines: readonly string[], key: string, value: string): { line: number; column: number } | null {
  for (const [line, text] of lines.entries()) {
    for (const written of [`${key}: ${value}`, `${key}: "${value}"`, `${key}: '${value}'`]) {
      const column = text.indexOf(written);
      if (column < 0) continue;
      const [before, after] = [text.slice(0, column).trim(), text.slice(column + written.length).trim()];
      const isKey = before === '' || /[-{,]$/.test(before);
      if (isKey && column > 0 && (after === '' || /^[,}#]/.test(after))) return { line, column };
    }
  }
  return null;
}

const isItem = (line: string): boolean => line.trimStart().startsWith('- ');

const indentOf = (line: string): number => line.length - line.trimStart().length;
