// The secret key: fetched on request, and hidden again after a while.
import { call, textField } from './api.js';
import { copy } from './copy.js';
import { CHANGED } from './forms.js';
import { announce, showProblem } from './page.js';

const SHOWN_MS = 60_000;

export function addSecrets() {
  for (const place of document.querySelectorAll('[data-secret]')) addSecret(place);
}

/** @param {Element} place */
function addSecret(place) {
  const code = place.querySelector('code');
  const reveal = place.querySelector('button[data-reveal]');
  const copier = place.querySelector('button[data-copy]');
  if (code === null || !(reveal instanceof HTMLButtonElement) || !(copier instanceof HTMLButtonElement)) return;
  const covered = code.textContent ?? '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** Counts what was asked for: an answer to what came before the last is not shown. */
  let asked = 0;

  const hide = () => {
    asked++;
    clearTimeout(timer);
    code.textContent = covered;
    reveal.textContent = 'Show';
    reveal.setAttribute('aria-pressed', 'false');
  };
  /** @param {string} secret */
  const uncover = (secret) => {
    clearTimeout(timer);
    code.textContent = secret;
    reveal.textContent = 'Hide';
    reveal.setAttribute('aria-pressed', 'true');
    timer = setTimeout(hide, SHOWN_MS);
  };
  const show = async () => {
    const own = ++asked;
    const secret = await fetchSecret(place);
    if (own !== asked) return;
    uncover(secret);
    announce('The secret key is visible for one minute.');
  };
  /** @param {() => Promise<void>} act */
  const attempt = (act) => {
    const problem = place.nextElementSibling;
    showProblem(problem, null);
    act().catch((/** @type {unknown} */ error) => showProblem(problem, error));
  };

  reveal.hidden = false;
  reveal.addEventListener('click', () => (reveal.getAttribute('aria-pressed') === 'true' ? hide() : attempt(show)));
  // WebKit lets a page copy only at the click itself, so `copy` promises it the text.
  copier.addEventListener('click', () => attempt(() => copy(copier, () => fetchSecret(place), show)));
  // After a rotation the key shown is an old one, and the answer has the new one.
  document.addEventListener(CHANGED, (event) => {
    hide();
    const secret = event instanceof CustomEvent ? textField(event.detail, 'secret_key') : null;
    if (secret !== null) uncover(secret);
  });
}

/** @param {Element} place */
async function fetchSecret(place) {
  const project = await call('GET', place.getAttribute('data-secret') ?? '');
  return textField(project, 'secret_key') ?? '';
}
