// The current page: announces what happened, and refreshes it.
import { enableForms, focusHeading, replaceRegion } from './regions.js';

const SHOWN_MS = 6_000;
/** With a button, which must be found and pressed. */
const OFFERED_MS = 15_000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Has a sentence read out, and shows it for a while; '' hides what is shown.
 * @param {string} text
 * @param {(() => void) | null} [undo] What a button beside it does.
 */
export function announce(text, undo = null) {
  const announcer = document.getElementById('announcer');
  if (announcer === null) return;
  announcer.replaceChildren(text);
  if (undo !== null) announcer.append(' ', undoButton(undo));
  clearTimeout(hiding);
  const hide = () => {
    if (announcer.contains(document.activeElement))
      hiding = setTimeout(hide, SHOWN_MS); // somebody is about to press it
    else announcer.replaceChildren();
  };
  hiding = setTimeout(hide, undo === null ? SHOWN_MS : OFFERED_MS);
}

/** @param {() => void} undo */
function undoButton(undo) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Undo';
  button.addEventListener('click', () => {
    focusHeading(document.body); // the button goes
    announce('');
    undo();
  });
  return button;
}

/**
 * Shows what went wrong in an element with `role="alert"`; `null` clears it.
 * @param {Element | null} place
 * @param {unknown} error
 */
export function showProblem(place, error) {
  if (!(place instanceof HTMLElement)) return;
  place.replaceChildren();
  place.hidden = error === null;
  if (error === null) return;
  place.append(line('strong', error instanceof Error ? error.message : 'Something went wrong on this page.'));
  /** @type {unknown} */
  const hints = error instanceof Error && 'hints' in error ? error.hints : [];
  if (Array.isArray(hints)) place.append(...hints.map((/** @type {unknown} */ hint) => line('span', String(hint))));
}

/** How many refreshes have begun, and which of them is shown: an answer that comes late is older than what is shown. */
let begun = 0;
let shown = 0;

/** Fetches this page again and replaces the regions shown. Rejects when it cannot be fetched. */
export async function refreshRegions() {
  const own = ++begun;
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!response.ok || response.redirected) return location.reload();
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (own < shown) return;
  shown = own;
  enableForms(fresh);
  document.title = fresh.title;
  for (const region of document.querySelectorAll('[data-region]')) {
    const name = region.getAttribute('data-region') ?? '';
    const next = fresh.querySelector(`[data-region="${CSS.escape(name)}"]`);
    if (next !== null) replaceRegion(region, next);
  }
}

/**
 * @param {'strong' | 'span'} tag
 * @param {string} text
 */
function line(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
