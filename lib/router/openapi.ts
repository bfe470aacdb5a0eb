/** GET /openapi.json: the API in OpenAPI 3.1, put together from a description of each endpoint. Tests hold answers to it. */
import type { RequestHandler } from 'express';
import { ERROR_STATUS } from '../errors.ts';
import { VERSION } from '../version.ts';
import { JSON_TYPE, sendText } from './answer.ts';
import { INGEST_PATHS, INGEST_SCHEMAS } from './openapi-ingest.ts';
import { QUERY_PATHS, QUERY_SCHEMAS } from './openapi-query.ts';

/** The whole description. */
export function describeApi(): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Windlass',
      version: VERSION,
      description: 'Product analytics: events in, answers out of a pipe language.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths: { ...INGEST_PATHS, ...QUERY_PATHS, ...SERVICE_PATHS },
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        parameter: { type: 'apiKey', in: 'query', name: 'key' },
      },
      schemas: { Error: ERROR_SCHEMA, ...INGEST_SCHEMAS, ...QUERY_SCHEMAS },
      responses: {
        Error: {
          description: 'What went wrong, and what to do next.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

export function openapi(): RequestHandler {
  const text = JSON.stringify(describeApi());
  return (_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    sendText(response, 200, JSON_TYPE, text);
  };
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'For people.' },
    code: { enum: Object.keys(ERROR_STATUS), description: 'For programs.' },
    hints: { type: 'array', items: { type: 'string' } },
    position: { type: 'integer', minimum: 0, description: 'Where in `q`, in UTF-16 units.' },
    accepted: { type: 'integer', description: 'Of a stream of lines: what is stored and stays.' },
    line: { type: 'integer', description: 'Of a stream of lines: lines read before it ended.' },
  },
};

const SERVICE_PATHS = {
  '/healthz': { get: plain('Whether the process answers.', 'ok') },
  '/readyz': { get: plain('Whether the service takes events and queries.', 'ready') },
  '/openapi.json': {
    get: {
      summary: 'This description.',
      responses: {
        '200': { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
  },
};

function plain(summary: string, word: string): unknown {
  return {
    summary,
    responses: {
      '200': { description: 'Yes.', content: { 'text/plain': { schema: { const: word } } } },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}
