/** Sends a dashboard's queries with this browser's session, to a local server, or with a token from a file. */
import { readJson } from '../../public/console/read-json.js';
import type { Envelope } from '../../lib/dashboards/data.ts';
import type { AskCard, CohortNames } from '../../lib/dashboards/run.ts';
import { AskError } from '../../lib/dashboards/run.ts';
import { ApiError, send } from '../../public/console/api.js';

/** `path`: where queries go. `headers`: credentials. */
export function asking(path: string, headers: Readonly<Record<string, string>> = {}): AskCard {
  return async ({ q, timezone, limit }, signal) => {
    const body = { q, limit, format: 'json', envelope: true, ...(timezone === null ? {} : { timezone }) };
    const response = await send('POST', path, { body, headers, signal }).catch((error: unknown) => {
      if (error instanceof ApiError) throw new AskError(sentence(error.message), error.hints[0] ?? null);
      throw error;
    });
    const answer: unknown = readJson(await response.text());
    if (isEnvelope(answer)) return answer;
    throw new AskError('This page does not understand the answer.', 'Reload the page: it may be older than the server.');
  };
} // prettier-ignore

/** `path`: where cohorts are listed. */
export function namingCohorts(path: string): CohortNames {
  return async () => {
    const response = await send('GET', path, {}).catch((error: unknown) => {
      if (error instanceof ApiError) throw new AskError(sentence(error.message), error.hints[0] ?? null);
      throw error;
    });
    const list: unknown = readJson(await response.text());
    return Array.isArray(list) ? list.flatMap((one: unknown) => (isNamed(one) ? [one.name] : [])) : [];
  };
}

const isNamed = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

/** Omits the lines of a query error that show its place: a card has no room for them. */
function sentence(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'column_types' in value && 'rows' in value && 'range' in value;
}
