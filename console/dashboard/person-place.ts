/** The page of a person: a dashboard that is built in (console/person.yaml), for the id in the address. */
import { call } from '../../public/console/api.js';
import { readJson } from '../../public/console/read-json.js';
import { takeFragment } from '../../public/console/fragment.js';
import { quote } from '../../lib/dsl/parse/lex-string.ts';
import { made } from '../element.ts';
import { DEVICE, PERSON } from '../person-link.ts';
import { problemView } from './card-content.ts';
import { heading } from './heading.ts';
import { openBoard } from './console-place.ts';

export async function showPerson(place: HTMLElement): Promise<void> {
  const { api = '', definition = '' } = place.dataset;
  try {
    const kept = takeFragment();
    if (location.hash === '' && kept !== '') history.replaceState(null, '', kept);
    if (!/[#&](?:person|device)=./.test(location.hash)) return askForPerson(place);
    await resolveDevice(api);
    openBoard(place, readJson(definition), { titleOf: (values) => values[PERSON] || 'Person' });
  } catch (error) {
    place.replaceChildren(problemView(error instanceof Error ? error.message : String(error), 'Reload the page.'));
  } finally {
    place.removeAttribute('aria-busy');
  }
}

/** Where the address names nobody. */
function askForPerson(place: HTMLElement): void {
  const form = made('form', '', { class: 'variables', 'aria-label': 'Person' });
  const id = made('input', '', { id: 'person-id', required: '', autocomplete: 'off', spellcheck: 'false' });
  const field = made('div', '', { class: 'variable' });
  field.append(made('label', 'Id of a person or a device', { for: id.id }), id, ' ', made('button', 'Show', { class: 'primary' }));
  form.append(field);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    history.pushState(null, '', `#${new URLSearchParams({ [DEVICE]: id.value }).toString()}`);
    void showPerson(place);
  });
  place.replaceChildren(heading(2, 'Person'), form);
} // prettier-ignore

/** A device in the address becomes the person whose it is now: itself, if it is nobody's. */
async function resolveDevice(api: string): Promise<void> {
  const values = new URLSearchParams(location.hash.slice(1));
  const device = values.get(DEVICE);
  if (device === null) return;
  const q = `* | where device_id = ${quote(device)} | list distinct_id | all | with bots | limit 1`;
  const rows: unknown = await call('POST', `${api}/query`, { q, format: 'json' });
  const row: unknown = Array.isArray(rows) ? rows[0] : null;
  const person = typeof row === 'object' && row !== null && 'distinct_id' in row ? String(row.distinct_id) : device;
  values.delete(DEVICE);
  values.set(PERSON, person);
  history.replaceState(null, '', `#${values.toString()}`);
}
