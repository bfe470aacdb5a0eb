/** The content of a card: a picture of its answers, or why there is none. */
import type { Card } from '../../lib/dashboards/dashboard.ts';
import type { CardData, Envelope } from '../../lib/dashboards/data.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { made } from '../element.ts';
import type { AddressOf } from './card-link.ts';
import { columnTitle, groupText, hasNumbers, type ChartData } from './chart-data.ts';
import { axisView, drawable, pathView, pieView } from './chart-view.ts';
import { eventStream } from './event-stream.ts';
import { funnelView } from './funnel-view.ts';
import type { HeadingLevel } from './heading.ts';
import { below } from './heading.ts';
import { markdownView } from './markdown.ts';
import { numberView } from './number-view.ts';
import { retentionView } from './retention-view.ts';
import { tableView } from './table-view.ts';

type Ready = Extract<CardData, { state: 'ready' }>;

/** `level`: of the card's title. `addressOf`: where to see who is behind a part of it. */
interface Drawing {
  readonly level: HeadingLevel;
  readonly addressOf: AddressOf;
}

export function cardContent(card: Card, data: CardData, { level, addressOf }: Drawing): HTMLElement {
  if (card.viz === 'markdown')
    return markdownView(card.text ?? '', card.title ?? card.id, card.title === null ? level : below(level));
  if (data.state === 'error') return problemView(data.message, data.hint);
  const answers = Object.values(data.queries);
  if (card.viz !== 'number' && answers.every(isEmpty)) return emptyView(answers);
  const view = picture(card, data, addressOf) ?? emptyView(answers);
  return card.kind === 'experiment' ? belowVerdict(view, answers) : view;
}

/** null: the answers have rows, but nothing that this picture can show. */
function picture(card: Card, data: Ready, addressOf: AddressOf): HTMLElement | null {
  const label = card.title ?? card.id;
  const [first] = Object.values(data.queries);
  switch (card.viz) {
    case 'markdown':
      return null;
    case 'number':
      return numberView(card, data);
    case 'table':
      return tableView(data.queries, label, card.options);
    case 'events':
      return first === undefined ? null : eventStream(first, label);
    case 'funnel':
      return first === undefined ? null : funnelView(first, label, addressOf);
    case 'retention':
      return first === undefined ? null : retentionView(first, label, addressOf);
    case 'path':
      return first === undefined ? null : pathView(card, first);
    case 'pie':
    case 'line':
    case 'area':
    case 'bar':
    case 'lifecycle':
    case 'histogram': {
      const chart = drawable(data.queries, card);
      if (chart === null || !hasNumbers(chart)) return null;
      return card.viz === 'pie'
        ? pieView(card, chart)
        : axisView(card, card.viz, chart, placeAddress(first, chart, addressOf));
    }
    default:
      return unreachable(card.viz);
  }
}

/** Where to see who is behind the bar or point at a place. */
function placeAddress(
  answer: Envelope | undefined,
  chart: ChartData,
  addressOf: AddressOf,
): (key: string) => string | null {
  const column = answer?.column_types.find(({ name }) => columnTitle(name) === chart.along);
  if (answer === undefined || column === undefined || (column.role !== 'group' && column.role !== 'bucket'))
    return () => null;
  return (key) => {
    const row = answer.rows.find((one) => groupText(one[column.name]) === key);
    const cell = row?.[column.name] ?? null;
    if (row === undefined || (cell !== null && typeof cell !== 'string' && typeof cell !== 'number')) return null;
    return addressOf({ chosen: { [column.name]: cell } });
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

function isEmpty({ rows }: Envelope): boolean {
  return rows.length === 0;
}
