// Buttons that copy their `data-copy`, or else the text beside them.
import { announce } from './page.js';

const SAID_MS = 2_000;

export function addCopying() {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    if (button instanceof HTMLButtonElement) button.hidden = false;
  }
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
    if (!(button instanceof HTMLButtonElement) || button.closest('[data-secret]') !== null) return;
    const shown = button.closest('.snippet')?.querySelector('code')?.textContent ?? '';
    void copy(button, button.dataset['copy'] || shown);
  });
}

/**
 * Copies a text, or one to be fetched: a browser may let a page copy only at the click itself, so it is promised the text. Resolves
 * with whether it was copied; browsers refuse that over plain HTTP on another machine.
 * @param {string | (() => Promise<string>)} text
 * @returns {Promise<boolean>}
 */
export async function isCopied(text) {
  try {
    if (typeof text === 'string') await navigator.clipboard.writeText(text);
    else if (!window.ClipboardItem)
      await navigator.clipboard.writeText(await text()); // Firefox before 127
    else await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text().then(plainText) })]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies a text, and confirms it on the button. If the browser refuses, selects the text instead, after `reveal` has shown it, so
 * that it can be copied by keyboard.
 * @param {HTMLButtonElement} button
 * @param {string | (() => Promise<string>)} text
 * @param {() => Promise<void>} [reveal]
 */
export async function copy(button, text, reveal) {
  if (await isCopied(text)) return say(button, 'Copied');
  await reveal?.();
  const code = button.closest('.snippet')?.querySelector('code');
  if (code) getSelection()?.selectAllChildren(code);
  say(button, 'Selected: now copy it');
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} word
 */
function say(button, word) {
  button.textContent = word;
  announce(word);
  setTimeout(() => (button.textContent = 'Copy'), SAID_MS);
}

/** @param {string} text */
function plainText(text) {
  return new Blob([text], { type: 'text/plain' });
}
