/** Keys of the console: to its tabs, to the search, to ranges of dashboards. `?` lists those that the page has. */
import { made } from './element.ts';

/** In this browser: single keys do nothing but `?`, for who speaks to a computer or types by accident. */
const OFF = 'windlass.shortcuts-off';
/** How long after `g` a letter leads somewhere, ms. */
const PATIENCE_MS = 1_500;

interface Shortcut {
  readonly keys: readonly string[];
  readonly does: string;
  readonly run: () => void;
}

let goesUntil = 0;

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || event.isComposing || isTyping(target)) return;
  if (document.querySelector('dialog[open]') !== null) return;
  if (key === '?') {
    event.preventDefault();
    return tellShortcuts();
  }
  if (isOff()) return;
  const goes = Date.now() < goesUntil;
  goesUntil = key === 'g' && !goes ? Date.now() + PATIENCE_MS : 0;
  const typed = goes ? ['g', key] : [key];
  const found = shortcuts().find(({ keys }) => keys.join(' ') === typed.join(' '));
  if (found === undefined) return;
  event.preventDefault();
  found.run();
});

const listing = document.querySelector('button[data-shortcuts]');
if (listing instanceof HTMLButtonElement) {
  listing.hidden = false;
  listing.addEventListener('click', () => {
    const menu = listing.closest('details');
    if (menu !== null) menu.open = false;
    menu?.querySelector('summary')?.focus(); // where the focus returns to
    tellShortcuts();
  });
}

/** What keys do on this page, by what is on it. */
function shortcuts(): readonly Shortcut[] {
  return [...searching(), ...tabs(), ...ranges()];
}

function searching(): readonly Shortcut[] {
  const field = document.querySelector('main :is(textarea, input[type="search"])');
  if (field instanceof HTMLElement) {
    const does = field instanceof HTMLTextAreaElement ? 'Write a query' : 'Search';
    return [{ keys: ['/'], does, run: () => field.focus() }];
  }
  const ask = document.querySelector('.tabs a[data-key="a"]');
  return ask instanceof HTMLElement ? [{ keys: ['/'], does: 'Write a query', run: () => ask.click() }] : [];
}

function tabs(): readonly Shortcut[] {
  return [...document.querySelectorAll<HTMLElement>('.tabs a[data-key]')].map((link) => ({
    keys: ['g', link.dataset['key'] ?? ''],
    does: link.textContent.trim(),
    run: () => link.click(),
  }));
}

function ranges(): readonly Shortcut[] {
  const select = document.querySelector('select[data-ranges]');
  if (!(select instanceof HTMLSelectElement)) return [];
  return [...select.options].flatMap((option) => {
    const key = option.dataset['key'];
    if (key === undefined) return [];
    const run = (): void => {
      select.value = option.value;
      select.dispatchEvent(new Event('change'));
    };
    return [{ keys: [key], does: option.label, run }];
  });
}

function tellShortcuts(): void {
  const dialog = made('dialog', '', { class: 'shortcuts', 'aria-labelledby': 'shortcuts-title' });
  const off = made('input', '', { type: 'checkbox', id: 'shortcuts-off' });
  off.checked = isOff();
  off.addEventListener('change', () => {
    if (off.checked) localStorage.setItem(OFF, 'yes');
    else localStorage.removeItem(OFF);
  });
  const choice = made('label', '', { class: 'check', for: off.id });
  choice.append(off, ' Only ? works');
  const done = made('form', '', { method: 'dialog', class: 'submit' });
  done.append(choice, made('button', 'Close'));
  dialog.append(
    made('h2', 'Keyboard shortcuts', { id: 'shortcuts-title' }),
    ...listOf('This page', [...searching(), { keys: ['?'], does: 'Show these shortcuts', run: tellShortcuts }]),
    ...listOf('Go to', tabs()),
    ...listOf('Time', ranges()),
    done,
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function listOf(title: string, list: readonly Shortcut[]): readonly HTMLElement[] {
  if (list.length === 0) return [];
  const view = made('dl');
  for (const { keys, does } of list) {
    const pressed = made('dt');
    pressed.append(...keys.flatMap((key, index) => [index === 0 ? '' : ' then ', made('kbd', key)]));
    const line = made('div');
    line.append(pressed, made('dd', does));
    view.append(line);
  }
  return [made('h3', title), view];
}

function isOff(): boolean {
  return localStorage.getItem(OFF) !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLElement && target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
