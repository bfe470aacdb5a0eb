/** /operator/health, /tenants, /webhooks and moves: what `wl admin` shows of a running host. */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { AppError, codeOf } from '../../base/errors.ts';
import { PartialFolder } from '../../base/files/partial-folder.ts';
import { WL_PROGRAM } from '../../base/files/package-folder.ts';
import { MINUTE_MS } from '../../base/day.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';
import { webhookMessageJson } from '../../control/json.ts';
import { tenantsNow } from '../limits/tenants-now.ts';
import type { RouterContext } from '../context.ts';
import { askForBody } from '../http/body.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { checkName } from '../../control/names.ts';
import { sendJson } from '../http/answer.ts';
import { WITH_KEYS } from './projects.ts';
import { limitOf } from '../route/paged.ts';
import { NO_BODY } from '../route/json-body.ts';
import { managed, receiving } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import {
  ANY_STRING,
  component,
  json,
  list,
  NATURAL,
  objectOf,
  parameter,
  PROJECT,
  STRING_OR_NULL,
} from '../route/schema.ts';
import { admitOperator, OPERATOR } from './doors.ts';

const FINDING = objectOf({
  check: ANY_STRING,
  found: ANY_STRING,
  mend: { ...STRING_OR_NULL, description: 'What to do; null: nothing is wrong.' },
});

const TENANT = component(
  'Tenant',
  objectOf({
    ...{ project_id: PROJECT, project: ANY_STRING, organization: ANY_STRING },
    ...Object.fromEntries(
      ['events', 'queries', 'query_ms', 'refused'].map((name) => [
        name,
        { type: 'number', minimum: 0, description: 'Since the start of the service.' },
      ]),
    ),
    ...{ running: NATURAL, waiting: NATURAL, held_bytes: NATURAL, stored_bytes: NATURAL },
  }),
);

const MESSAGE = component(
  'WebhookMessage',
  objectOf({
    ...{ id: ANY_STRING, type: ANY_STRING, made_at: ANY_STRING, state: ANY_STRING, tries: NATURAL },
    ...{ last_try_at: STRING_OR_NULL, last_answer: STRING_OR_NULL, next_try_at: STRING_OR_NULL },
  }),
);

export const OPERATOR_HOST_ROUTES: Routes = {
  '/operator/health': {
    get: managed(OPERATOR, 'getHostHealth', 'What `wl admin doctor` finds on this host: it writes 32 MiB to its disk, and removes them.', {
      admit: admitOperator,
      ok: json('All that was checked.', component('HostHealth', objectOf({ ok: { type: 'boolean' }, findings: list(FINDING) }))),
      fails: [409],
      answer: ({ config, turns }, _by, request) => {
        turns.leave(request); // it waits for the disk
        return readJsonOf(config, ['doctor']);
      },
    }),
  },
  '/operator/tenants': {
    get: managed(OPERATOR, 'listTenants', 'What each project does: two readings say what happened between them.', {
      admit: admitOperator,
      ok: json('`at` is milliseconds on a clock that never goes back.', objectOf({ at: { type: 'number' }, tenants: list(TENANT) })),
      answer: (services) => tenantsNow(services),
    }),
  },
  '/operator/webhooks': {
    get: managed(OPERATOR, 'listWebhookMessages', 'The messages to the host, with the last answers of its receiver, newest first.', {
      admit: admitOperator,
      parameters: [parameter('limit', 'How many.', { type: 'integer', minimum: 1, maximum: 1_000, default: 50 })],
      ok: json('Messages.', list(MESSAGE)),
      answer: async ({ control }, _by, request) => {
        const limit = limitOf(queryParameters(request), 50);
        return (await control.operator.webhooks.list(limit)).map(webhookMessageJson);
      },
    }),
  },
  '/operator/webhooks/test': {
    post: receiving(OPERATOR, 'testWebhook', 'Queues a test message to the receiver of the host.', {
      admit: admitOperator,
      body: NO_BODY,
      ok: json('It is queued.', objectOf({ queued: { const: true } })),
      fails: [403],
      answer: async ({ control }) => {
        await control.operator.webhooks.addTest();
        return { queued: true };
      },
    }),
  },
  '/operator/orgs/{orgID}/projects/import': {
    post: managed(OPERATOR, 'importOperatorProject', 'Imports a project file into an organization, with new keys. At most WINDLASS_BULK_LIMIT bytes.', {
      admit: OPERATOR.organization('change'),
      parameters: [parameter('name', 'Name of the new project; default: that in the file.')],
      requestBody: { required: true, content: { 'application/octet-stream': { schema: { type: 'string' } } } },
      answers: { '201': json('The project with its keys.', WITH_KEYS) },
      fails: [409, 413],
      answer: async ({ config, turns }, { orgId }, request, response) => {
        const name = onlyParameter(queryParameters(request), 'name');
        const named = name === undefined ? [] : [`--name=${checkName(name, 'project')}`];
        turns.leave(request);
        using folder = PartialFolder.make(join(config.data, 'import'));
        const file = join(folder.path, 'project.windlass');
        askForBody(request, response);
        request.setTimeout(config.bodyTimeout, () => request.destroy()); // a client that sends nothing is cut off
        await pipeline(request, (body: AsyncIterable<Buffer>) => bounded(body, config.bulkLimit), createWriteStream(file));
        sendJson(response, 201, await readJsonOf(config, ['project', 'import', file, '--org', orgId, ...named]));
      },
    }),
  },
  '/operator/projects/{projectID}/export': {
    get: managed(OPERATOR, 'exportOperatorProject', 'The file that `wl admin project export` makes, without keys, for `wl admin project import` on another host.', {
      admit: OPERATOR.project('look'),
      ok: { description: 'A project file.', content: { 'application/octet-stream': { schema: { type: 'string' } } } },
      fails: [409],
      answer: async ({ config, turns }, { project }, request, response) => {
        turns.leave(request);
        using folder = PartialFolder.make(join(config.data, 'export')); // the next start removes what a crash leaves
        const file = join(folder.path, 'project.windlass');
        await readJsonOf(config, ['project', 'export', project.id, file]);
        response.setHeader('Content-Disposition', `attachment; filename="${project.id}.windlass"`);
        response.setHeader('Content-Type', 'application/octet-stream');
        response.setTimeout(60_000); // a client that reads nothing is cut off
        await pipeline(createReadStream(file), response).catch((error: unknown) => {
          if (codeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
        });
      },
    }),
  },
}; // prettier-ignore

async function* bounded(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const piece of body) {
    if ((length += piece.length) > most)
      throw new AppError('payload_too_large', `The file has more than ${most.toLocaleString('en')} bytes.`, {
        hints: ['Raise WINDLASS_BULK_LIMIT, or use `wl admin project import` on the machine of the service.'],
      });
    yield piece;
  }
}

/** Whether one runs: one at a time, as each reads or writes much of the disk. */
let running = false;

/**
 * The JSON of a command of `wl admin`, run in a process of its own, so that what it reads takes none of the service's memory or
 * turns. Rejects with AppError `conflict` while another runs, and with what the command says when it fails.
 */
async function readJsonOf({ data }: RouterContext['config'], words: readonly string[]): Promise<unknown> {
  if (running) throw new AppError('conflict', 'A check or an export of the operator runs already: try again when it has ended.');
  running = true;
  try {
    const args = [WL_PROGRAM, 'admin', ...words, '--data', data, '--json'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 10 * MINUTE_MS }); // as `wl admin --host` waits
    const [said, wrong] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if (said.trim() === '') throw new AppError('not_available', `The host cannot do that: ${wrong.trim().slice(0, 500) || 'it took more than ten minutes'}`);
    const value = readJson(said);
    if (!isRecord(value)) throw new Error(`wl admin ${words[0]} printed no object`);
    return value;
  } finally {
    running = false;
  }
} // prettier-ignore
