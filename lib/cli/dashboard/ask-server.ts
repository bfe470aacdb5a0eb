/** How dashboards run queries: POST /query with the configured key. */
import { type AskCard, AskError, type CohortNames, type ProjectAnnotations } from '../../dashboards/run.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ServerError, TransportError } from '../client/client-error.ts';
import { askEnvelope } from '../query/ask.ts';
import type { Dashboard, Values } from '../../dashboards/dashboard.ts';
import { readValues } from '../../dashboards/values.ts';
import { UsageError } from '../command.ts';
import type { DashboardData } from '../../dashboards/data.ts';
import { asRecords, type ClientSession } from '../client/client-command.ts';

/** Failures of the server or the connection are AskErrors, shown on a card; a missing key fails all cards. */
export function askServer(api: ApiClient): AskCard {
  return ({ q, timezone, limit }) => askEnvelope(api, q, { limit, timezone: timezone ?? undefined }).catch(throwAsked);
}

/** Failures of the server or the connection are AskErrors. */
export function cohortsOn(api: ApiClient): CohortNames {
  return async () => {
    const list = await api.json({ method: 'GET', path: '/cohorts', key: 'query', retry: 'safe' }).catch(throwAsked);
    return asRecords(list).flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  };
}

/** Failures of the server or the connection are AskErrors. */
export function annotationsOn(api: ApiClient): ProjectAnnotations {
  return async () => {
    const list = await api.json({ method: 'GET', path: '/annotations', key: 'query', retry: 'safe' }).catch(throwAsked);
    return asRecords(list).flatMap(({ at, text }) =>
      typeof at === 'string' && typeof text === 'string' ? [{ at, text }] : [],
    );
  };
}

function throwAsked(error: unknown): never {
  if (!(error instanceof ServerError || error instanceof TransportError)) throw error;
  // A wrong key fails every query alike: it is reported once.
  if (error instanceof ServerError && (error.status === 401 || error.status === 403)) throw error;
  throw new AskError(error.message, error.hints[0] ?? null);
}

/** Values of variables from the command line: `--var name=value`. */
export const VAR_OPTION = {
  type: 'string',
  array: true,
  requiresArg: true,
  describe: 'Value of a variable, name=value; repeatable',
} as const;

/** The given values, and the defaults. Throws UsageError for unknown names and values. */
export function givenValues(dashboard: Dashboard, given: readonly string[] = []): Values {
  const pairs = given.map((one) => {
    const at = one.indexOf('=');
    if (at <= 0) throw new UsageError(`--var ${one} is not name=value`);
    return [one.slice(0, at), one.slice(at + 1)] as const;
  });
  const { values, problems } = readValues(dashboard, Object.fromEntries(pairs));
  if (problems.length > 0) throw new UsageError(`--var: ${problems.join('; ')}`);
  return values;
}

/** Reports failed cards on stderr. Returns the exit code. */
export function tellFailures({ terminal }: ClientSession, { cards }: DashboardData): number {
  const failed = Object.entries(cards).flatMap(([id, card]) => (card.state === 'error' ? [{ id, ...card }] : []));
  for (const { id, message, hint } of failed) {
    terminal.say(`wl: card ${id}: ${message}${hint === null ? '' : `\n  ${hint}`}`);
  }
  return failed.length === 0 ? 0 : 1;
}
