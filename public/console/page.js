// The current page: announces what happened, and refreshes it.

const SHOWN_MS = 6_000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Has a sentence read out, and shows it for a while.
 * @param {string} text
 */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  if (announcer === null) return;
  announcer.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => announcer.replaceChildren(), SHOWN_MS);
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

/** Fetches this page again and replaces the regions shown; forms and typed text stay. */
export async function refreshRegions() {
  const response = await fetch(location.href, { headers: { Accept: 'text/html' } });
  if (!response.ok || response.redirected) return location.reload();
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const region of document.querySelectorAll('[data-region]')) {
    const name = region.getAttribute('data-region') ?? '';
    const next = fresh.querySelector(`[data-region="${CSS.escape(name)}"]`);
    if (next === null) continue;
    const focused = region.contains(document.activeElement);
    region.replaceChildren(...next.childNodes);
    if (focused) focusHeading(region);
  }
}

/**
 * Moves the focus to the heading above when the focused element is gone.
 * @param {Element} region
 */
function focusHeading(region) {
  const heading = region.closest('section')?.querySelector('h2') ?? document.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
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
