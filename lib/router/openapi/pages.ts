/** What /openapi.json says of the pages. The console is for browsers alone and stands in docs/console.md. */
import { errors } from './errors.ts';

export const PAGE_PATHS = {
  '/': { get: page('landing', 'The landing page.') },
  '/login': {
    get: {
      ...page('login', 'The login page.', { '303': { description: 'Already logged in: redirects to the console.' } }),
      parameters: [
        parameter('return_to', 'Path of this host to return to after login.'),
        parameter('error', 'Why the login failed.'),
      ],
    },
  },
  '/llms.txt': { get: markdown('llms', 'Everything an agent needs to use this host.') },
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
