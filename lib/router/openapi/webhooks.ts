/** Describes the messages that the service sends to its host's receiver, for /openapi.json. */
import { ORG, PROJECT, TIME, whole } from './operation.ts';

const LIMITS = ['projects', 'events_per_month', 'events_per_minute', 'queries_per_minute'];

export const WEBHOOKS = {
  hostMessage: {
    post: {
      operationId: 'receiveHostMessage',
      tags: ['webhooks'],
      summary: 'Sent to WINDLASS_WEBHOOK_URL, signed according to Standard Webhooks; at least once, in no fixed order.',
      parameters: [
        header('webhook-id', 'The same at every try.', { type: 'string', pattern: '^msg_' }),
        header('webhook-timestamp', 'Of this try, seconds since the epoch.', { type: 'string', pattern: '^\\d+$' }),
        header('webhook-signature', 'Of id, timestamp and body.', { type: 'string', pattern: '^v1,' }),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              oneOf: [
                message(['project.created', 'project.deleted'], { org_id: ORG, project_id: PROJECT }),
                message(['limit.reached'], {
                  org_id: ORG,
                  project_id: { anyOf: [PROJECT, { type: 'null' }], description: "null: the organization's own." },
                  limit: { enum: LIMITS },
                }),
                message(['damage.found'], {
                  where: { enum: ['shard', 'journal'] },
                  project_id: { anyOf: [PROJECT, { type: 'null' }], description: 'null: that cannot be told.' },
                }),
                message(['webhook.test'], {}),
              ],
            },
          },
        },
      },
      responses: { '2XX': { description: 'Received. With any other answer it is sent again.' } },
    },
  },
};

function header(name: string, description: string, schema: object): object {
  return { name, in: 'header', required: true, description, schema };
}

function message(types: readonly string[], data: Readonly<Record<string, object>>): object {
  return whole({ type: { enum: types }, timestamp: TIME, data: whole(data) });
}
