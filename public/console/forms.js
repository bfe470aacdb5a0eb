// Forms that call the API. Their attributes say what they send and what happens then, see api-form.ts.
import { ApiError, call, textField } from './api.js';
import { isConfirmed } from './confirm.js';
import { announce, refreshRegions, showProblem } from './page.js';
import { readJson } from './read-json.js';
import { enableForms, isUnchanged, settle } from './regions.js';

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
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest('form.api') : null;
    if (form instanceof HTMLFormElement) form.classList.toggle('changed', ![...form.elements].every(isUnchanged));
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
  refreshRegions().catch(() => announce('Reload the page to see the change.'));
}

/** @param {HTMLFormElement} form */
async function submit(form) {
  if (form.getAttribute('aria-busy') === 'true') return announce('Still saving. Try again in a moment.');
  const { method = '', path = '', done = '', undone = '', confirm = '', go = '', show = '' } = form.dataset;
  form.setAttribute('aria-busy', 'true');
  const act = form.querySelector('.submit button')?.textContent ?? '';
  if (confirm !== '' && !(await isConfirmed(withChoices(confirm, form), act))) return form.removeAttribute('aria-busy');
  clearProblem(form);
  const sent = bodyOf(form);
  const former = undone === '' ? null : bodyOf(form, { isFormer: true });
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
  if (isAsSent) settle(form);
  document.dispatchEvent(new CustomEvent(CHANGED, { detail: answer }));
  if (show !== '') showAnswer(show, answer);
  await refreshRegions().catch(() => {
    throw new ApiError(done, ['Reload the page to see the change.']);
  });
  // It can be seen by now.
  announce(done, former === null ? null : () => undo(form, former));
}

/**
 * Sends what was there before a change, and says so; the form may be gone by then.
 * @param {HTMLFormElement} form
 * @param {Record<string, unknown>} former
 */
function undo(form, former) {
  const { method = '', path = '', undone = '' } = form.dataset;
  call(method, path, former)
    .then(refreshRegions)
    .then(() => announce(undone))
    .catch((/** @type {unknown} */ error) =>
      announce(error instanceof Error ? error.message : 'That could not be undone.'),
    );
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
    return (await isConfirmed(question, 'Shorten the retention', error.events))
      ? call(method, path, { ...body, confirm: true })
      : null;
  }
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
 * Shows an error at the field that it is about, which gets the focus, else at the end of the form.
 * @param {HTMLFormElement} form
 * @param {unknown} error
 */
function fail(form, error) {
  form.removeAttribute('aria-busy');
  announce(''); // that something before went well
  const problem = clearProblem(form);
  if (problem === null) return;
  const field = error instanceof ApiError && error.field !== null ? fieldNamed(form, error.field) : null;
  field?.closest('.field')?.append(problem);
  showProblem(problem, error);
  if (field === null) return;
  problem.id = `${field.id}-problem`;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', [field.getAttribute('aria-describedby') ?? '', problem.id].join(' ').trim());
  field.focus({ preventScroll: true });
  field.closest('.field')?.scrollIntoView({ block: 'nearest' });
}

/**
 * A field that can be seen.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function fieldNamed(form, name) {
  const field = form.querySelector(`.field [name="${CSS.escape(name)}"]`);
  return field !== null && isField(field) ? field : null;
}

/**
 * Takes back what was wrong before. Returns the place for what is wrong next, at the end of the form.
 * @param {HTMLFormElement} form
 */
function clearProblem(form) {
  const problem = form.querySelector('.problem');
  showProblem(problem, null);
  for (const field of form.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    const hints = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== problem?.id);
    if (hints.join('') === '') field.removeAttribute('aria-describedby');
    else field.setAttribute('aria-describedby', hints.join(' '));
  }
  if (problem !== null) form.append(problem);
  return problem;
}

/**
 * The fields of a form as a JSON object: numbers as numbers or null, check boxes of a `data-list` as a list, what commas separate in
 * a field with `data-commas` too, values of one with `data-json` as what they spell. Of a PATCH those that were changed, and hidden
 * ones. `isFormer`: with the values that the fields had before.
 * @param {HTMLFormElement} form
 * @param {{ isFormer?: boolean }} [how]
 */
function bodyOf(form, { isFormer = false } = {}) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const list of form.querySelectorAll('[data-list]')) body[list.getAttribute('data-list') ?? ''] = [];
  for (const field of form.elements) {
    if (!isField(field) || field.name === '') continue;
    // So that nobody undoes what others have changed meanwhile.
    const isHidden = field instanceof HTMLInputElement && field.hidden;
    if (form.dataset['method'] === 'PATCH' && !isHidden && isUnchanged(field)) continue;
    const value = isFormer ? formerValue(field) : field.value;
    const list = body[field.name];
    if (Array.isArray(list)) {
      if (field instanceof HTMLInputElement && field.checked) list.push(value);
    } else if (field.type === 'number') {
      body[field.name] = value === '' ? null : Number(value);
    } else if (field.hasAttribute('data-commas')) {
      body[field.name] = value.split(',').flatMap((part) => part.trim() || []);
    } else if (field.hasAttribute('data-json')) {
      body[field.name] = readJson(value);
    } else {
      body[field.name] = value;
    }
  }
  return body;
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field */
function formerValue(field) {
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue;
  return [...field.options].find((option) => option.defaultSelected)?.value ?? field.value;
}

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function isField(element) {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
  );
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
