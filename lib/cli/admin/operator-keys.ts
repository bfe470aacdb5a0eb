/** `wl admin operator-key`: keys of the operator API. They are made only here, by whoever may open the data folder. */
import { isoTime } from '../../base/day.ts';
import type { OperatorKey } from '../../control/operator-keys.ts';
import { parseLifetime } from '../../control/projects/lifetime.ts';
import { defineGroup, positional } from '../command.ts';
import { recordText } from '../text.ts';
import { BY_OPERATOR, controlCommand, tableOutcome } from './admin-command.ts';

const create = controlCommand({
  usage: 'create <name>',
  summary: 'Create a key of the operator API and print it; it is shown only once',
  examples: [
    ['wl admin operator-key create billing', 'works for a year'],
    ['wl admin operator-key create provisioning --expires-in 24h', 'for one script, today'],
  ],
  options: {
    name: positional('What the key is for'),
    'expires-in': { type: 'string', default: '365d', requiresArg: true, describe: 'Lifetime: <n>m, h, d or w' },
  },
  run: async ({ name, 'expires-in': lifetime }, control) => {
    const made = await control.operatorKeys.create({ name, lifetimeMs: parseLifetime(lifetime, '--expires-in') }, BY_OPERATOR);
    const json = { ...keyJson(made), key: made.key };
    return { json, text: recordText({ id: json.id, name: json.name, key: json.key, expires_at: json.expires_at }) };
  },
}); // prettier-ignore

const list = controlCommand({
  usage: 'list',
  summary: 'List the operator keys, including expired ones',
  examples: [['wl admin operator-key list', 'by name and prefix; nothing shows a whole key again']],
  options: {},
  run: async (_args, control) =>
    tableOutcome((await control.operatorKeys.list()).map(keyJson), [
      ...['id', 'name', 'prefix', 'created_at', 'expires_at', 'last_used_at'],
    ]),
});

const revoke = controlCommand({
  usage: 'revoke <key>',
  summary: 'Revoke an operator key; it stops working at once',
  examples: [['wl admin operator-key revoke opk_…', 'its id, as `list` shows it']],
  options: { key: positional('Id of the operator key') },
  run: async ({ key: id }, control) => {
    const { name } = await control.operatorKeys.revoke(id, BY_OPERATOR);
    const json = { revoked: true, id, name };
    return { json, text: recordText({ id, name, revoked: 'yes' }) };
  },
});

const keyJson = ({ id, name, prefix, createdAt, expiresAt, lastUsedAt }: OperatorKey) => ({
  ...{ id, name, prefix, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) },
  last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
});

export const operatorKey = defineGroup({
  name: 'operator-key',
  summary: 'Keys of the operator API',
  commands: [create, list, revoke],
});
