/** GET /query-language.md: the documentation's page of the language, for users of the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestHandler } from 'express';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
import { sendText } from '../http/answer.ts';
import { withoutLinks } from './docs-page.ts';

export const LANGUAGE_PAGE = '/query-language.md';

export function language(): RequestHandler {
  const text = withoutLinks(readFileSync(join(PACKAGE_FOLDER, 'docs', 'query-language.md'), 'utf8'));
  return (_request, response) => sendText(response, 200, 'text/plain; charset=utf-8', text);
}
