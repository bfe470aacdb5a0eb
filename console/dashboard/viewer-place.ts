/** The page of `wl dashboard view`: the dashboards of a file or folder, updated while somebody writes them. */
import { answerOf, send } from '../../public/console/api.js';
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { DashboardRun } from '../../lib/dashboards/run.ts';
import { made } from '../element.ts';
import { annotationsAt, asking, namingCohorts } from './answer-source.ts';
import { Board } from './board.ts';
import { problemView } from './card-content.ts';
import { heading } from './heading.ts';

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly problems: readonly Problem[];
}

interface Opened {
  readonly id: string;
  readonly file: string;
  readonly dashboard: Dashboard | null;
  readonly problems: readonly Problem[];
}

const API = `${location.origin}/api`;

/** Reads again once it waits for changes, at first and after a break: it has not heard of those before. */
export function showViewer(place: HTMLElement): void {
  const viewer = new Viewer(place);
  viewer.show();
  const changes = new EventSource('/api/changes');
  for (const news of ['open', 'change']) changes.addEventListener(news, () => viewer.show());
}

class Viewer {
  readonly #place: HTMLElement;
  #board: Board | null = null;
  #shown = '';
  /** One read after the other: an older answer must not come after a newer one. */
  #reading: Promise<void> = Promise.resolve();
  #waits = false;

  constructor(place: HTMLElement) {
    this.#place = place;
  }

  /** Reads the list and the addressed dashboard; leaves an unchanged one on the page. */
  show(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#reading = this.#reading.then(() => this.#read());
  }

  async #read(): Promise<void> {
    this.#waits = false;
    try {
      const list = await listed();
      const id = /^\/dashboard\/([^/]+)$/.exec(location.pathname)?.[1];
      const current = id === undefined ? list[0]?.id : decodeURIComponent(id);
      showList(list, current);
      if (current === undefined) this.#say('There is no dashboard here.', 'Create one: wl dashboard init --output first.yaml');
      else await this.#open(current);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error), 'Is wl dashboard view still running?');
    }
  } // prettier-ignore

  async #open(id: string): Promise<void> {
    const opened = await read<Opened>(`/dashboards/${encodeURIComponent(id)}`, isOpened);
    const text = JSON.stringify(opened);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#board?.stop();
    this.#board = null;
    const { dashboard } = opened;
    if (dashboard === null) return this.#place.replaceChildren(problemList(opened));
    const [ask, cohorts] = [asking(`${API}/query`), namingCohorts(`${API}/cohorts`)];
    const annotations = annotationsAt(`${API}/annotations`);
    this.#board = new Board(dashboard, {
      level: 1,
      run: (values) => new DashboardRun({ dashboard, values, ask, cohorts, annotations }),
      fixed: null,
    });
    this.#place.replaceChildren(...(opened.problems.length > 0 ? [problems(opened)] : []), this.#board.element);
    document.title = `${dashboard.title} · Windlass`;
    this.#board.start();
  }

  #say(message: string, hint: string): void {
    this.#shown = '';
    this.#board?.stop();
    this.#board = null;
    this.#place.replaceChildren(heading(1, 'Dashboards'), problemView(message, hint));
  }
}

function listed(): Promise<readonly Listed[]> {
  return read<readonly Listed[]>('/dashboards', (value): value is readonly Listed[] => Array.isArray(value));
}

async function read<T>(path: string, isWanted: (value: unknown) => value is T): Promise<T> {
  return answerOf(await send('GET', API + path, {}), isWanted);
}

function isOpened(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null && 'problems' in value && 'dashboard' in value;
}

/** Hides a list of one. */
function showList(list: readonly Listed[], current: string | undefined): void {
  const nav = document.querySelector('[data-list]');
  if (!(nav instanceof HTMLElement)) return;
  nav.hidden = list.length < 2;
  const items = made('ul');
  for (const { id, title, problems: wrong } of list) {
    const link = made('a', title, { href: `/dashboard/${encodeURIComponent(id)}` });
    if (id === current) link.setAttribute('aria-current', 'page');
    if (wrong.length > 0) link.append(' ', made('span', String(wrong.length), { class: 'badge waiting', title: 'problems in the file' })); // prettier-ignore
    const item = made('li');
    item.append(link);
    items.append(item);
  }
  nav.replaceChildren(items);
}

function problemList(opened: Opened): HTMLElement {
  const view = made('div', '', { class: 'board' });
  view.append(heading(1, opened.id), problems(opened));
  document.title = `${opened.id} · Windlass`;
  return view;
}

function problems({ file, problems: all }: Opened): HTMLElement {
  const view = made('div', '', { class: 'problem', role: 'alert' });
  view.append(made('strong', all.length === 1 ? 'The file has a problem.' : `The file has ${all.length} problems.`));
  for (const { line, column, message } of all) view.append(made('pre', `${file}:${line}:${column} ${message}`, { tabindex: '0' })); // prettier-ignore
  return view;
}
