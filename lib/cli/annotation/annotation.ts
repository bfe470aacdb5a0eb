import { asRecord, asRecords, clientCommand, pathSegment } from '../client/client-command.ts';
import { defineGroup, optional, positional } from '../command.ts';
import { counted } from '../text.ts';

const list = clientCommand({
  usage: 'list',
  summary: 'List the annotations of the project of the key, by time',
  examples: [['wl annotation list', 'with their ids']],
  options: {},
  run: async (_args, { api, output }) => {
    const saved = asRecords(await api.json({ method: 'GET', path: '/annotations', key: 'query', retry: 'safe' }));
    const columns = ['at', 'text', 'id', 'created_by'];
    await output.records(saved, columns, [counted(saved.length, 'annotation')]);
  },
});

const add = clientCommand({
  usage: 'add <text>',
  summary: 'Mark a time in the charts of every dashboard of the project, such as a deploy',
  examples: [
    ['wl annotation add "Version 2.1"', 'now'],
    ['wl annotation add "Black Friday campaign" --at 2026-11-27T00:00:00+01:00', 'at another time; again, it adds nothing'],
  ],
  options: {
    text: positional('What happened, in one line of at most 200 characters'),
    at: optional('When, such as 2026-11-20T14:30:00Z [default: now]'),
  },
  run: async ({ text, at = new Date().toISOString() }, { api, output }) => {
    const body = JSON.stringify({ text, at });
    const retry = 'safe'; // the same text at the same time adds nothing
    await output.record(asRecord(await api.json({ method: 'POST', path: '/annotations', body, key: 'dashboards', retry })));
  },
}); // prettier-ignore

const remove = clientCommand({
  usage: 'delete <id>',
  summary: 'Delete an annotation',
  examples: [['wl annotation delete ann_…', 'by the id that `list` shows']],
  options: { id: positional('The id of the annotation') },
  run: async ({ id }, { api, output }) => {
    const path = `/annotations/${pathSegment(id, 'annotation')}`;
    await output.record(asRecord(await api.json({ method: 'DELETE', path, key: 'dashboards', retry: 'safe' })));
  },
});

export const annotation = defineGroup({
  name: 'annotation',
  summary: 'What happened when, such as deploys: marks in the charts of dashboards',
  commands: [add, list, remove],
});
