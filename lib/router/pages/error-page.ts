/** Errors for people: a browser gets a page, with the status and headers that a program gets. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorData } from '../../base/errors.ts';
import { acceptsPages, pathOf } from '../http/query-string.ts';
import { html } from './html.ts';
import { page, type HostSettings } from './layout.ts';
import { setPagePolicy, sendPage } from './page-policy.ts';
import { themeOf } from './theme.ts';

/** These paths have no pages: their callers are programs, whatever they accept. */
const FOR_PROGRAMS = /^\/(?:api|public)(?:\/|$)/;

/** Answers an error of this request with a page; empty if none is wanted. The page never shows the path: anybody can write it. */
export function errorPage(
  request: IncomingMessage,
  response: ServerResponse,
  host: HostSettings,
): { readonly send?: (status: number, data: ErrorData) => void } {
  if (!wantsPage(request)) return {};
  return {
    send: (status, { code, message, hints }) => {
      const missing = code === 'not_found';
      const title = missing ? 'Page not found' : 'Something went wrong';
      const main = html`<div class="narrow">
        <h1>${title}</h1>
        <p>${missing ? 'Check the address: the page may have been moved or deleted.' : message}</p>
        ${missing ? null : (hints ?? []).map((hint) => html`<p>${hint}</p>`)}
        <p><a class="button primary" href="/console">Open the console</a> <a class="button" href="/">Home page</a></p>
      </div>`;
      setPagePolicy(request, response);
      sendPage(
        response,
        status,
        page({ title, account: 'unknown', main, kind: 'login', host, theme: themeOf(request) }),
      );
    },
  };
}

function wantsPage(request: IncomingMessage): boolean {
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  return !FOR_PROGRAMS.test(pathOf(request)) && acceptsPages(request);
}
