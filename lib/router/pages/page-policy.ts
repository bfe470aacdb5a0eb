/** The security headers of pages. They replace those that every answer has (`commonHeaders`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from '../http/request.ts';
import helmet from 'helmet';
import { sendText } from '../http/answer.ts';
import type { Html } from './html.ts';

const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // With "no-referrer" browsers send forms with `Origin: null`, which fails the same-origin check.
  referrerPolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  strictTransportSecurity: false, // every answer has it if the public address is https
});

/** Sets them: scripts, styles, pictures and requests only from this host, nothing inline, no frames. */
export function setPagePolicy(request: IncomingMessage, response: ServerResponse): void {
  setHeaders(request, response, (error) => {
    if (error !== undefined) throw new Error('the policy of pages cannot be set', { cause: error });
  });
}

/** Wraps handlers that answer pages. */
export function asPage(handler: RequestHandler): RequestHandler {
  return (request, response) => {
    setPagePolicy(request, response);
    return handler(request, response);
  };
}

const HTML_TYPE = 'text/html; charset=utf-8';

/** Answers a page. */
export function sendPage(response: ServerResponse, status: number, page: Html): void {
  sendText(response, status, HTML_TYPE, page.text);
}

/** Sends the browser to another address of this host, with a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Content-Length': 0 });
  response.end();
}
