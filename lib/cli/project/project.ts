import { clientCommand, asRecord, asRecords } from '../client/client-command.ts';
import { adminRequest, findProject, IDEMPOTENCY_KEY, projectPath } from './admin-api.ts';
import { defineGroup, optional, positional } from '../command.ts';
import { namedSettings, settingsBody, SETTINGS_OPTIONS, SUSPENSION_OPTIONS } from './settings-options.ts';
import { ServerError } from '../client/client-error.ts';
import { confirm, confirmByTyping, mustBeAsked } from '../client/prompt.ts';
import { member } from './member.ts';
import { token } from './token.ts';
import { usage } from './usage.ts';
import { counted } from '../text.ts';

const COLUMNS = ['at', 'actor', 'action', 'target', 'changes', 'ip'];

const audit = clientCommand({
  usage: 'audit',
  summary: 'Show who did what in the organization, newest first',
  examples: [
    ['wl project audit', 'the last hundred entries'],
    ['wl project audit --action key --actor ada@', 'the keys that Ada has rotated'],
    ['wl project audit --from 2026-01-01 --to 2026-01-31 --limit 1000', 'January, including both days'],
  ],
  options: {
    actor: optional('Part of who did it: ada@, wl admin'),
    action: optional('An action, or the part before its dot: key.rotate, member'),
    from: optional('First day or time, YYYY-MM-DD or 2026-01-31T12:00:00Z'),
    to: optional('Last day, or a time to stop before'),
    limit: optional('Number of entries, 1 to 1000 [default: 100]'),
    cursor: optional('Cursor from the previous page'),
  },
  run: async ({ actor, action, from, to, limit, cursor }, { api, output, terminal }) => {
    const request = adminRequest('GET', '/audit', { parameters: { actor, action, from, to, limit, cursor } });
    const { value, header } = await api.read(request);
    const entries = asRecords(value);
    await output.records(entries, COLUMNS, [counted(entries.length, 'entry', 'entries')]);
    const next = header('x-next-cursor');
    if (next !== null) terminal.say(`wl: for older entries add --cursor ${next}`);
  },
});

const ID = positional('Id of the project');

const list = clientCommand({
  usage: 'list',
  summary: 'List the projects',
  examples: [['wl project list', 'without their secret keys']],
  options: {},
  run: async (_args, { api, output }) => {
    const projects = asRecords(await api.json(adminRequest('GET', '/projects')));
    await output.records(projects, ['id', 'name', 'public_key', 'created_at'], [counted(projects.length, 'project')]);
  },
});

const create = clientCommand({
  usage: 'create <name>',
  summary: 'Create a project and print its keys',
  examples: [
    ['wl project create "Shop"', 'id, public key, secret key'],
    ['wl project create "Acme" --idempotency-key order-1017', 'created once, however often you send it'],
  ],
  options: {
    name: positional('Name of the project'),
    'idempotency-key': IDEMPOTENCY_KEY,
  },
  run: async ({ name, 'idempotency-key': idempotencyKey }, { api, output }) => {
    const request = adminRequest('POST', '/projects', { body: { name }, idempotencyKey });
    await output.record(asRecord(await api.json(request)));
  },
});

const get = clientCommand({
  usage: 'get <id>',
  summary: 'Show a project with its keys',
  examples: [['wl project get prj_… --json', 'for a script that needs its keys']],
  options: { id: ID },
  run: async ({ id }, { api, output }) => {
    await output.record(await findProject(api, id));
  },
});

const set = clientCommand({
  usage: 'set <id>',
  summary: 'Change the name and the settings of a project',
  examples: [
    ['wl project set prj_… --name "Web shop"', 'rename it'],
    [
      'wl project set prj_… --retention-days 365',
      'delete events older than a year, from tomorrow; asks if there are any',
    ],
    ['wl project set prj_… --retention-days none', 'also undoes what has not begun yet'],
    ['wl project set prj_… --ip-policy none --timezone Europe/Paris', 'store no IP addresses; days follow Paris time'],
  ],
  options: {
    id: ID,
    ...SETTINGS_OPTIONS,
  },
  run: async ({ id, ...args }, { api, output, terminal, globals }) => {
    const body = settingsBody(namedSettings(args));
    const send = (confirmed: boolean) =>
      api.json(adminRequest('PATCH', projectPath(id), { body: confirmed ? { ...body, confirm: true } : body }));
    const answer = await send(globals.yes).catch(async (error: unknown) => {
      if (!(error instanceof ServerError) || error.events === null || globals.yes) throw error;
      await confirm(`${error.message} It begins in 24 hours, and can be undone until then. Continue?`, {
        globals,
        terminal,
      });
      return send(true);
    });
    const { id: known, name: called, settings: now, retention_change: change } = asRecord(answer);
    const shown = { id: known, name: called, settings: now };
    await output.record(change === undefined ? shown : { ...shown, retention_change: change });
  },
});

const remove = clientCommand({
  usage: 'delete <id>',
  summary: 'Permanently delete a project and all of its events',
  examples: [
    ['wl project delete prj_…', 'asks for the name of the project'],
    ['wl project delete prj_… --yes', 'no prompts'],
  ],
  options: { id: ID },
  run: async ({ id }, { api, output, terminal, globals }) => {
    mustBeAsked(`Permanently delete the project ${id} with all of its events?`, { globals, terminal });
    const { name } = await findProject(api, id);
    const question = `Permanently delete the project ${JSON.stringify(name)} (${id}) with all of its events?`;
    const typed = await confirmByTyping(name, question, { globals, terminal });
    const body = { project_name: name, project_name_confirm: typed };
    await output.record(asRecord(await api.json(adminRequest('DELETE', projectPath(id), { body }))));
  },
});

const suspend = clientCommand({
  usage: 'suspend <id>',
  summary: 'Suspend a project: refuse its events, queries or both with 403 and the reason; keeps its data',
  examples: [
    ['wl project suspend prj_… --what ingest --reason "a loop sends the same event"', 'queries still work'],
    ['wl project suspend prj_… --reason "the trial is over"', 'refuses both events and queries'],
  ],
  options: {
    id: ID,
    ...SUSPENSION_OPTIONS,
  },
  run: async ({ id, what, reason }, { api, output }) => {
    const request = adminRequest('POST', `${projectPath(id)}/suspend`, { body: { what, reason } });
    const { id: known, name, suspensions = [] } = asRecord(await api.json(request));
    await output.record({ id: known, name, suspensions });
  },
});

const resume = clientCommand({
  usage: 'resume <id>',
  summary: 'Resume a project that its organization has suspended',
  examples: [['wl project resume prj_…', 'suspensions by the operator of the host remain']],
  options: { id: ID },
  run: async ({ id }, { api, output }) => {
    const resumed = asRecord(await api.json(adminRequest('POST', `${projectPath(id)}/resume`)));
    await output.record({ id: resumed['id'], name: resumed['name'], suspensions: resumed['suspensions'] ?? [] });
  },
});

const rotate = clientCommand({
  usage: 'rotate-secret-key <id>',
  summary: 'Replace the secret key of a project; keeps the public key',
  examples: [
    ['wl project rotate-secret-key prj_…', 'the old key stops working at once'],
    ['wl project rotate-secret-key prj_… --grace 24h --yes', 'the old key works for one more day'],
  ],
  options: {
    id: ID,
    grace: optional('Time the old key keeps working [default: none]'),
  },
  run: async ({ id, grace }, { api, output, terminal, globals }) => {
    const end = grace === undefined ? 'at once' : `in ${grace}`;
    await confirm(`Replace the secret key of ${id}? The old one ends ${end}.`, { globals, terminal });
    const body = grace === undefined ? {} : { grace };
    const request = adminRequest('POST', `${projectPath(id)}/rotate-secret-key`, { body });
    await output.record(asRecord(await api.json(request)));
  },
});

const organization = clientCommand({
  usage: 'organization',
  aliases: ['org'],
  summary: 'Show the organization of the key, with its limits, or rename it',
  examples: [
    ['wl project organization', 'its id, name and limits'],
    ['wl project organization --name "Acme Inc"', 'rename it'],
  ],
  options: { name: optional('New name of the organization') },
  run: async ({ name }, { api, output }) => {
    const request =
      name === undefined
        ? adminRequest('GET', '/organization')
        : adminRequest('PATCH', '/organization', { body: { name } });
    await output.record(asRecord(await api.json(request)));
  },
});

export const project = defineGroup({
  name: 'project',
  summary: 'Manage the projects of an organization',
  commands: [list, create, get, set, remove, suspend, resume, rotate, usage, token, member, audit, organization],
});
