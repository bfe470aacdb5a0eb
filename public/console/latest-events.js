// The latest events of a project, as rows of a table.
import { call } from './api.js';

/** Rows to fetch, and rows to show. */
const ASKED = 50;
const SHOWN = 10;
/** Most characters shown of an event's properties. */
const MOST_TEXT = 400;

/** @typedef {{ insert_id: string, event_type: string, distinct_id: string | null, time: string, event_properties: unknown }} Row */

/**
 * Events of the last hour, latest first, of bots too: whoever watches wants to see that something arrives.
 * @param {string} path of the session API, `/api/projects/…/query`
 * @returns {Promise<readonly Row[]>}
 */
export async function latestEvents(path) {
  const rows = await call('POST', path, { q: '* | with bots | last 1h | list', format: 'json', limit: ASKED });
  return Array.isArray(rows) ? rows.filter(isRow) : [];
}

/**
 * Shows name, person, properties and age of the latest events. Persons are links if `data-person` names the page of a person.
 * @param {Element | null} place
 * @param {readonly Row[]} rows
 */
export function showEvents(place, rows) {
  const around = place?.closest('[data-person]');
  const path = around instanceof HTMLElement ? (around.dataset['person'] ?? '') : '';
  place?.replaceChildren(...rows.slice(0, SHOWN).map((row) => lineOf(row, path)));
}

/**
 * @param {Row} row
 * @param {string} path of the page of a person; '' for none
 */
function lineOf({ event_type: type, distinct_id: person, time, event_properties: properties }, path) {
  const line = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = type;
  const text = JSON.stringify(properties ?? {});
  const who = cell(person ?? '');
  if (path !== '' && person !== null) {
    const link = document.createElement('a');
    link.href = `${path}#${new URLSearchParams({ person }).toString()}`;
    link.textContent = person;
    who.replaceChildren(link);
  }
  line.append(head, who, cell(shortened(text)), cell(ago(Date.now() - Date.parse(time))));
  return line;
}

/** @param {number} ms */
function ago(ms) {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** @param {string} text */
function cell(text) {
  const made = document.createElement('td');
  made.textContent = text;
  return made;
}

/** @param {string} text */
function shortened(text) {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text;
}

/**
 * @param {unknown} row
 * @returns {row is Row}
 */
function isRow(row) {
  return typeof row === 'object' && row !== null && 'insert_id' in row && 'event_type' in row && 'time' in row;
}
