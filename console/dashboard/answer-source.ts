/** Sends a dashboard's queries with this browser's session, to a local server, or with a token from a file. */
import type { Envelope } from '../../lib/dashboards/data.ts';
import type { Annotation } from '../../lib/dashboards/dashboard.ts';
import type { AskCard, CohortNames, ProjectAnnotations } from '../../lib/dashboards/run.ts';
import { AskError } from '../../lib/dashboards/run.ts';
import { ApiError, answerOf, send } from '../../public/console/api.js';

/** `path`: where queries go. `headers`: credentials. */
export function asking(path: string, headers: Readonly<Record<string, string>> = {}): AskCard {
  return async ({ q, timezone, limit }, signal) => {
    const body = { q, limit, format: 'json', envelope: true, ...(timezone === null ? {} : { timezone }) };
    return ask(async () => answerOf(await send('POST', path, { body, headers, signal }), isEnvelope));
  };
} // prettier-ignore

/** `path`: where cohorts are listed. */
export const namingCohorts =
  (path: string): CohortNames =>
  async () =>
    (await listAt(path)).flatMap((one) => (isNamed(one) ? [one.name] : []));

/** `path`: where the project's annotations are listed. */
export const annotationsAt =
  (path: string): ProjectAnnotations =>
  async () =>
    (await listAt(path)).flatMap((one) => (isAnnotation(one) ? [{ at: one.at, text: one.text }] : []));

function listAt(path: string): Promise<readonly unknown[]> {
  return ask(async () => answerOf(await send('GET', path, {}), isList));
}

/** Errors as cards show them. */
async function ask<T>(asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof ApiError) throw new AskError(sentence(error.message), error.hints[0] ?? null);
    throw error;
  }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isNamed = (value: unknown): value is { readonly name: string } =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

const isAnnotation = (value: unknown): value is Annotation =>
  typeof value === 'object' && value !== null && 'at' in value && 'text' in value && typeof value.at === 'string';

/** Omits the lines of a query error that show its place: a card has no room for them. */
function sentence(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'column_types' in value && 'rows' in value && 'range' in value;
}
