/** Who answers the questions of a dashboard: the session of this browser, a server on this machine, a token in a file. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import type { Ask } from '../../lib/dashboards/run.ts';
import { AskError } from '../../lib/dashboards/run.ts';
import { ApiError, send } from '../../public/console/api.js';

/** `path`: where the questions go. `headers`: what shows who asks. */
export function asking(path: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return async ({ q, timezone, limit }, signal) => {
    const body = { q, limit, format: 'json', envelope: true, ...(timezone === null ? {} : { timezone }) };
    const response = await send('POST', path, { body, headers, signal }).catch((error: unknown) => {
      if (error instanceof ApiError) throw new AskError(sentence(error.message), error.hints[0] ?? null);
      throw error;
    });
    const answer: unknown = await response.json();
    if (isEnvelope(answer)) return answer;
    throw new AskError('This page does not understand the answer.', 'Reload the page: it may be older than the server.');
  };
} // prettier-ignore

/** Of an error in a query the lines that show its place are left out: a card has no room for them. */
function sentence(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'column_types' in value && 'rows' in value && 'range' in value;
}
