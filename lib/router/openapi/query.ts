/** What /openapi.json says of queries, with a key and with a session. */
import { MOST_NAMES } from '../api/questions.ts';
import { errors } from './errors.ts';
import { COUNT, json, pathId } from './parts.ts';
import { QUERY_SCHEMA } from '../query/query-request.ts';

const PROJECT_ID = pathId('projectID', 'Id of the project, prj_…');
const NAMES = { type: 'array', maxItems: MOST_NAMES, items: { type: 'string' } };

export const QUERY_PATHS = {
  '/query': { post: ask('query', 'Answers a query.', ['queries'], [{ header: [] }, { parameter: [] }]) },
};

/** Those of the session API are paths of a project. */
export const PROJECT_QUERY_PATHS = {
  '/api/projects/{projectID}/query': {
    parameters: [PROJECT_ID],
    post: ask('askProject', 'Answers a query, as POST /query does.', ['session'], [{ session: [] }]),
  },
  '/api/projects/{projectID}/names': {
    parameters: [PROJECT_ID],
    get: {
      operationId: 'getProjectNames',
      tags: ['session'],
      summary: 'Lists names for query completion. Counts as a query.',
      security: [{ session: [] }],
      responses: {
        '200': json('The most frequent events, and properties of events and people.', {
          type: 'object',
          required: ['events', 'fields'],
          properties: { events: NAMES, fields: NAMES },
        }),
        ...errors(401, 403, 404, 429),
      },
    },
  },
};

function ask(operationId: string, summary: string, tags: readonly string[], security: readonly object[]): object {
  return {
    operationId,
    tags,
    summary,
    security,
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Query' } } } },
    responses: {
      '200': {
        description: 'The rows in the given `format`; with `explain`, how the query ran.',
        headers: {
          'X-Total-Count': { description: 'Rows of the answer before paging.', schema: { type: 'integer' } },
          'X-Rows-Scanned': { description: 'Rows that the query scanned.', schema: { type: 'integer' } },
          'Server-Timing': { description: 'Milliseconds per stage.', schema: { type: 'string' } },
        },
        content: {
          'text/plain': { schema: { type: 'string', description: 'Markdown.' } },
          'text/csv': { schema: { type: 'string' } },
          'application/json': { schema: { anyOf: ['Rows', 'Envelope', 'Explanation'].map((name) => ({ $ref: `#/components/schemas/${name}` })) } },
        },
      },
      ...errors(400, 401, 403, 404, 413, 429, 504),
    },
  };
} // prettier-ignore

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
      tree: { type: 'object', description: 'The parsed query.' },
      plan: { type: 'object', description: 'What ran.' },
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
