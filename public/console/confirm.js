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
    if (event.target === dialog) dialog.close('cancel');
  });
}

/**
 * Asks, and resolves with whether the answer is yes. Restores the focus.
 * @param {string} question
 * @returns {Promise<boolean>}
 */
export function isConfirmed(question) {
  const dialog = dialogOfPage();
  const place = document.getElementById('confirm-question');
  if (dialog === null || place === null) return Promise.resolve(false);
  place.textContent = question;
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
