// Asks for confirmation before something that cannot be undone, in the page's dialog.

/** @returns {HTMLDialogElement | null} */
function dialogOfPage() {
  const dialog = document.getElementById('confirm');
  return dialog instanceof HTMLDialogElement ? dialog : null;
}

/** A click beside the dialog means no, like the Escape key. */
export function addConfirmation() {
  const dialog = dialogOfPage();
  dialog?.addEventListener('click', (event) => {
    const isCancel = event.target instanceof Element && event.target.closest('[data-cancel]') !== null;
    if (event.target === dialog || isCancel) dialog.close('cancel');
  });
}

/**
 * Asks, and resolves with whether the answer is yes. Restores the focus.
 * @param {string} question
 * @param {string} act What the button for yes does, in its words.
 * @param {number | null} [number] What must be typed for a yes: so much is lost, and who types it has read it.
 * @returns {Promise<boolean>}
 */
export function isConfirmed(question, act, number = null) {
  const dialog = dialogOfPage();
  const place = document.getElementById('confirm-question');
  const yes = document.getElementById('confirm-yes');
  if (dialog === null || place === null || yes === null) return Promise.resolve(false);
  place.textContent = question;
  yes.textContent = act;
  askFor(number);
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/**
 * Shows the field for a number, which the browser compares, or hides it.
 * @param {number | null} number
 */
function askFor(number) {
  const [typing, input] = [document.getElementById('confirm-typing'), document.getElementById('confirm-number')];
  if (typing === null || !(input instanceof HTMLInputElement)) return;
  typing.hidden = number === null;
  input.disabled = number === null;
  input.value = '';
  input.pattern = String(number ?? 0).replaceAll(/\B(?=(?:\d{3})+$)/g, '[ ,.’\u00a0\u202f]?'); // grouped in any way
}
