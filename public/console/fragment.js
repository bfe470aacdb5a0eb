// The fragment of an address, which no server sees: kept in this tab during login, for the page that comes after it.

import { readJson } from './read-json.js';

const KEY = 'windlass.fragment';

/** Keeps the fragment of a page that the host redirected to the login: browsers carry it along. Links that lead on carry it, too. */
export function addFragments() {
  const path = new URLSearchParams(location.search).get('return_to');
  if (location.pathname === '/login' && path !== null) keepFragment(path);
  const links = document.querySelectorAll('[data-carry] a');
  if (links.length === 0) return;
  if (location.hash === '') history.replaceState(null, '', takeFragment() || location.href);
  for (const link of links) if (link instanceof HTMLAnchorElement) link.hash = location.hash;
}

/**
 * Keeps the current fragment for a page of this host.
 * @param {string} path
 */
export function keepFragment(path) {
  if (location.hash !== '') sessionStorage.setItem(KEY, JSON.stringify([path, location.hash]));
}

/**
 * Returns the fragment kept for this page, once; '' if there is none.
 * @returns {string}
 */
export function takeFragment() {
  const kept = sessionStorage.getItem(KEY);
  if (kept === null) return '';
  /** @type {unknown} */
  const value = readJson(kept);
  if (!Array.isArray(value) || value[0] !== location.pathname + location.search) return '';
  sessionStorage.removeItem(KEY);
  return String(value[1]);
}

export function forgetFragment() {
  sessionStorage.removeItem(KEY);
}
