/** Errors for people: a browser that was sent somewhere gets a page, with the status and headers that a program gets. */
import type { Request, Response } from 'express';
import type { ErrorData } from '../../base/errors.ts';
import { html } from './html.ts';
import { page, type HostSettings } from './layout.ts';
import { setPagePolicy } from './page-policy.ts';
import { sendPage } from './send-page.ts';

interface ErrorPage {
  readonly send?: (status: number, data: ErrorData) => void;
}

/** Under these paths are no pages: whoever asks there is a program, whatever it says that it reads. */
const FOR_PROGRAMS = /^\/(?:api|public)(?:\/|$)/;

/** How an error of this request is answered with a page; empty when it is not. The page says nothing of the path: anybody's text. */
export function errorPage(request: Request, response: Response, host: HostSettings): ErrorPage {
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
      sendPage(response, status, page({ title, account: 'unknown', main, kind: 'login', host }));
    },
  };
}

/** A browser that goes somewhere says that it reads HTML; a script or a program takes whatever there is, or JSON. */
function wantsPage({ method, path, headers }: Request): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return !FOR_PROGRAMS.test(path) && /\btext\/html\b/.test(headers.accept ?? '');
}
