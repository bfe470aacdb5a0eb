/** What /openapi.json says of /query. */
import { errors } from './openapi-errors.ts';
import { COUNT } from './openapi-parts.ts';
import { QUERY_SCHEMA } from './query-request.ts';

export const QUERY_PATHS = {
  '/query': {
    post: {
      operationId: 'query',
      tags: ['queries'],
      summary: 'Answers a query.',
      security: [{ header: [] }, { parameter: [] }],
      requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Query' } } } },
      responses: {
        '200': {
          description: 'The rows, as `format` says; with `explain`, how the query ran.',
          headers: {
            'X-Total-Count': { description: 'Rows of the answer before its page was cut.', schema: { type: 'integer' } },
            'X-Rows-Scanned': { description: 'Rows that the query looked at.', schema: { type: 'integer' } },
            'Server-Timing': { description: 'Milliseconds of each stage.', schema: { type: 'string' } },
          },
          content: {
            'text/plain': { schema: { type: 'string', description: 'Markdown.' } },
            'text/csv': { schema: { type: 'string' } },
            'application/json': { schema: { anyOf: ['Rows', 'Envelope', 'Explanation'].map((name) => ({ $ref: `#/components/schemas/${name}` })) } },
          },
        },
        ...errors(400, 401, 403, 404, 413, 429, 504),
      },
    },
  },
}; // prettier-ignore

const ROWS = { type: 'array', items: { type: 'object' } };

export const QUERY_SCHEMAS = {
  Query: QUERY_SCHEMA,
  Rows: ROWS,
  Envelope: {
    type: 'object',
    required: ['columns', 'column_types', 'rows', 'total', 'range', 'rows_scanned', 'elapsed_ms', 'mode', 'notes'],
    properties: {
      columns: { type: 'array', items: { type: 'string' }, description: 'Names, in order.' },
      column_types: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'type', 'role'],
          properties: { name: { type: 'string' }, type: { type: 'string' }, role: { type: 'string' } },
        },
      },
      rows: ROWS,
      total: { type: 'integer' },
      range: {
        type: 'object',
        required: ['from', 'to', 'timezone'],
        properties: { from: { type: 'string' }, to: { type: 'string' }, timezone: { type: 'string' } },
      },
      rows_scanned: { type: 'integer' },
      elapsed_ms: { type: 'integer', description: 'Whole milliseconds.' },
      mode: { type: 'string' },
      notes: { type: 'array', items: { type: 'string' } },
    },
  },
  Explanation: {
    type: 'object',
    required: ['tree', 'plan', 'passes', 'parts', 'times', 'rows_scanned', 'notes'],
    properties: {
      tree: { type: 'object', description: 'The query as it was read.' },
      plan: { type: 'object', description: 'What was run.' },
      passes: {
        type: 'array',
        description: 'The passes of the optimizer in their order, with the plan after each that changed it.',
        items: {
          type: 'object',
          required: ['name', 'changed'],
          properties: { name: { type: 'string' }, changed: { type: 'boolean' }, plan: { type: 'array', items: { type: 'string' } } },
        },
      },
      parts: { type: 'array', items: { type: 'object', required: ['thread', 'segments', 'rows', 'ms'], properties: { thread: COUNT, segments: COUNT, rows: COUNT, ms: { type: 'number' } } } },
      times: { type: 'array', items: { type: 'object', required: ['stage', 'ms'], properties: { stage: { type: 'string' }, ms: { type: 'number' } } } },
      rows_scanned: COUNT,
      notes: { type: 'array', items: { type: 'string' } },
    },
  },
}; // prettier-ignore
