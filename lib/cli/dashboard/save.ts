import type { Dashboard, Values } from '../../dashboards/dashboard.ts';
import { exportPage } from '../../dashboards/page/export-page.ts';
import { AskError, runDashboard } from '../../dashboards/run.ts';
import { apiFor, clientCommand, type ClientSession, asRecord } from '../client/client-command.ts';
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';
import { UsageError, optional, required } from '../command.ts';
import { annotationsOn, askServer, givenValues, tellFailures, VAR_OPTION } from './ask-server.ts';
import { readDashboard, soundDashboard, writeOutput } from './dashboard-file.ts';

const TOKEN_HINT =
  'A token: in the console, or on the machine of the server `wl admin token create <project> --scopes query`.';

export const dashboardSave = clientCommand({
  usage: 'save',
  summary: 'Save a dashboard as one HTML file, with its data or with a token to query it',
  examples: [
    ['wl dashboard save --file growth.yaml --output growth.html', 'with current data; exits with 1 if a card fails'],
    ['wl dashboard save --file growth.yaml --output growth.html --mode interactive --token-env GROWTH_TOKEN', 'takes the token from that variable'],
  ],
  options: {
    file: required('The file, or - for stdin'),
    output: required('The file to write; - is stdout'),
    mode: { choices: ['report', 'interactive'], default: 'report', requiresArg: true, describe: 'interactive embeds a token and runs the queries live' },
    'token-env': optional('Environment variable that holds an access token (aat_) with the scope query and no other'),
    var: VAR_OPTION,
  },
  completes: { file: 'file', output: 'file' },
  run: async (args, session) => {
    const { file, output, mode, var: given } = args;
    const tokenEnv = args['token-env'];
    if ((mode === 'interactive') !== (tokenEnv !== undefined)) {
      throw new UsageError(tokenEnv === undefined ? '--mode interactive needs --token-env NAME' : '--token-env is for --mode interactive');
    }
    const dashboard = soundDashboard(await readDashboard(file, session.signal));
    const values = givenValues(dashboard, given);
    if (tokenEnv !== undefined) {
      await saveInteractive(session, { dashboard, values, output, tokenEnv });
      return 0;
    }
    const shown = { dashboard: await annotated(session, dashboard, session.api), values };
    const data = await runDashboard({ ...shown, ask: askServer(session.api) });
    await writeOutput(session, { output, text: exportPage({ mode: 'report', data }) });
    return tellFailures(session, data);
  },
}); // prettier-ignore

/** With the annotations of the project: the file asks for none. Says so where they cannot be fetched. */
async function annotated({ terminal }: ClientSession, dashboard: Dashboard, api: ApiClient): Promise<Dashboard> {
  const fetched = await annotationsOn(api)().catch((error: unknown) => {
    if (!(error instanceof AskError)) throw error;
    terminal.say(`wl: annotations: ${error.message}`);
    return [];
  });
  const found = [...(dashboard.annotations ?? []), ...fetched];
  return found.length === 0 ? dashboard : { ...dashboard, annotations: found };
}

async function saveInteractive(
  session: ClientSession,
  { dashboard, values, output, tokenEnv }: { dashboard: Dashboard; values: Values; output: string; tokenEnv: string },
): Promise<void> {
  const host = session.settings.host.value;
  const token = await checkedToken(session, { host, tokenEnv });
  const shown = await annotated(session, dashboard, apiFor(session, { host, apiKey: token }));
  const text = exportPage({ mode: 'interactive', dashboard: shown, values, host, token });
  await writeOutput(session, { output, text, mode: 0o600 }); // only for the owner: it contains a token
  session.terminal.say('wl: anyone with this file can query the project until the token expires or is revoked');
}

/** The access token in the variable. Throws ClientError for every key that can do more than query: too much for a file. */
async function checkedToken(session: ClientSession, { host, tokenEnv }: { host: string; tokenEnv: string }): Promise<string> {
  const token = process.env[tokenEnv] ?? '';
  if (token === '') throw new ClientError(`The variable ${tokenEnv} is empty.`, ['It must hold the access token to put in the file.']);
  if (!/^aat_[0-9A-Za-z]+$/.test(token)) {
    throw new ClientError(`The variable ${tokenEnv} does not hold an access token (aat_), the only key allowed in a file.`, [TOKEN_HINT]);
  }
  const { scopes } = asRecord(await apiFor(session, { host, apiKey: token }).json({ method: 'GET', path: '/key', key: 'query', retry: 'safe' }));
  if (Array.isArray(scopes) && scopes.length === 1 && scopes[0] === 'query') return token;
  throw new ClientError(`The token in ${tokenEnv} has the scopes ${String(scopes)}: a token in a file may only have the scope "query".`, [TOKEN_HINT]);
} // prettier-ignore
