/** Describes the pages for /openapi.json. The console is for browsers only; see docs/console.md. */
import { operation } from './operation.ts';
import { parameter, text } from './parts.ts';

const PAGES = { tags: ['pages'], security: [] };
const PAGE = text('A page.', 'text/html');
const MARKDOWN = text('Markdown.', 'text/plain');

export const PAGE_PATHS = {
  '/': { get: operation(PAGES, 'landing', 'The landing page.', { ok: PAGE }) },
  '/login': {
    get: operation(PAGES, 'login', 'The login page.', {
      parameters: [
        parameter('return_to', 'Path of this host to return to after login.'),
        parameter('error', 'Why the login failed.'),
      ],
      ok: PAGE,
      answers: { '303': { description: 'Already logged in: redirects to the console.' } },
    }),
  },
  '/llms.txt': { get: operation(PAGES, 'llms', 'Everything an agent needs to use this host.', { ok: MARKDOWN }) },
  '/query-language.md': { get: operation(PAGES, 'queryLanguage', 'The query language.', { ok: MARKDOWN }) },
};
