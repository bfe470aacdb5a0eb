// Deletes the queries kept in this browser on logout: the next person here may be somebody else.
import { forgetFragment } from './fragment.js';

/** Prefix in localStorage of the lists of queries, one for each account and project. */
export const KEPT_QUESTIONS = 'windlass.questions:';

export function addForgetting() {
  document.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.getAttribute('action') !== '/auth/logout') return;
    for (const name of Object.keys(localStorage)) if (name.startsWith(KEPT_QUESTIONS)) localStorage.removeItem(name);
    forgetFragment();
  });
}
