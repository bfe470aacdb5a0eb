import { asRecord, asRecords, clientCommand, pathSegment } from '../client/client-command.ts';
import { confirm } from '../client/prompt.ts';
import { defineGroup, optional, positional, wholeNumberOption } from '../command.ts';
import { counted } from '../text.ts';

const NAME = positional('The name of the cohort');

const pathOf = (name: string): string => `/cohorts/${pathSegment(name, 'cohort')}`;

const list = clientCommand({
  usage: 'list',
  summary: 'List the cohorts of the project of the key',
  examples: [['wl cohort list', 'with their conditions']],
  options: {},
  run: async (_args, { api, output }) => {
    const saved = asRecords(await api.json({ method: 'GET', path: '/cohorts', key: 'query', retry: 'safe' }));
    const columns = ['name', 'where', 'description', 'version', 'updated_at', 'updated_by'];
    await output.records(saved, columns, [counted(saved.length, 'cohort')]);
  },
});

const show = clientCommand({
  usage: 'show <name>',
  summary: 'Show a cohort',
  examples: [
    ['wl cohort show buyers', 'the newest version'],
    ['wl cohort show buyers --revision 3', 'an earlier version'],
  ],
  options: {
    name: NAME,
    revision: { type: 'number', requiresArg: true, describe: 'Which version [default: the newest]' },
  },
  completes: { name: 'cohort' },
  run: async ({ name, revision }, { api, output }) => {
    const version = revision === undefined ? undefined : String(wholeNumberOption('revision', revision, 1, 999_999_999)); // prettier-ignore
    const request = {
      method: 'GET',
      path: pathOf(name),
      parameters: { version },
      key: 'query',
      retry: 'safe',
    } as const;
    await output.record(asRecord(await api.json(request)));
  },
});

const save = clientCommand({
  usage: 'save <name> <where>',
  summary: 'Save a condition on people under a name, as a new version',
  examples: [
    ["wl cohort save buyers 'did(purchase) >= 2 in last 30d'", 'then: wl query \'* | where cohort "buyers" | unique\''],
    ['wl cohort save "pro buyers" \'cohort "buyers" and user.plan = "pro"\' --description \'Pay, and buy\'', 'names another one'],
  ],
  options: {
    name: NAME,
    where: positional('The condition: did(…), user.*, user_last_session.*, cohort "…"'),
    description: optional('A sentence for people'),
  },
  completes: { name: 'cohort', where: 'condition' },
  run: async ({ name, where, description = null }, { api, output }) => {
    const body = JSON.stringify({ where, description });
    const retry = 'safe'; // a repeated text adds no version
    await output.record(asRecord(await api.json({ method: 'PUT', path: pathOf(name), body, key: 'dashboards', retry })));
  },
}); // prettier-ignore

const remove = clientCommand({
  usage: 'delete <name>',
  summary: 'Delete a cohort with all its versions, unless a dashboard or another cohort uses it',
  examples: [['wl cohort delete buyers --yes', 'no prompts']],
  options: { name: NAME },
  completes: { name: 'cohort' },
  run: async ({ name }, { api, output, terminal, globals }) => {
    const path = pathOf(name);
    await confirm(`Delete the cohort ${name}?`, { globals, terminal });
    await output.record(asRecord(await api.json({ method: 'DELETE', path, key: 'dashboards', retry: 'safe' })));
  },
});

export const cohort = defineGroup({
  name: 'cohort',
  summary: 'Saved conditions on people, for queries and dashboards',
  commands: [list, show, save, remove],
});
