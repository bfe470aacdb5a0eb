// What this browser keeps of questions goes when somebody logs out: the next who sits here may be somebody else.
import { forgetFragment } from './fragment.js';

/** How the names in localStorage begin under which lists of questions stand, for each account and project one. */
export const KEPT_QUESTIONS = 'windlass.questions:';

export function addForgetting() {
  document.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.getAttribute('action') !== '/auth/logout') return;
    for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT_QUESTIONS)) localStorage.removeItem(name);
    forgetFragment();
  });
}
