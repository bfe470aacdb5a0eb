/** Tools that store: what POST /track and POST /identify take, one at a time. */
import { AppError } from '../../base/errors.ts';
import { projectRef } from '../project-ref.ts';
import { admit, count, deliver } from '../ingest/ingest.ts';
import { originOf } from '../ingest/origin.ts';
import { checkMonth } from '../limits/month-limit.ts';
import { dataResult } from './result.ts';
import { type ToolCall, projectTool } from './tool.ts';

const ID = (name: string) => ({ schema: { type: 'string' }, must: `"${name}" must be a string.` });
const OBJECT = (name: string) => ({
  schema: { type: 'object', additionalProperties: true },
  must: `"${name}" must be an object.`,
});

interface EventArguments {
  readonly event_type: string;
  readonly [field: string]: unknown;
}

const track = projectTool<EventArguments>({
  name: 'track',
  description: 'Stores one event. user_id or device_id says whose; insert_id makes it safe to send again.',
  scope: 'track',
  writes: true,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  required: ['event_type'],
  takes: {
    event_type: ID('event_type'),
    user_id: ID('user_id'),
    device_id: ID('device_id'),
    session_id: ID('session_id'),
    time: {
      schema: { type: 'string', description: 'ISO 8601; default now' },
      must: '"time" must be an ISO 8601 text.',
    },
    insert_id: ID('insert_id'),
    event_properties: OBJECT('event_properties'),
    user_properties: OBJECT('user_properties'),
  },
  run: async (call, event) => {
    const { accepted, rejected, errors, warnings } = await store(call, 'track', event);
    if (accepted === 0)
      throw new AppError('bad_request', `The event was not stored: ${errors[0]?.error ?? 'no reason'}.`);
    const told = { accepted, rejected, errors, warnings };
    return dataResult(JSON.stringify(told), told);
  },
});

const identify = projectTool<Readonly<Record<string, unknown>>>({
  name: 'identify',
  description: 'Binds a device to a user and sets properties of the profile.',
  scope: 'track',
  writes: true,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  required: ['user_id'],
  takes: {
    user_id: ID('user_id'),
    device_id: ID('device_id'),
    user_properties: OBJECT('user_properties'),
  },
  run: async (call, body) => {
    const { ignored, warnings } = await store(call, 'identify', body);
    const told = { ok: true, ignored, warnings };
    return dataResult(JSON.stringify(told), told);
  },
});

async function store({ services, request, arrival }: ToolCall, kind: 'track' | 'identify', value: object) {
  const client = services.clients.of(request);
  const credential = await admit(services, request, client);
  const { project } = credential;
  await checkMonth(services, project);
  const context = await originOf(services, request, { credential, client, receivedAt: arrival });
  services.eventRate.check(project);
  const body = new TextEncoder().encode(JSON.stringify(value));
  const result = await deliver(services, { project: projectRef(project), kind, context, body, encoding: 'identity' });
  count(services, project, kind, result);
  return result;
}

export const INGEST_TOOLS = [track, identify];
