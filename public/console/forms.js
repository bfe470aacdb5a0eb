// Forms that call the API. Their attributes say what they send and what happens then, see api-form.ts.
import { ApiError, call, textField } from './api.js';
import { isConfirmed } from './confirm.js';
import { announce, refreshRegions, showProblem } from './page.js';
import { readJson } from './read-json.js';
import { enableForms, settle } from './regions.js';

/** Sent on the document when a form has changed something. */
export const CHANGED = 'windlass:changed';

/** For so long a posted form is not sent again: the answer to the first is the one that counts, as of a link that works once. */
const SENT_ONCE_MS = 10_000;

export function addForms() {
  enableForms(document);
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('form.api')) return;
    event.preventDefault();
    submit(form).catch((/** @type {unknown} */ error) => fail(form, error));
  });
  sendOnce();
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) goOn();
  });
}

/** Drops the second click of a double one on a form that leads to another page: it would cancel the first, which has taken effect. */
function sendOnce() {
  /** @type {WeakMap<HTMLFormElement, number>} */
  const sentAt = new WeakMap();
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
    const { timeStamp: now } = event;
    if (now - (sentAt.get(form) ?? -Infinity) < SENT_ONCE_MS) event.preventDefault();
    else sentAt.set(form, now);
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const form of document.forms) sentAt.delete(form);
  });
}

/** Back on a page that the browser has kept as it was left: what was being sent is done, and may show by now. */
function goOn() {
  for (const form of document.querySelectorAll('form.api[aria-busy]')) form.removeAttribute('aria-busy');
  refreshRegions().catch(() => announce('This page could not be brought up to date: reload it.'));
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  if (form.getAttribute('aria-busy') === 'true')
    return announce('Not sent: the answer to what was sent before is still to come.');
  const { method = '', path = '', done = '', confirm = '', go = '', show = '' } = form.dataset;
  form.setAttribute('aria-busy', 'true');
  if (confirm !== '' && !(await isConfirmed(withChoices(confirm, form)))) return form.removeAttribute('aria-busy');
  showProblem(problemOf(form), null);
  const sent = bodyOf(form);
  if (method === 'PATCH' && Object.keys(sent).length === 0) {
    form.removeAttribute('aria-busy');
    return announce('Nothing was changed.');
  }
  const answer = await callConfirmed(method, path, sent);
  if (answer === null) return form.removeAttribute('aria-busy');
  if (go !== '') {
    location.assign(go.replace('{id}', encodeURIComponent(textField(answer, 'id') ?? '')));
    return;
  }
  form.removeAttribute('aria-busy');
  const isAsSent = JSON.stringify(bodyOf(form)) === JSON.stringify(sent); // else somebody has typed on
  if (method === 'POST' && isAsSent) settle(form);
  if (method === 'PATCH' && isAsSent) keep(form);
  document.dispatchEvent(new Event(CHANGED));
  if (show !== '') showAnswer(show, answer);
  await refreshRegions().catch(() => {
    throw new ApiError(done, ['This page could not be brought up to date: reload it.']);
  });
  announce(done); // it can be seen by now
}

/**
 * Sends a request; one that would remove stored events again, once somebody has typed how many. null: nobody has.
 * @param {string} method
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @returns {Promise<unknown>}
 */
async function callConfirmed(method, path, body) {
  try {
    return await call(method, path, body);
  } catch (error) {
    if (!(error instanceof ApiError) || error.events === null) throw error;
    const question = `${error.message} It begins in 24 hours, and can be undone until then.`;
    return (await isConfirmed(question, error.events)) ? call(method, path, { ...body, confirm: true }) : null;
  }
}

/**
 * What a form has changed is what there is now.
 * @param {HTMLFormElement} form
 */
function keep(form) {
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement) field.defaultValue = field.value;
    if (field instanceof HTMLSelectElement)
      for (const option of field.options) option.defaultSelected = option.selected;
  }
}

/**
 * Whether a field of a change is as it was: it is not sent, so that nobody undoes what others have changed meanwhile.
 * @param {HTMLInputElement | HTMLSelectElement} field
 */
function isUnchanged(field) {
  if (field instanceof HTMLInputElement) return !field.hidden && field.value === field.defaultValue;
  return [...field.options].every((option) => option.selected === option.defaultSelected);
}

/**
 * A question with `{name}` replaced by what the form's select of that name shows.
 * @param {string} question
 * @param {HTMLFormElement} form
 */
function withChoices(question, form) {
  const shown = Array.from(form.querySelectorAll('select'), ({ name, selectedOptions }) => {
    return /** @type {const} */ ([`{${name}}`, selectedOptions[0]?.text ?? '']);
  });
  return shown.reduce((text, [place, choice]) => text.replace(place, () => choice), question);
}

/**
 * @param {HTMLFormElement} form
 * @param {unknown} error
 */
function fail(form, error) {
  form.removeAttribute('aria-busy');
  showProblem(problemOf(form), error);
}

/** @param {HTMLFormElement} form */
function problemOf(form) {
  return form.querySelector('.problem');
}

/**
 * The fields of a form as a JSON object: numbers as numbers or null, check boxes of a `data-list` as a list, what commas separate in
 * a field with `data-commas` too, values of one with `data-json` as what they spell. Of a PATCH those that were changed, and hidden
 * ones.
 * @param {HTMLFormElement} form
 */
function bodyOf(form) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const list of form.querySelectorAll('[data-list]')) body[list.getAttribute('data-list') ?? ''] = [];
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || field.name === '') continue;
    if (form.dataset['method'] === 'PATCH' && isUnchanged(field)) continue;
    const list = body[field.name];
    if (Array.isArray(list)) {
      if (field instanceof HTMLInputElement && field.checked) list.push(field.value);
    } else if (field.type === 'number') {
      body[field.name] = field.value === '' ? null : Number(field.value);
    } else if (field.hasAttribute('data-commas')) {
      body[field.name] = field.value.split(',').flatMap((part) => part.trim() || []);
    } else if (field.hasAttribute('data-json')) {
      body[field.name] = readJson(field.value);
    } else {
      body[field.name] = field.value;
    }
  }
  return body;
}

/**
 * Puts fields of an answer into the element that waits for them, and shows it.
 * @param {string} id
 * @param {unknown} answer
 */
function showAnswer(id, answer) {
  const place = document.getElementById(id);
  if (place === null) return;
  for (const field of place.querySelectorAll('[data-field]')) {
    field.textContent = textField(answer, field.getAttribute('data-field') ?? '');
  }
  place.hidden = false;
  place.focus();
}
