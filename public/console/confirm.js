// A question before something that cannot be undone, in the dialog of the page.

/** @returns {HTMLDialogElement | null} */
function dialogOfPage() {
  const dialog = document.getElementById('confirm');
  return dialog instanceof HTMLDialogElement ? dialog : null;
}

/** A click beside the dialog is a no, as the Escape key is. */
export function addConfirmation() {
  const dialog = dialogOfPage();
  dialog?.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close('cancel');
  });
}

/**
 * Asks, and resolves with whether the answer is yes. The focus is where it was before.
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
