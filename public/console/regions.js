// Parts of a page that are fetched again: what somebody is doing in them goes on.

/**
 * Puts the content of `next` into a region. A form that somebody has begun to fill in, that is being sent, or that shows a problem
 * stays as it is; what is folded out stays open; the focus goes to the same field or button, else to the heading above.
 * @param {Element} region
 * @param {Element} next
 */
export function replaceRegion(region, next) {
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  const place = placeOf(focused);
  for (const form of formsIn(region)) if (isInUse(form)) formLike(form, next)?.replaceWith(form);
  const open = [...region.querySelectorAll('details')].map((details) => details.open);
  region.replaceChildren(...next.childNodes);
  region.querySelectorAll('details').forEach((details, index) => (details.open = open[index] ?? false));
  if (focused === null) return;
  const again = region.contains(focused) ? focused : place && formLike(place.form, region)?.elements[place.index];
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  else focusHeading(region);
}

/**
 * Lets the buttons of forms be pressed, which come disabled.
 * @param {ParentNode} place
 */
export function enableForms(place) {
  for (const form of formsIn(place)) for (const button of form.querySelectorAll('button')) button.disabled = false;
}

/**
 * Says that what is in a form has been taken: it is no longer a change; one that creates something is empty again.
 * @param {HTMLFormElement} form
 */
export function settle(form) {
  if (form.dataset['method'] === 'POST' && form.closest('[data-region]') === null) return form.reset();
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.defaultValue = field.value;
    if (field instanceof HTMLSelectElement)
      for (const option of field.options) option.defaultSelected = option.selected;
  }
}

/**
 * Whether a field is as it came.
 * @param {Element} field
 */
export function isUnchanged(field) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)
    return field.value === field.defaultValue;
  if (!(field instanceof HTMLSelectElement)) return true;
  return [...field.options].every((option) => option.selected === option.defaultSelected);
}

/**
 * @param {ParentNode} place
 * @returns {readonly HTMLFormElement[]}
 */
function formsIn(place) {
  return [...place.querySelectorAll('form.api')].filter((form) => form instanceof HTMLFormElement);
}

/**
 * @param {HTMLFormElement} form
 * @returns {boolean}
 */
function isInUse(form) {
  if (form.getAttribute('aria-busy') === 'true' || form.querySelector('.problem:not([hidden])') !== null) return true;
  return ![...form.elements].every(isUnchanged);
}

/**
 * The form for the same thing.
 * @param {HTMLFormElement} form
 * @param {ParentNode} place
 * @returns {HTMLFormElement | undefined}
 */
function formLike(form, place) {
  return formsIn(place).find((other) => nameOf(other) === nameOf(form));
}

/** @param {HTMLFormElement} form */
function nameOf(form) {
  return JSON.stringify([form.dataset['method'], form.dataset['path'], form.getAttribute('aria-label')]);
}

/**
 * A field or button as one of the fields of its form.
 * @param {Element | null} element
 * @returns {{ form: HTMLFormElement, index: number } | null}
 */
function placeOf(element) {
  const form = element?.closest('form.api');
  if (element === null || !(form instanceof HTMLFormElement)) return null;
  return { form, index: [...form.elements].indexOf(element) };
}

/**
 * Moves the focus, whose place is gone, to the heading above.
 * @param {Element} region
 */
export function focusHeading(region) {
  const heading = region.closest('section')?.querySelector('h2') ?? document.querySelector('h1');
  heading?.setAttribute('tabindex', '-1');
  heading?.focus();
}
