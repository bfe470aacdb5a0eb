/** Our Markdown pages as plain text: headings, paragraphs, lists, tables, blocks of code. */
import { wrapTo } from '../output/display-width.ts';

const INDENT = '  ';

/** Lines of at most `width` columns, unless a word or line of code is longer. */
export function markdownText(markdown: string, width: number): string {
  const blocks = markdown.match(/^```[^]*?^```$|(?:^(?!```).+\n?)+/gm) ?? [];
  return blocks.map((block) => blockText(block.trimEnd(), width)).join('\n\n');
}

function blockText(block: string, width: number): string {
  if (block.startsWith('```')) return indented(block.split('\n').slice(1, -1), INDENT);
  if (block.startsWith('#')) return plain(block.replace(/^#+ /, '')).toUpperCase();
  if (block.startsWith('|')) return tableText(block, width);
  if (block.startsWith('- ')) {
    const items = block.split(/\n(?=- )/).map((item) => item.slice(2));
    return items.map((item) => wrapped(plain(item), width, `${INDENT}- `)).join('\n');
  }
  return wrapped(plain(block), width, INDENT);
}

/** Each row as an entry: its first cell, and the others below it, named by their columns if there are several. */
function tableText(table: string, width: number): string {
  const [names = [], , ...rows] = table.split('\n').map(cellsOf);
  const rest = INDENT.repeat(3);
  return rows
    .map(([term = '', ...cells]) => {
      const texts = cells.flatMap((cell, i) => (cell === '' ? [] : cells.length > 1 ? `${names[i + 1] ?? ''}: ${cell}` : cell)); // prettier-ignore
      return [wrapped(term, width, INDENT), ...texts.map((text) => wrapped(text, width, rest))].join('\n'); // prettier-ignore
    })
    .join('\n');
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim().replaceAll('\\|', '|')));
}

/** Removes Markdown's marks: keeps the text of code, bold and links. */
function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map(
      (part) =>
      part.startsWith('`') ? part.slice(1, -1) : part.replace(/\*\*(.+?)\*\*/g, '$1').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1'), // prettier-ignore
    )
    .join('')
    .replace(/\s+/g, ' ');
}

/** Lines after the first are indented as far as its text. */
function wrapped(text: string, width: number, first: string): string {
  const lines = wrapTo(text, width - first.length);
  return lines.map((line, i) => (i === 0 ? first : ' '.repeat(first.length)) + line).join('\n');
}

function indented(lines: readonly string[], indent: string): string {
  return lines.map((line) => (line === '' ? '' : indent + line)).join('\n');
}
