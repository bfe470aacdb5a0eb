/** A dashboard in a file: with the data of one moment, or with a token that fetches new data. */
import { readJson } from '../../public/console/read-json.js';
import type { DashboardData, SavedDashboard } from '../../lib/dashboards/data.ts';
import { DashboardRun } from '../../lib/dashboards/run.ts';
import { asking } from './answer-source.ts';
import type { BoardRun } from './board.ts';
import { Board } from './board.ts';

export function showFile(place: HTMLElement): void {
  const contents = contentsOf(document.getElementById('dashboard-data')?.textContent ?? '');
  const board = contents.mode === 'report' ? report(contents.data) : interactive(contents);
  place.replaceChildren(board.element);
  board.start();
}

function contentsOf(text: string): SavedDashboard {
  const contents: unknown = readJson(text);
  if (isContents(contents)) return contents;
  throw new Error('this file holds no dashboard');
}

/** One program wrote file and script, so it is enough to check that it is one of the two. */
function isContents(value: unknown): value is SavedDashboard {
  return typeof value === 'object' && value !== null && 'mode' in value;
}

function report(data: DashboardData): Board {
  const { dashboard, values } = data;
  const known = new DashboardRun({ dashboard, values, ask: () => Promise.reject(new Error('a report asks nothing')) });
  const run: BoardRun = {
    asked: (card) => known.asked(card),
    card: ({ id }) => Promise.resolve(data.cards[id] ?? MISSING),
    options: () => Promise.resolve([]),
    annotations: () => Promise.resolve(data.dashboard.annotations ?? []),
    stop: () => undefined,
  };
  return new Board(dashboard, { level: 1, run: () => run, fixed: { values, at: data.at } });
}

const MISSING = { state: 'error', message: 'This file has no data for this card.', hint: 'Save it again.' } as const;

function interactive({ dashboard, host, token }: Extract<SavedDashboard, { mode: 'interactive' }>): Board {
  const ask = asking(`${host.replace(/\/+$/, '')}/query`, { 'X-API-Key': token });
  return new Board(dashboard, { level: 1, run: (values) => new DashboardRun({ dashboard, values, ask }), fixed: null });
}
