/** The tab "Dashboards" of a project: the list of stored dashboards, or one of them. */
import { readJson } from '../../public/console/read-json.js';
import { call } from '../../public/console/api.js';
import { takeFragment } from '../../public/console/fragment.js';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { DashboardRun } from '../../lib/dashboards/run.ts';
import { made } from '../element.ts';
import { annotationsAt, asking, namingCohorts } from './answer-source.ts';
import { Board, type BoardOptions } from './board.ts';
import { dayHere } from './buckets.ts';
import { problemView } from './card-content.ts';

interface Stored {
  readonly id: string;
  readonly title: string;
  readonly version: number;
  readonly visibility: string;
  readonly updated_at: string;
}

/** What the page has is drawn at once; else the list, or a dashboard that may not be there, is asked for. */
export async function showConsole(place: HTMLElement): Promise<void> {
  const { api = '', path = '', id = '', definition, new: newPath = '' } = place.dataset;
  try {
    if (definition === undefined && id === '') place.replaceChildren(listView(await stored(api), path), ...newLink(newPath));
    else openBoard(place, definition === undefined ? await call('GET', `${api}/dashboards/${encodeURIComponent(id)}`) : readJson(definition), editLink(place)); // prettier-ignore
  } catch (error) {
    place.replaceChildren(problemView(error instanceof Error ? error.message : String(error), 'Try again, or go back to the list.')); // prettier-ignore
  }
  place.removeAttribute('aria-busy');
}

/** Shows a dashboard with the values in the address, also in one that led to the login first. */
export function openBoard(
  place: HTMLElement,
  answer: unknown,
  options: Pick<BoardOptions, 'editPath' | 'titleOf'> = {},
): void {
  const { api = '', ask: askPath = '', person: personPath = '', id = '' } = place.dataset;
  const dashboard = dashboardOf(answer);
  const yaml = yamlOf(answer);
  const kept = takeFragment();
  if (location.hash === '' && kept !== '') history.replaceState(null, '', kept);
  const [ask, cohorts] = [asking(`${api}/query`), namingCohorts(`${api}/cohorts`)];
  const annotations = annotationsAt(`${api}/annotations`);
  const board = new Board(dashboard, {
    level: 2,
    run: (values) => new DashboardRun({ dashboard, values, ask, cohorts, annotations }),
    fixed: null,
    ...{ askPath, personPath, ...options },
    ...(yaml === null ? {} : { yaml }),
  });
  place.replaceChildren(board.element);
  if (id !== '') document.title = `${dashboard.title} · ${document.title}`;
  board.start();
}

async function stored(api: string): Promise<readonly Stored[]> {
  const answer = await call('GET', `${api}/dashboards`);
  return Array.isArray(answer) ? answer.filter(isStored) : [];
}

/** '': whoever sees the list may make none. */
function newLink(path: string): HTMLElement[] {
  return path === '' ? [] : [made('a', 'New dashboard', { href: path, class: 'button' })];
}

/** Who may make dashboards may edit this one. */
function editLink({ dataset: { path = '', id = '', new: newPath = '' } }: HTMLElement): Pick<BoardOptions, 'editPath'> {
  return newPath === '' ? {} : { editPath: `${path}/${encodeURIComponent(id)}/edit` };
}

function listView(list: readonly Stored[], path: string): HTMLElement {
  if (list.length === 0) return emptyList();
  const items = made('ul', '', { class: 'cards' });
  for (const { id, title, version, visibility, updated_at: at } of list) {
    const item = made('li', '', { class: 'card' });
    const name = made('h3');
    name.append(made('a', title, { href: `${path}/${encodeURIComponent(id)}` }));
    const changed = `Version ${version}, ${dayHere(at)}`;
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
    made('p', 'Dashboards are YAML files. Create one from your events:'),
    command,
  );
  return view;
}

/** It is of this version of the server, which checked it. */
function dashboardOf(answer: unknown): Dashboard {
  if (typeof answer === 'object' && answer !== null && 'dashboard' in answer && isDashboard(answer.dashboard)) return answer.dashboard; // prettier-ignore
  throw new Error('This is no dashboard.');
}

const yamlOf = (answer: unknown): string | null =>
  typeof answer === 'object' && answer !== null && 'yaml' in answer && typeof answer.yaml === 'string'
    ? answer.yaml
    : null;

function isDashboard(value: unknown): value is Dashboard {
  return typeof value === 'object' && value !== null && 'sections' in value && 'variables' in value;
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'id' in value && 'title' in value && 'updated_at' in value;
}
