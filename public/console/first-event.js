// The first event: sends one from here, and watches whether events arrive.
import { call } from './api.js';
import { announce, refreshRegions, showProblem } from './page.js';

const EVERY_MS = 2_000;
const WATCHED_MS = 10 * 60_000;

export function addFirstEvent() {
  const section = document.querySelector('[data-first-event]');
  const send = section?.querySelector('button[data-send]');
  const watch = section?.querySelector('button[data-watch]');
  const place = section?.querySelector('[data-watched]');
  if (!(section instanceof HTMLElement) || !(place instanceof HTMLElement)) return;
  if (!(send instanceof HTMLButtonElement) || !(watch instanceof HTMLButtonElement)) return;
  const watcher = new Watcher(section.dataset['usage'] ?? '', place);
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

/** Asks for the day's usage until events have arrived that were not there before. */
class Watcher {
  #before = 0;
  #until = 0;
  /** @type {Promise<void> | null} */
  #started = null;

  /**
   * @param {string} usage
   * @param {HTMLElement} place
   */
  constructor(usage, place) {
    this.usage = usage;
    this.place = place;
  }

  /**
   * Watches from now on, or goes on with it. Resolves when it is known what was there before.
   * @returns {Promise<void>}
   */
  start() {
    this.#until = Date.now() + WATCHED_MS;
    this.#started ??= this.#begin().catch((/** @type {unknown} */ error) => this.fail(error));
    return this.#started;
  }

  async #begin() {
    this.place.textContent = 'Waiting for events …';
    this.#before = await this.#count();
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
      const arrived = (await this.#count()) - this.#before;
      if (arrived > 0) return await this.#finish(arrived);
      if (Date.now() > this.#until) return this.#giveUp();
      setTimeout(() => void this.#look(), EVERY_MS);
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {number} arrived */
  async #finish(arrived) {
    this.#started = null;
    const text = `Arrived: ${arrived.toLocaleString('en')} ${arrived === 1 ? 'event' : 'events'}.`;
    this.place.textContent = text;
    announce(text);
    await refreshRegions();
  }

  #giveUp() {
    this.#started = null;
    this.place.textContent = 'No event in ten minutes. The command above is complete: run it and watch again.';
  }

  /** Events of the current month. */
  async #count() {
    const rows = await call('GET', this.usage);
    if (!Array.isArray(rows)) return 0;
    return rows.reduce((/** @type {number} */ sum, /** @type {unknown} */ row) => sum + eventsOf(row), 0);
  }
}

/**
 * @param {unknown} row
 * @returns {number}
 */
function eventsOf(row) {
  const known = typeof row === 'object' && row !== null && 'events_ingested' in row ? row.events_ingested : 0;
  return typeof known === 'number' ? known : 0;
}
