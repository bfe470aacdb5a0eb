/** The content of a card: a picture of its answers, or why there is none. */
import type { Annotation, Card, Viz } from '../../lib/dashboards/dashboard.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { made } from '../element.ts';
import type { CardLinks } from './card-link.ts';
import { groupText, hasNumbers, type Answers, type ChartData } from './chart-data.ts';
import { cellOf } from '../cell-part.ts';
import { axisView, drawable, pathView, pieView, type PlaceAddress } from './chart-view.ts';
import { eventStream } from './event-stream.ts';
import { factsView } from './facts-view.ts';
import { funnelView } from './funnel-view.ts';
import type { HeadingLevel } from './heading.ts';
import { below } from './heading.ts';
import { markdownView } from './markdown.ts';
import { hasStreams } from './path-chart.ts';
import { numberView } from './number-view.ts';
import { retentionView } from './retention-view.ts';
import { tableView } from './table-view.ts';

type Ready = Extract<CardData, { state: 'ready' }>;

/** `level`: of the card's title. `annotations`: for charts over time. */
interface Drawing {
  readonly annotations: readonly Annotation[];
  readonly level: HeadingLevel;
  readonly links: CardLinks;
}

export function cardContent(card: Card, data: CardData, { level, ...drawing }: Drawing): HTMLElement {
  if (card.viz === 'markdown')
    return markdownView(card.text ?? '', card.title ?? card.id, card.title === null ? level : below(level));
  if (data.state === 'error') return problemView(data.message, data.hint);
  const answers = Object.values(data.queries);
  if (card.viz !== 'number' && answers.every(isEmpty))
    return card.viz === 'facts' ? nothingKnown() : emptyView(answers);
  const view = picture(card, data, drawing) ?? emptyView(answers);
  return card.kind === 'experiment' ? belowVerdict(view, answers) : view;
}

/** null: the answers have rows, but nothing that this picture can show. */
function picture(card: Card, data: Ready, { links, annotations }: Omit<Drawing, 'level'>): HTMLElement | null {
  const label = card.title ?? card.id;
  const [first] = Object.values(data.queries);
  switch (card.viz) {
    case 'markdown':
      return null;
    case 'number':
      return numberView(card, data, links);
    case 'table':
      return tableView(data.queries, label, { options: card.options, links });
    case 'events':
      return first === undefined ? null : eventStream(first, label, links.person);
    case 'facts':
      return first === undefined ? null : factsView(first, label, card.options);
    case 'funnel':
      return first === undefined ? null : funnelView(first, label, links.part);
    case 'retention':
      return first === undefined ? null : retentionView(first, label, { options: card.options, addressOf: links.part });
    case 'path':
      if (first === undefined) return null;
      return hasStreams(first)
        ? pathView(card, first, links.part)
        : tableView(data.queries, label, { options: card.options, links });
    case 'pie':
    case 'line':
    case 'area':
    case 'bar':
    case 'lifecycle':
    case 'histogram': {
      const chart = drawable(data.queries, card, annotations);
      if (chart === null || !hasNumbers(chart)) return null;
      const addressOf = placeAddress(data.queries, chart, links);
      return card.viz === 'pie'
        ? pieView(card, chart, addressOf)
        : axisView(card, overNames(chart) ? asBars(card.viz) : card.viz, chart, addressOf);
    }
    default:
      return unreachable(card.viz);
  }
}

/** Whether its places are names: a line between them would say that something lies there. */
function overNames({ unit, places }: ChartData): boolean {
  return unit === null && places.some(({ key }) => !Number.isFinite(Number(key)));
}

const asBars = <V extends Viz>(viz: V): V | 'bar' => (viz === 'line' || viz === 'area' ? 'bar' : viz);

/** Where a bar, a slice or a point leads: to what is behind its number, or behind its place whatever the series. */
function placeAddress(answers: Answers, chart: ChartData, links: CardLinks): PlaceAddress {
  return (key, at) => {
    const series = chart.series[at ?? (chart.series.length === 1 ? 0 : -1)];
    const [[query, answer] = []] = series === undefined ? Object.entries(answers) : Object.entries(answers).filter(([name]) => name === series.of?.query); // prettier-ignore
    const column = answer?.column_types.find(({ name }) => name === chart.column);
    if (query === undefined || answer === undefined || column === undefined) return null;
    if (column.role !== 'group' && column.role !== 'bucket') return null;
    const { split = null, group = null, metric = '' } = series?.of ?? {};
    const row = answer.rows.find((one) => groupText(one[column.name]) === key && (split === null || groupText(one[split]) === group)); // prettier-ignore
    if (row === undefined) return null;
    if (series !== undefined) return links.cell(query, { answer, row, column: metric });
    return links.part({ chosen: { [column.name]: cellOf(row[column.name]) } });
  };
}

/** The picture of an experiment, below the sentences that decide it. */
function belowVerdict(picture: HTMLElement, answers: readonly Envelope[]): HTMLElement {
  const verdicts = answers.flatMap(({ notes }) => notes.filter((note) => note.startsWith('Verdict')));
  const view = made('div', '', { class: 'experiment' });
  view.append(...verdicts.map((verdict) => made('p', verdict, { class: 'verdict' })), picture);
  return view;
}

/** What is wrong, and what to do. */
export function problemView(message: string, hint: string | null): HTMLElement {
  const view = made('div', '', { class: 'card-state wrong', role: 'alert' });
  view.append(made('p', message, { class: 'card-state-head' }));
  if (hint !== null) view.append(made('p', hint));
  return view;
}

/** The notes of an answer say where the nearest rows are, if there are any. */
function emptyView(answers: readonly Envelope[]): HTMLElement {
  const view = made('div', '', { class: 'card-state' });
  const note = answers.flatMap(({ notes }) => notes).find((text) => !/\bpartial\b/i.test(text));
  view.append(
    made('p', 'No data for this time range.', { class: 'card-state-head' }),
    made('p', note ?? 'Choose a longer range, or send events.'),
  );
  return view;
}

/** Profiles have no range that could be longer. */
function nothingKnown(): HTMLElement {
  const view = made('div', '', { class: 'card-state' });
  view.append(made('p', 'No profile.', { class: 'card-state-head' }), made('p', 'Send one with identify.'));
  return view;
}

function isEmpty({ rows }: Envelope): boolean {
  return rows.length === 0;
}
