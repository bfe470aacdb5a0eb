/** What /openapi.json says of the pages. The console is for browsers alone and stands in docs/console.md. */
import { errors } from '../openapi-errors.ts';

export const PAGE_PATHS = {
  '/': { get: page('landing', 'What this is, what it costs, how to start.') },
  '/login': {
    get: {
      ...page('login', 'Who can log people in.', { '303': { description: 'Logged in already: on to the console.' } }),
      parameters: [
        parameter('return_to', 'Path of this host to go to afterwards.'),
        parameter('error', 'Why a login failed.'),
      ],
    },
  },
  '/llms.txt': { get: markdown('llms', 'All that an agent needs to use this host.') },
  '/query-language.md': { get: markdown('queryLanguage', 'The query language.') },
};

function markdown(operationId: string, summary: string): object {
  return {
    operationId,
    tags: ['pages'],
    summary,
    security: [],
    responses: {
      '200': { description: 'Markdown.', content: { 'text/plain': { schema: { type: 'string' } } } },
      ...errors(),
    },
  };
}

function page(operationId: string, summary: string, responses: object = {}): object {
  return {
    operationId,
    tags: ['pages'],
    summary,
    security: [],
    responses: {
      '200': { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
      ...responses,
      ...errors(),
    },
  };
}

function parameter(name: string, description: string): object {
  return { name, in: 'query', description, schema: { type: 'string' } };
}
