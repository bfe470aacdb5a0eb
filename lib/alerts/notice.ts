/** What an alert tells, and how it is written for each kind of receiver. */
import { isoTime } from '../base/day.ts';
import type { JsonRecord } from '../base/is-record.ts';
import { shortened } from '../base/text/shown.ts';
import type { DashboardData } from '../dashboards/data.ts';
import { cellShown } from './condition.ts';

/** `broken`: it could not be answered. */
export const NOTICE_KINDS = ['fired', 'over', 'broken', 'report'] as const;

export interface Notice {
  readonly kind: (typeof NOTICE_KINDS)[number];
  /** Of the message: the same of each try. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly project: { readonly id: string; readonly name: string };
  readonly alert: { readonly id: string; readonly title: string; readonly description: string | null };
  /** A sentence: what was seen, or why there is no answer. */
  readonly saw: string;
  /** Where to look further. */
  readonly url: string;
  /** The first rows of the answer. */
  readonly columns: readonly string[];
  readonly rows: readonly JsonRecord[];
  readonly total: number;
  /** Of a dashboard: what it showed. */
  readonly report: DashboardData | null;
}

/** Rows that a message brings, and characters of a cell and of a table in it. */
export const NOTICE_ROWS = 50;
const MOST_CELL = 40;
const MOST_TABLE = 20_000;

const HEADS = { fired: 'Fired', over: 'Over', broken: 'No answer', report: 'Report' } as const;

export const noticeHead = ({ kind, alert }: Notice): string => `${HEADS[kind]}: ${alert.title}`;

/** The body of a webhook in the Standard Webhooks format: type, timestamp, data. */
export function webhookBody({ kind, at, project, alert, saw, url, columns, rows, total }: Notice): string {
  const data = { project_id: project.id, alert_id: alert.id, title: alert.title, saw, url, columns, rows, total };
  return JSON.stringify({ type: `alert.${kind}`, timestamp: isoTime(at), data });
}

/** Slack takes 40,000 characters and shows some 4,000. In its text `<` begins commands such as `<!channel>`. */
export function slackBody(notice: Notice): string {
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const text = chatText(notice, { most: 3_500, code: (table) => `\`\`\`${table.replaceAll('`', '´')}\`\`\`` });
  return JSON.stringify({ text: escaped(text) });
} // prettier-ignore

/** Discord takes 2,000 characters; nobody is mentioned, whatever the text says. */
export function discordBody(notice: Notice): string {
  const content = chatText(notice, { most: 1_900, code: (table) => `\`\`\`\n${table.replaceAll('`', '´')}\n\`\`\`` });
  return JSON.stringify({ content, allowed_mentions: { parse: [] } });
}

interface Chat {
  /** Characters. */
  readonly most: number;
  readonly code: (table: string) => string;
}

/** The table goes in as far as there is room. */
function chatText(notice: Notice, { most, code }: Chat): string {
  const { project, alert, saw, url } = notice;
  const lines = [`${noticeHead(notice)} (${shortened(project.name, 100)})`, alert.description, saw].flatMap((line) => line ? [shortened(line, 500)] : []); // prettier-ignore
  const room = most - lines.join('\n').length - url.length - 20;
  const table = noticeTable(notice, room);
  return [...lines, ...(table === '' ? [] : [code(table)]), url].join('\n');
}

/** The rows as text in columns of one width; '': there are none. Whole lines, as many as have room in `most` characters. */
export function noticeTable({ columns, rows, total }: Pick<Notice, 'columns' | 'rows' | 'total'>, most = MOST_TABLE): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => columns.map((name) => shortened(cellShown(name, row[name]).replaceAll(/\s/g, ' '), MOST_CELL))); // prettier-ignore
  const heads = columns.map((name) => shortened(name, MOST_CELL));
  const widths = heads.map((head, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const lineOf = (texts: readonly string[]): string => texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  ').trimEnd(); // prettier-ignore
  const lines = [lineOf(heads), ...cells.map(lineOf)];
  let left = most - 30;
  const kept = lines.filter((line) => (left -= line.length + 1) >= 0);
  if (kept.length < 2) return '';
  const missing = total - (kept.length - 1);
  return [...kept, ...(missing > 0 ? [`… ${missing.toLocaleString('en')} more rows`] : [])].join('\n');
} // prettier-ignore

export interface AlertLetter {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** Of text in columns; '': none. */
  readonly table: string;
  readonly link: { readonly label: string; readonly href: string };
}

export function letterOf(notice: Notice): AlertLetter {
  const { project, alert, saw, url, report } = notice;
  const attached = report === null ? null : 'The dashboard is attached as one HTML file, as it was then: open it in a browser.'; // prettier-ignore
  return {
    subject: `${noticeHead(notice)} (${shortened(project.name, 100)})`,
    paragraphs: [saw, alert.description, attached].flatMap((text) => (text ? [text] : [])),
    table: noticeTable(notice),
    link: { label: report === null ? 'Look at the alert' : 'Open the dashboard', href: url },
  };
}
