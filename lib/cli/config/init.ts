import { apiFor, clientCommand, type ClientSession } from '../client/client-command.ts';
import { ClientError, ServerError } from '../client/client-error.ts';
import { userFile, writeConfigFile } from '../client/config-file.ts';
import { prompt } from '../client/prompt.ts';
import { canonicalHost, checkedKey, masked } from '../client/settings.ts';
import type { ApiClient, ApiRequest } from '../client/api-client.ts';

export const configInit = clientCommand({
  usage: 'init',
  summary: 'Prompt for the server and a key, test them, and save them',
  examples: [['wl config init', 'at a terminal']],
  options: {},
  run: async (_args, session) => {
    const { terminal, globals, output } = session;
    if (!process.stdin.isTTY || terminal.stderr.isTTY !== true) {
      throw new ClientError('There is no terminal to prompt on.', [
        'Without one: wl config set host URL, wl config set api-key KEY',
      ]);
    }
    const host = await askHost(globals.host ?? session.settings.host.value);
    const apiKey = await askKey();
    await tryOut(session, { host, apiKey });
    const path = userFile(process.env);
    writeConfigFile(path, { host, api_key: apiKey });
    await output.record({ host, api_key: masked(apiKey), path });
  },
});

async function askHost(initial: string): Promise<string> {
  const check = (text: string): string => canonicalHost({ value: text, where: null });
  return check(await prompt({ message: 'Address of the server:', initial, problemOf: problemOf(check) }));
}

function askKey(): Promise<string> {
  return prompt({
    message: 'API key (pk_, sk_, ak_ or aat_; it is not shown):',
    hidden: true,
    problemOf: problemOf((text) => checkedKey({ value: text, where: null })),
  });
}

/** Says what the key may do there. Throws ClientError if the server or the key does not work: then nothing is saved. */
async function tryOut(session: ClientSession, { host, apiKey }: { host: string; apiKey: string }): Promise<void> {
  const { terminal } = session;
  using api = apiFor(session, { host, apiKey });
  await api.send({ method: 'GET', path: '/healthz', key: null, retry: 'safe' });
  const { isKnown, may } = await powersOf(api);
  if (!isKnown) throw new ClientError(`${host} rejects the key ${masked(apiKey)}: it is wrong, revoked or expired.`);
  terminal.say(`${host} is up. The key ${masked(apiKey)} may ${powersText(apiKey, may)}.`);
}

/** What was tested, and what the kind of the key implies: an export or erasure would be recorded in the audit trail. */
function powersText(apiKey: string, tried: readonly string[]): string {
  const isSecret = apiKey.startsWith('sk_');
  const powers = [...tried, ...(isSecret ? ['export and erase people'] : [])];
  const untried = apiKey.startsWith('aat_')
    ? '; with scope "admin" it may export and erase people, which was not tried'
    : '';
  return `${powers.length === 0 ? 'do nothing that was tried' : powers.join(', ')}${untried}`;
}

function problemOf(check: (text: string) => unknown): (text: string) => string | null {
  return (text) => {
    try {
      check(text);
      return null;
    } catch (error) {
      if (error instanceof ClientError) return error.message;
      throw error;
    }
  };
}

interface Powers {
  /** `send events`, `ask queries`, `manage projects`. */
  readonly may: readonly string[];
  /** Whether the server knows the key at all. */
  readonly isKnown: boolean;
}

/** Requests answered with 401 or 403 if the key may not, and that change nothing if it may. */
const PROBES: readonly { readonly power: string; readonly request: ApiRequest }[] = [
  { power: 'send events', request: probe('POST', '/track', '{"events":[]}') },
  { power: 'ask queries', request: probe('POST', '/query', '{}') },
  { power: 'manage the projects of an organization', request: probe('GET', '/api/admin/projects') },
];

/** Finds out without doing anything. Rejects with TransportError if the server is unreachable, with ServerError if it fails. */
async function powersOf(api: ApiClient): Promise<Powers> {
  const may: string[] = [];
  let isKnown = false;
  for (const { power, request } of PROBES) {
    const status = await statusOf(api, request);
    if (status !== 401) isKnown = true;
    if (status !== 401 && status !== 403) may.push(power);
  }
  return { may, isKnown };
}

/** An incomplete request is 400, but only if the key may make it. */
async function statusOf(api: ApiClient, request: ApiRequest): Promise<number> {
  try {
    return (await api.send(request)).status;
  } catch (error) {
    if (error instanceof ServerError && [400, 401, 403].includes(error.status)) return error.status;
    throw error;
  }
}

function probe(method: 'GET' | 'POST', path: string, body?: string): ApiRequest {
  return { method, path, key: 'track', retry: 'rate', ...(body === undefined ? {} : { body }) };
}
