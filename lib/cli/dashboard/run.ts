import { markdownCellText, markdownLineText } from '../../base/text/markdown-text.ts';
import type { CardData, DashboardData, Envelope } from '../../dashboards/data.ts';
import { runDashboard } from '../../dashboards/run.ts';
import { clientCommand, type ClientSession } from '../client/client-command.ts';
import { showTable } from '../query/show-answer.ts';
import { askServer, givenValues, tellFailures, VAR_OPTION } from './ask-server.ts';
import { readDashboard, soundDashboard } from './dashboard-file.ts';
import { required } from '../command.ts';
import type { Card } from '../../dashboards/dashboard.ts';
import { printedCell } from '../output/cell.ts';

export const dashboardRun = clientCommand({
  usage: 'run',
  summary: 'Run every query of a dashboard and print the data; exits with 1 if a card fails',
  examples: [
    ['wl dashboard run --file growth.yaml --json', 'as data'],
    ['wl dashboard run --file growth.yaml --format markdown --var country=DE', 'prints it, with another country'],
  ],
  options: {
    file: required('The file, or - for stdin'),
    var: VAR_OPTION,
  },
  completes: { file: 'file' },
  formats: ['table', 'json', 'markdown'],
  run: async ({ file, var: given }, session) => {
    const { api, output, signal } = session;
    const dashboard = soundDashboard(await readDashboard(file, signal));
    const data = await runDashboard({ dashboard, values: givenValues(dashboard, given), ask: askServer(api) });
    switch (output.format) {
      case 'json':
        output.json(jsonOf(data));
        break;
      case 'markdown':
        output.raw(markdownOf(data));
        break;
      default:
        await showTables(session, data);
    }
    return tellFailures(session, data);
  },
});

function jsonOf({ dashboard, values, at, cards }: DashboardData) {
  const { id, title, sections } = dashboard;
  return {
    ...{ id, title, at, values },
    sections: sections.map((section) => ({
      title: section.title,
      cards: section.cards.map((card) => ({
        ...{ id: card.id, title: card.title, kind: card.kind, viz: card.viz },
        ...(card.text === null ? {} : { text: card.text }),
        ...cards[card.id],
      })),
    })),
  };
}

async function showTables({ output }: ClientSession, { dashboard, cards }: DashboardData): Promise<void> {
  for (const card of dashboard.sections.flatMap((section) => section.cards)) {
    const data: CardData | undefined = cards[card.id];
    output.heading(card.title ?? card.id);
    if (card.text !== null) output.raw(card.text);
    if (data?.state !== 'ready') continue; // stderr says why
    for (const [name, answer] of Object.entries(data.queries)) {
      if (card.queries.length > 1) output.heading(name);
      await showTable(output, answer, false);
    }
  }
}

function markdownOf({ dashboard, values, at, cards }: DashboardData): string {
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
  ];
}

function answerBlocks({ column_types: columns, rows, total, range, notes }: Envelope): readonly string[] {
  const table = [
    columns.map(({ name }) => markdownCellText(name)),
    columns.map(({ type }) => (['number', 'ratio', 'seconds'].includes(type) ? '---:' : '---')),
    ...rows.map((row) =>
      columns.map((column) =>
        row[column.name] === null ? '' : markdownCellText(printedCell(row[column.name], column).text),
      ),
    ),
  ].map((cells) => `| ${cells.join(' | ')} |`);
  const context = `${rows.length} of ${total} ${total === 1 ? 'row' : 'rows'}, ${range.from} to ${range.to} (${range.timezone})`;
  return [
    ...(columns.length === 0 ? [] : [table.join('\n')]),
    [context, ...notes.map((note) => `Note: ${line(note)}`)].join('\n'),
  ];
}

function line(text: string): string {
  return markdownLineText(text.replaceAll(/\s*\n\s*/g, ' '));
}
