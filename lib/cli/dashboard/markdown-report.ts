/** A dashboard's data as Markdown, for people and language models. */
import type { Card } from '../../dashboards/dashboard.ts';
import type { CardData, DashboardData, Envelope } from '../../dashboards/data.ts';
import { cellOf } from '../output/cell.ts';

export function markdownOf({ dashboard, values, at, cards }: DashboardData): string {
  const given = Object.entries(values).map(([name, value]) => `${name} = ${value === '' ? 'any' : value}`);
  const blocks = [
    `# ${line(dashboard.title)}`,
    ...(dashboard.description === null ? [] : [dashboard.description]),
    line([at, ...given].join(', ')),
  ];
  for (const section of dashboard.sections) {
    if (section.title !== null) blocks.push(`## ${line(section.title)}`);
    for (const card of section.cards) blocks.push(...cardBlocks(card, cards[card.id]));
  }
  return `${blocks.join('\n\n')}\n`;
}

function cardBlocks(card: Card, data: CardData | undefined): readonly string[] {
  const heading = `### ${line(card.title ?? card.id)}`;
  if (card.text !== null) return card.title === null ? [card.text] : [heading, card.text];
  if (data === undefined) return [heading];
  if (data.state === 'error')
    return [heading, `Failed: ${line(data.message)}${data.hint === null ? '' : ` ${line(data.hint)}`}`];
  return [
    heading,
    ...Object.entries(data.queries).flatMap(([name, answer]) => [
      ...(card.queries.length > 1 ? [`**${name}**`] : []),
      ...answerBlocks(answer),
    ]),
    ...Object.entries(data.previous ?? {}).flatMap(([name, answer]) => [
      `Before${card.queries.length > 1 ? `, ${name}` : ''}:`,
      ...answerBlocks(answer),
    ]),
  ];
}

function answerBlocks({ column_types: columns, rows, total, range, notes }: Envelope): readonly string[] {
  const table = [
    columns.map(({ name }) => cell(name)),
    columns.map(({ type }) => (['number', 'ratio', 'seconds'].includes(type) ? '---:' : '---')),
    ...rows.map((row) =>
      columns.map((column) => (row[column.name] === null ? '' : cell(cellOf(row[column.name], column).text))),
    ),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const context = `${rows.length} of ${total} ${total === 1 ? 'row' : 'rows'}, ${range.from} to ${range.to} (${range.timezone})`;
  return [
    ...(columns.length === 0 ? [] : [table.join('\n')]),
    [context, ...notes.map((note) => `Note: ${line(note)}`)].join('\n'),
  ];
}

function cell(text: string): string {
  return line(text).replaceAll('|', '\\|');
}

function line(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
