/** The security headers of pages. They replace those that every answer has (lib/router/http/common-headers.ts). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from '../http/request.ts';
import helmet from 'helmet';

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
