/** Describes queries for /openapi.json, with a key and with a session. */
import { MOST_NAMES } from '../api/questions.ts';
import { operation, SESSION, COUNT, json, list, PROJECT_ID, ref, TEXT, whole } from './operation.ts';
import { QUERY_SCHEMA } from '../query/query-request.ts';

/** Where the events are in ClickHouse. */
const RAN = list(
  whole({ sql: TEXT, params: { type: 'object' }, rows_read: COUNT, bytes_read: COUNT, ms: { type: 'number' } }),
);

const NAMES = { type: 'array', maxItems: MOST_NAMES, items: TEXT };
const KEYS = { tags: ['queries'], security: [{ header: [] }, { parameter: [] }] };

const ASK = {
  takes: ref('Query'),
  ok: {
    description: 'The rows in the given `format`; with `explain`, how the query ran.',
    headers: {
      'X-Total-Count': { description: 'Rows of the answer before paging.', schema: { type: 'integer' } },
      'X-Rows-Scanned': { description: 'Rows that the query scanned.', schema: { type: 'integer' } },
      'Server-Timing': { description: 'Milliseconds per stage.', schema: TEXT },
    },
    content: {
      'text/plain': { schema: { type: 'string', description: 'Markdown.' } },
      'text/csv': { schema: TEXT },
      'application/json': { schema: { anyOf: [ref('Rows'), ref('Envelope'), ref('Explanation')] } },
    },
  },
  fails: [404, 504],
} as const;

export const QUERY_PATHS = { '/query': { post: operation(KEYS, 'query', 'Answers a query.', ASK) } };

/** The session API has them below the path of a project. */
export const PROJECT_QUERY_PATHS = {
  '/api/projects/{projectID}/query': {
    parameters: [PROJECT_ID],
    post: operation(SESSION, 'askProject', 'Answers a query, as POST /query does.', ASK),
  },
  '/api/projects/{projectID}/names': {
    parameters: [PROJECT_ID],
    get: operation(SESSION, 'getProjectNames', 'Lists names for query completion. Counts as a query.', {
      ok: json(
        'The most frequent events, and properties of events and people.',
        whole({ events: NAMES, fields: NAMES }),
      ),
    }),
  },
};

const ROWS = list({ type: 'object' });
const NUMBER = { type: 'number' };

const EXPLANATION = {
  tree: { type: 'object', description: 'The parsed query.' },
  plan: { type: 'object', description: 'What ran.' },
  passes: {
    type: 'array',
    description: 'The passes of the optimizer in their order, with the plan after each that changed it.',
    items: {
      type: 'object',
      required: ['name', 'changed'],
      properties: { name: TEXT, changed: { type: 'boolean' }, plan: list(TEXT) },
    },
  },
  parts: list(whole({ thread: COUNT, segments: COUNT, rows: COUNT, ms: NUMBER })),
  times: list(whole({ stage: TEXT, ms: NUMBER })),
  rows_scanned: COUNT,
  notes: list(TEXT),
};

export const QUERY_SCHEMAS = {
  Query: QUERY_SCHEMA,
  Rows: ROWS,
  Envelope: whole({
    columns: { ...list(TEXT), description: 'Names, in order.' },
    column_types: list(whole({ name: TEXT, type: TEXT, role: TEXT })),
    rows: ROWS,
    total: { type: 'integer' },
    range: whole({ from: TEXT, to: TEXT, timezone: TEXT }),
    rows_scanned: { type: 'integer' },
    elapsed_ms: { type: 'integer', description: 'Whole milliseconds.' },
    mode: TEXT,
    notes: list(TEXT),
  }),
  Explanation: { ...whole(EXPLANATION), properties: { ...EXPLANATION, statements: RAN } },
};
