// The demo page: loads the script with the key in its address, and shows logged-in users which events have arrived.
import { latestEvents, showEvents } from './latest-events.js';
import { showProblem } from './page.js';

const EVERY_MS = 2_000;
const WATCHED_MS = 10 * 60_000;

const parameters = new URLSearchParams(location.search);
const state = document.querySelector('[data-state]');
const until = Date.now() + WATCHED_MS;
let pages = 0;

/** What the buttons do, using `wl` like any page. */
const ACTIONS = new Map([
  ['track', () => tell('track', 'demo_click', { button: 'track' })],
  [
    'navigate',
    () => history.pushState({}, '', `?${new URLSearchParams({ ...own(), page: String(++pages) }).toString()}`),
  ],
  ['identify', () => tell('identify', 'ann', { plan: 'demo' })],
  ['reset', () => tell('reset')],
]);

start();

function start() {
  const { key, project } = own();
  if (key === '' || project === '') {
    showProblem(
      state,
      new Error('This page needs the key and the project in its address. The console has a link to it.'),
    );
    return;
  }
  const script = document.createElement('script');
  script.src = '/public/wl.js';
  script.dataset['key'] = key;
  script.dataset['host'] = location.origin;
  document.head.append(script);
  for (const button of document.querySelectorAll('[data-do]')) {
    button.addEventListener('click', () => ACTIONS.get(button.getAttribute('data-do') ?? '')?.());
  }
  void watch(`/api/projects/${encodeURIComponent(project)}/query`);
}

function own() {
  return { key: parameters.get('key') ?? '', project: parameters.get('project') ?? '' };
}

/** @param {readonly unknown[]} command */
function tell(...command) {
  /** @type {unknown} */
  const wl = Reflect.get(window, 'wl');
  if (typeof wl === 'object' && wl !== null && 'push' in wl && typeof wl.push === 'function')
    Reflect.apply(wl.push, wl, [command]);
}

/** @param {string} path */
async function watch(path) {
  try {
    if (!document.hidden) showEvents(document.querySelector('[data-events]'), await latestEvents(path));
    if (Date.now() < until) setTimeout(() => void watch(path), EVERY_MS);
  } catch (error) {
    showProblem(state, error);
  }
}
