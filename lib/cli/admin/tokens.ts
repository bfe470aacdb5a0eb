/** `wl admin token`. */
import { parseLifetime } from '../../control/projects/lifetime.ts';
import { tokenJson } from '../../control/json.ts';
import { SCOPES } from '../../control/types.ts';
import { defineGroup, optional, positional, required } from '../command.ts';
import { NO_PERSONAL, TOKEN_COLUMNS } from '../project/token.ts';
import { recordText, type TextRecord } from '../text.ts';
import { pathSegment } from '../client/client-command.ts';
import { projectPath } from '../project/admin-api.ts';
import { BY_OPERATOR, type CommandResult, controlCommand, tableOutcome } from './admin-command.ts';

const PROJECT = positional('Id of the project');

const create = controlCommand({
  usage: 'create <project>',
  summary: 'Create an access token and print it; it is shown only once',
  examples: [
    ['wl admin token create prj_… --scopes query --expires-in 720h', 'a token for queries, for 30 days'],
    [
      'wl admin token create prj_… --scopes query --no-personal',
      'a token for an agent: no e-mail addresses, ids as hashes',
    ],
  ],
  options: {
    project: PROJECT,
    scopes: required(`Some of ${SCOPES.join(',')}`),
    'expires-in': optional('Lifetime: <n>m, h, d or w (default: 90d)'),
    name: { type: 'string', default: 'token', requiresArg: true, describe: 'Name of the token' },
    'no-personal': NO_PERSONAL,
  },
  run: async ({ project, scopes, 'expires-in': expiresIn, name, 'no-personal': hides }, control) => {
    const wanted = {
      projectId: project,
      name,
      personal: !hides,
      scopes: listOf(scopes),
      ...(expiresIn === undefined ? {} : { lifetimeMs: parseLifetime(expiresIn, '--expires-in') }),
    };
    const { token: made, key } = await control.tokens.create(wanted, BY_OPERATOR);
    return created(project, { ...tokenJson(made), token: key });
  },
  remote: async ({ project, scopes, 'expires-in': lifetime, name, 'no-personal': hides }, host) => {
    const expires = lifetime === undefined ? {} : { expires_in: lifetime };
    const body = { name, personal: !hides, scopes: listOf(scopes), ...expires };
    return created(project, await host.create(`${projectPath(project)}/tokens`, body));
  },
});

const listOf = (scopes: string): readonly string[] => scopes.split(',').flatMap((scope) => scope.trim() || []);

function created(
  project: string,
  { id, name, prefix, scopes, personal, expires_at, token }: ReturnType<typeof tokenJson> & { readonly token: string },
): CommandResult {
  const shown = { id, project_id: project, name, prefix, scopes, ...(personal ? {} : { personal }) };
  const json = { ...shown, expires_at, token };
  return { json, text: recordText(json) };
}

const list = controlCommand({
  usage: 'list <project>',
  summary: 'List the access tokens of a project',
  examples: [['wl admin token list prj_…', 'its tokens, without the tokens themselves']],
  options: { project: PROJECT },
  run: async ({ project }, control) => {
    const tokens = (await control.tokens.list((await control.projects.get(project)).id)).map(tokenJson);
    return tableOutcome(tokens, TOKEN_COLUMNS);
  },
  remote: async ({ project }, host) =>
    tableOutcome(await host.ask<readonly TextRecord[]>('GET', `${projectPath(project)}/tokens`), TOKEN_COLUMNS),
});

const revoke = controlCommand({
  usage: 'revoke <token>',
  summary: 'Revoke an access token; a running service refuses it at once',
  examples: [['wl admin token revoke tok_…', 'by its id, as `wl admin token list` shows it']],
  options: { token: positional('Id of the token') },
  run: async ({ token: id }, control) => {
    await control.tokens.revoke((await control.tokens.get(id)).projectId, id, BY_OPERATOR);
    return revoked(id);
  },
  remote: async ({ token: id }, host) => {
    await host.ask('DELETE', `/tokens/${pathSegment(id, 'token')}`);
    return revoked(id);
  },
});

const revoked = (id: string): CommandResult => ({ json: { deleted: true, id }, text: `revoked ${id}` });

export const adminToken = defineGroup({
  name: 'token',
  summary: 'Access tokens',
  commands: [create, list, revoke],
});
