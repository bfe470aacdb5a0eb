import { clientCommand, asRecord, asRecords, pathSegment } from '../client/client-command.ts';
import { confirm } from '../client/prompt.ts';
import { defineGroup, flag, optional, required, positional } from '../command.ts';
import { adminRequest, IDEMPOTENCY_KEY, projectPath } from './admin-api.ts';
import { counted } from '../text.ts';

const PROJECT = positional('Id of the project');
export const TOKEN_COLUMNS = ['id', 'name', 'prefix', 'scopes', 'personal', 'expires_at', 'last_used_at', 'created_by'];

export const NO_PERSONAL = flag('Let it see no personal data: no e-mail addresses and the like, and ids as hashes');

const list = clientCommand({
  usage: 'list <project>',
  summary: 'List the access tokens of a project',
  examples: [['wl project token list prj_…', 'expired ones too, without the tokens themselves']],
  options: { project: PROJECT },
  run: async ({ project }, { api, output }) => {
    const tokens = asRecords(await api.json(adminRequest('GET', `${projectPath(project)}/tokens`)));
    await output.records(tokens, TOKEN_COLUMNS, [counted(tokens.length, 'token')]);
  },
});

const create = clientCommand({
  usage: 'create <project>',
  summary: 'Create an access token and print it; it is shown only once',
  examples: [
    ['wl project token create prj_… --scopes query --expires-in 720h --name ci', 'a token for queries, for 30 days'],
    [
      'wl project token create prj_… --scopes query --no-personal',
      'a token for an agent: no e-mail addresses, ids as hashes',
    ],
  ],
  options: {
    project: PROJECT,
    scopes: required('Comma-separated list of track, query, admin, dashboards'),
    'expires-in': optional('Lifetime: <n>m, h, d or w [default: 90d]'),
    name: { type: 'string', default: 'token', requiresArg: true, describe: 'Name of the token' },
    'no-personal': NO_PERSONAL,
    'idempotency-key': IDEMPOTENCY_KEY,
  },
  run: async (args, { api, output }) => {
    const {
      project,
      scopes,
      'expires-in': lifetime,
      name,
      'no-personal': hides,
      'idempotency-key': idempotencyKey,
    } = args;
    const body = {
      name,
      scopes: scopes.split(',').flatMap((scope) => scope.trim() || []),
      ...(lifetime === undefined ? {} : { expires_in: lifetime }),
      ...(hides ? { personal: false } : {}),
    };
    const request = adminRequest('POST', `${projectPath(project)}/tokens`, { body, idempotencyKey });
    await output.record(asRecord(await api.json(request)));
  },
});

const revoke = clientCommand({
  usage: 'revoke <project> <token>',
  summary: 'Revoke an access token; it stops working at once',
  examples: [['wl project token revoke prj_… tok_… --yes', 'by its id, as `wl project token list` shows it']],
  options: { project: PROJECT, token: positional('Id of the token') },
  run: async ({ project, token }, { api, output, terminal, globals }) => {
    const path = `${projectPath(project)}/tokens/${pathSegment(token, 'token')}`;
    await confirm(`Revoke the token ${token}?`, { globals, terminal });
    await output.record(asRecord(await api.json(adminRequest('DELETE', path))));
  },
});

export const token = defineGroup({
  name: 'token',
  summary: 'Access tokens of a project',
  commands: [list, create, revoke],
});
