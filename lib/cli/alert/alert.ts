import { MAX_ALERT_ROWS, type Alert } from '../../alerts/alert.ts';
import { type CheckedAlert, checkAlert } from '../../alerts/check.ts';
import { judge, parseAlertCondition, queryOfAlert } from '../../alerts/condition.ts';
import { noticeTable } from '../../alerts/notice.ts';
import { problemLine } from '../../dashboards/problem.ts';
import { asRecord, asRecords, clientCommand, pathSegment } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { confirm } from '../client/prompt.ts';
import { defineGroup, positional, required } from '../command.ts';
import { readTexts } from '../dashboard/dashboard-file.ts';
import { askEnvelope } from '../query/ask.ts';
import { counted } from '../text.ts';

const ID = positional('The id of the alert');

const pathOf = (id: string): string => `/alerts/${pathSegment(id, 'alert')}`;

interface AlertFile {
  readonly file: string;
  readonly text: string;
  readonly checked: CheckedAlert;
}

/** Of a file, a folder or stdin. */
const alertsIn = async (path: string, signal: AbortSignal): Promise<readonly AlertFile[]> =>
  (await readTexts(path, signal)).map(({ file, text, bytes }) => {
    if (text === null) throw new ClientError(`${file} has ${bytes.toLocaleString('en')} bytes: that is no alert.`);
    return { file, text, checked: checkAlert(text) };
  });

/** Throws ClientError that lists all problems of a file. */
function soundAlert({ file, checked }: AlertFile): Alert {
  if (checked.alert !== null) return checked.alert;
  throw new ClientError(`The alert has ${counted(checked.problems.length, 'problem')}:`, checked.problems.map((problem) => problemLine(file, problem)));
} // prettier-ignore

const validate = clientCommand({
  usage: 'validate',
  summary: 'Check alerts and reports, and say every problem, without a server',
  examples: [
    ['wl alert validate --file few-orders.yaml', 'exits with 1 if it finds a problem'],
    ['wl alert validate --file alerts --json', 'every file in a folder, as JSON'],
  ],
  options: { file: required('A file, a folder of files, or - for stdin') },
  completes: { file: 'file' },
  run: async ({ file: path }, { output, signal }) => {
    const files = await alertsIn(path, signal);
    const problems = files.flatMap(({ file, checked }) => checked.problems.map((problem) => ({ file, ...problem })));
    const valid = problems.length === 0;
    if (output.format === 'json') output.json({ valid, files: files.map(({ file }) => file), problems });
    else {
      const sound = files.filter(({ checked }) => checked.alert !== null).map(({ file }) => `${file}: valid`);
      output.raw([...problems.map(({ file, ...problem }) => problemLine(file, problem)), ...sound].join('\n'));
    }
    return valid ? 0 : 1;
  },
});

const test = clientCommand({
  usage: 'test',
  summary: 'Ask what an alert asks, and show what it would say; nothing is stored or sent',
  examples: [['wl alert test --file few-orders.yaml', 'exits with 1 if it would fire']],
  options: { file: required('The file, or - for stdin') },
  completes: { file: 'file' },
  run: async ({ file: path }, { api, output, signal }) => {
    const [only] = await alertsIn(path, signal);
    if (only === undefined) throw new ClientError('There is no alert.');
    const { query, when, timezone, dashboard } = soundAlert(only);
    if (query === null) throw new ClientError(`This is a report of the dashboard ${dashboard}.`, ['See it with `wl dashboard view`.']); // prettier-ignore
    const condition = when === null ? null : parseAlertCondition(when);
    const answer = await askEnvelope(api, queryOfAlert(query, condition), {
      limit: MAX_ALERT_ROWS,
      timezone: timezone ?? undefined,
    });
    const judged = condition === null ? { met: false, saw: counted(answer.total, 'row') } : judge(condition, answer);
    if ('problem' in judged) throw new ClientError(`${judged.problem}.`);
    const { met, saw } = judged;
    if (output.format === 'json') output.json({ fires: met, saw, columns: answer.columns, rows: answer.rows, total: answer.total }); // prettier-ignore
    else output.raw([met ? `It would fire: ${saw}` : condition === null ? `It would send ${saw}` : `It would not fire: ${saw}`, noticeTable(answer)].join('\n').trimEnd()); // prettier-ignore
    return met ? 1 : 0;
  },
});

const sync = clientCommand({
  usage: 'sync',
  summary: 'Check alerts and reports, then store each as a new version in the project of the key',
  examples: [['wl alert sync --file alerts', 'every file in a folder; those that are unchanged add no version']],
  options: { file: required('A file, or a folder of files') },
  completes: { file: 'file' },
  run: async ({ file: path }, { api, output, signal }) => {
    const files = await alertsIn(path, signal);
    const named = files.map((one) => ({ ...one, id: soundAlert(one).id }));
    for (const [nth, { id, file }] of named.entries()) {
      const other = named.findIndex((one) => one.id === id);
      if (other < nth) throw new ClientError(`${named[other]?.file} and ${file} have the same id "${id}".`);
    }
    const stored = [];
    for (const { id, file, text } of named) {
      const retry = 'safe'; // a repeated text adds no version
      const body = JSON.stringify({ yaml: text });
      const answer = await api.json({ method: 'PUT', path: pathOf(id), body, key: 'alerts', retry });
      stored.push({ ...asRecord(answer), file });
    }
    await output.records(stored, ['id', 'version', 'state', 'next_at', 'unchanged', 'file']);
  },
});

const list = clientCommand({
  usage: 'list',
  summary: 'List the alerts and reports of the project of the key, with their states',
  examples: [['wl alert list', 'firing: a condition holds; broken: a query cannot be answered']],
  options: {},
  run: async (_args, { api, output }) => {
    const stored = asRecords(await api.json({ method: 'GET', path: '/alerts', key: 'alerts', retry: 'safe' }));
    const columns = ['id', 'title', 'schedule', 'when', 'state', 'since', 'next_at', 'version'];
    await output.records(stored, columns, [counted(stored.length, 'alert')]);
  },
});

const runs = clientCommand({
  usage: 'runs <id>',
  summary: 'List the last 50 runs of an alert or a report, with what they saw',
  examples: [['wl alert runs few-orders', 'the newest first']],
  options: { id: ID },
  run: async ({ id }, { api, output }) => {
    const request = { method: 'GET', path: `${pathOf(id)}/runs`, key: 'alerts', retry: 'safe' } as const;
    const all = asRecords(await api.json(request)).map(({ told, ...run }) => ({ ...run, told: toldText(told) }));
    await output.records(all, ['number', 'at', 'outcome', 'saw', 'told'], [counted(all.length, 'run')]);
  },
});

const toldText = (told: unknown): string =>
  asRecords(told).map(({ to, state, answer }) => `${String(to)}: ${String(state)}${typeof answer === 'string' ? ` (${answer})` : ''}`).join('; '); // prettier-ignore

const run = clientCommand({
  usage: 'run <id>',
  summary: 'Have an alert or a report ask now, in its turn, and tell what is new',
  examples: [['wl alert run few-orders', 'then: wl alert runs few-orders']],
  options: { id: ID },
  run: async ({ id }, { api, output }) => {
    const request = { method: 'POST', path: `${pathOf(id)}/runs`, key: 'alerts', retry: 'safe' } as const;
    await output.record(asRecord(await api.json(request)));
  },
});

const remove = clientCommand({
  usage: 'delete <id>',
  summary: 'Delete an alert or a report with all its versions and runs',
  examples: [['wl alert delete few-orders --yes', 'no prompts']],
  options: { id: ID },
  run: async ({ id }, { api, output, terminal, globals }) => {
    await confirm(`Delete the alert ${id}?`, { globals, terminal });
    await output.record(asRecord(await api.json({ method: 'DELETE', path: pathOf(id), key: 'alerts', retry: 'safe' })));
  },
});

export const alert = defineGroup({
  name: 'alert',
  summary: 'Questions that ask themselves: alerts and reports',
  commands: [validate, test, sync, list, runs, run, remove],
});
