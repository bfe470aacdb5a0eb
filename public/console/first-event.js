// Shows events as they arrive: sends one from here, and lists the latest while the page is visible.
import { call } from './api.js';
import { latestEvents, showEvents } from './latest-events.js';
import { announce, showProblem } from './page.js';

const EVERY_MS = 2_000;
const WATCHED_MS = 10 * 60_000;
export function addFirstEvent() {
  const section = document.querySelector('[data-first-event]');
  const send = section?.querySelector('button[data-send]');
  const watch = section?.querySelector('button[data-watch]');
  const place = section?.querySelector('[data-watched]');
  const list = section?.querySelector('[data-arrivals]');
  if (!(section instanceof HTMLElement) || !(place instanceof HTMLElement) || !(list instanceof HTMLElement)) return;
  if (!(send instanceof HTMLButtonElement) || !(watch instanceof HTMLButtonElement)) return;
  const watcher = new Watcher(section.dataset['query'] ?? '', place, list);
  send.hidden = false;
  watch.hidden = false;
  watch.addEventListener('click', () => void watcher.start());
  send.addEventListener('click', () => {
    watcher
      .start()
      .then(() => sendTestEvent(section.dataset['key'] ?? ''))
      .catch((/** @type {unknown} */ error) => watcher.fail(error));
  });
  if (section.dataset['new'] === 'yes') void watcher.start();
}

/** @param {string} key */
async function sendTestEvent(key) {
  const event = { event_type: 'test_event', device_id: 'console', event_properties: { sent_from: 'console' } };
  await call('POST', '/track', event, { 'X-API-Key': key });
}

/** Fetches the latest events every two seconds, for ten minutes, while the page is visible. */
class Watcher {
  #until = 0;
  #arrived = 0;
  /** Ids of the latest events; any other id is new. */
  #known = new Set();
  /** @type {readonly import('./latest-events.js').Row[]} */
  #rows = [];
  /** @type {Promise<void> | null} */
  #started = null;

  /**
   * @param {string} query
   * @param {HTMLElement} place
   * @param {HTMLElement} list
   */
  constructor(query, place, list) {
    this.query = query;
    this.place = place;
    this.list = list;
  }

  /**
   * Starts or continues watching. Resolves once it is known which events were there before.
   * @returns {Promise<void>}
   */
  start() {
    this.#until = Date.now() + WATCHED_MS;
    this.#started ??= this.#begin().catch((/** @type {unknown} */ error) => this.fail(error));
    return this.#started;
  }

  async #begin() {
    this.place.textContent = 'Waiting for events …';
    this.#rows = await latestEvents(this.query);
    this.#known = new Set(this.#rows.map(({ insert_id: id }) => id));
    this.#show();
    setTimeout(() => void this.#look(), EVERY_MS);
  }

  /** @param {unknown} error */
  fail(error) {
    this.#started = null;
    showProblem(this.place, error);
  }

  async #look() {
    if (this.#started === null) return;
    try {
      if (Date.now() > this.#until) return this.#giveUp();
      if (!document.hidden) this.#take(await latestEvents(this.query));
      setTimeout(() => void this.#look(), EVERY_MS);
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {readonly import('./latest-events.js').Row[]} rows */
  #take(rows) {
    const fresh = rows.filter(({ insert_id: id }) => !this.#known.has(id)).length;
    this.#rows = rows;
    this.#known = new Set(rows.map(({ insert_id: id }) => id));
    this.#show();
    if (fresh === 0) return;
    this.#arrived += fresh;
    const text = this.#arrived === 1 ? '1 event received.' : `${this.#arrived.toLocaleString()} events received.`;
    this.place.textContent = text;
    announce(text);
  }

  #show() {
    if (this.#rows.length === 0) return;
    this.list.hidden = false;
    document.querySelector('[data-nothing]')?.remove();
    showEvents(this.list.querySelector('[data-events]'), this.#rows);
  }

  #giveUp() {
    this.#started = null;
    this.place.textContent = 'Paused after 10 minutes. Press the button to go on.';
  }
}
