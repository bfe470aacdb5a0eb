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
 * @param {number | null} [number] What must be typed for a yes: so much is lost, and who types it has read it.
 * @returns {Promise<boolean>}
 */
export function isConfirmed(question, number = null) {
  const dialog = dialogOfPage();
  const place = document.getElementById('confirm-question');
  if (dialog === null || place === null) return Promise.resolve(false);
  place.textContent = question;
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
  input.pattern = (number ?? 0).toLocaleString('en').replaceAll(',', ',?');
}
