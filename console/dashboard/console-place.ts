/** The tab "Dashboards" of a project: the list of stored dashboards, or one of them. */
import { call } from '../../public/console/api.js';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { DashboardRun } from '../../lib/dashboards/run.ts';
import { made } from '../element.ts';
import { asking, namingCohorts } from './answer-source.ts';
import { Board } from './board.ts';
import { problemView } from './card-content.ts';

interface Stored {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly visibility: string;
  readonly updated_at: string;
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export async function showConsole(place: HTMLElement): Promise<void> {
  const { api = '', path = '', id = '' } = place.dataset;
  try {
    if (id === '') place.replaceChildren(listView(await stored(api), path));
    else await open(place, { api, id });
  } catch (error) {
    place.replaceChildren(problemView(error instanceof Error ? error.message : String(error), 'Try again, or go back to the list.')); // prettier-ignore
  }
  place.removeAttribute('aria-busy');
}

async function open(place: HTMLElement, { api, id }: { api: string; id: string }): Promise<void> {
  const answer = await call('GET', `${api}/dashboards/${encodeURIComponent(id)}`);
  const dashboard = dashboardOf(answer);
  const [ask, cohorts] = [asking(`${api}/query`), namingCohorts(`${api}/cohorts`)];
  const board = new Board(dashboard, {
    level: 2,
    run: (values) => new DashboardRun({ dashboard, values, ask, cohorts }),
    fixed: null,
  });
  place.replaceChildren(board.element);
  document.title = `${dashboard.title} · ${document.title}`;
  board.start();
}

async function stored(api: string): Promise<readonly Stored[]> {
  const answer = await call('GET', `${api}/dashboards`);
  return Array.isArray(answer) ? answer.filter(isStored) : [];
}

function listView(list: readonly Stored[], path: string): HTMLElement {
  if (list.length === 0) return emptyList();
  const items = made('ul', '', { class: 'cards' });
  for (const { id, title, version, visibility, updated_at: at } of list) {
    const item = made('li', '', { class: 'card' });
    const name = made('h3');
    name.append(made('a', title, { href: `${path}/${encodeURIComponent(id)}` }));
    const changed = `Version ${version}, ${DAY.format(new Date(at))}`;
    item.append(name, made('p', visibility === 'personal' ? `${changed}. Only you see it.` : `${changed}.`));
    items.append(item);
  }
  return items;
}

function emptyList(): HTMLElement {
  const view = made('div', '', { class: 'empty' });
  const command = made('pre', 'wl dashboard init --output first.yaml\nwl dashboard sync --file first.yaml --visibility project', { tabindex: '0' }); // prettier-ignore
  view.append(
    made('p', 'No dashboards yet.', { class: 'empty-heading' }),
    made('p', 'A dashboard is a YAML file that you or an agent writes. Start with one that fits your events:'),
    command,
  );
  return view;
}

/** Page and server have the same version, so it is enough to check that it is there. */
function dashboardOf(answer: unknown): Dashboard {
  if (typeof answer === 'object' && answer !== null && 'dashboard' in answer && isDashboard(answer.dashboard)) return answer.dashboard; // prettier-ignore
  throw new Error('The server’s answer is not a dashboard.');
}

function isDashboard(value: unknown): value is Dashboard {
  return typeof value === 'object' && value !== null && 'sections' in value && 'variables' in value;
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'id' in value && 'title' in value && 'updated_at' in value;
}
