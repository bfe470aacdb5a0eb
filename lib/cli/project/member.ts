import type { ApiClient } from '../client/api-client.ts';
import { clientCommand, asRecord, asRecords } from '../client/client-command.ts';
import { confirm, mustBeAsked } from '../client/prompt.ts';
import { defineGroup, positional } from '../command.ts';
import { adminRequest, IDEMPOTENCY_KEY } from './admin-api.ts';
import { counted } from '../text.ts';

/** An admin key may not touch owners. */
const ROLES = ['viewer', 'member', 'admin'] as const;
const EMAIL = positional('E-mail address');
const COLUMNS = ['email', 'name', 'role', 'status', 'joined_at'];

const list = clientCommand({
  usage: 'list',
  summary: 'List the members and invitations of the organization',
  examples: [['wl project member list', 'in the order of joining, then invitations']],
  options: {},
  run: async (_args, { api, output }) => {
    const members = asRecords(await api.json(adminRequest('GET', '/members')));
    await output.records(members, COLUMNS, [counted(members.length, 'member')]);
  },
});

const invite = clientCommand({
  usage: 'invite <email>',
  summary: 'Invite an e-mail address, or change the role of a member',
  examples: [
    [
      'wl project member invite ada@example.com --role viewer',
      'who has an account accepts it, others join at their first login',
    ],
  ],
  options: {
    email: EMAIL,
    role: { choices: ROLES, demandOption: true, requiresArg: true, describe: 'Role of the member' },
    'idempotency-key': IDEMPOTENCY_KEY,
  },
  run: async ({ email, role, 'idempotency-key': idempotencyKey }, { api, output }) => {
    const request = adminRequest('POST', '/members', { body: { email, role }, idempotencyKey });
    await output.record(asRecord(await api.json(request)));
  },
});

const remove = clientCommand({
  usage: 'remove <email>',
  summary: 'Remove a member, whose tokens stay, or revoke an invitation',
  examples: [['wl project member remove ada@example.com --yes', 'no prompts']],
  options: { email: EMAIL },
  run: async ({ email }, { api, output, terminal, globals }) => {
    const question = `Remove ${email} from the organization?`;
    mustBeAsked(question, { globals, terminal });
    const isInvited = await isOnlyInvited(api, email);
    await confirm(isInvited ? `Revoke the invitation of ${email}?` : question, { globals, terminal });
    await output.record(asRecord(await api.json(adminRequest('DELETE', '/members', { body: { email } }))));
    if (!isInvited) terminal.say(`wl: ${whatStays(email)}`);
  },
});

/** Whether nobody has joined with the address yet: then no token or key can stay behind. */
async function isOnlyInvited(api: ApiClient, email: string): Promise<boolean> {
  const address = email.trim().toLowerCase();
  const members = asRecords(await api.json(adminRequest('GET', '/members')));
  const known = members.filter((member) => member['email'] === address);
  return known.length > 0 && known.every(({ status }) => status === 'invited');
}

/** A token may be what a program in production runs with, so nobody revokes it unasked. */
function whatStays(email: string): string {
  return [
    'Access tokens that they made keep working, and so do keys that they have seen.',
    `Tokens: wl project token list PROJECT shows those with created_by ${email}; wl project token revoke PROJECT TOKEN ends one.`,
    'Keys: wl project rotate-secret-key PROJECT replaces the secret key; an owner replaces the admin key in the console.',
  ].join('\n  ');
}

export const member = defineGroup({
  name: 'member',
  summary: 'Members of the organization',
  commands: [list, invite, remove],
});
