// The secret key: fetched on request, and hidden again after a while.
import { call, textField } from './api.js';
import { copy } from './copy.js';
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

  const hide = () => {
    clearTimeout(timer);
    code.textContent = covered;
    reveal.textContent = 'Show';
    reveal.setAttribute('aria-pressed', 'false');
  };
  const show = async () => {
    code.textContent = await fetchSecret(place);
    reveal.textContent = 'Hide';
    reveal.setAttribute('aria-pressed', 'true');
    announce('The secret key is visible for one minute.');
    timer = setTimeout(hide, SHOWN_MS);
  };
  /** @param {() => Promise<void>} act */
  const attempt = (act) => {
    const problem = place.nextElementSibling;
    showProblem(problem, null);
    act().catch((/** @type {unknown} */ error) => showProblem(problem, error));
  };

  reveal.hidden = false;
  reveal.addEventListener('click', () => (reveal.getAttribute('aria-pressed') === 'true' ? hide() : attempt(show)));
  copier.addEventListener('click', () => attempt(async () => copy(copier, await fetchSecret(place), show)));
  // After a rotation the key shown is an old one.
  document.addEventListener('submit', hide);
}

/** @param {Element} place */
async function fetchSecret(place) {
  const project = await call('GET', place.getAttribute('data-secret') ?? '');
  return textField(project, 'secret_key') ?? '';
}
