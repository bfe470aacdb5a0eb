/** The security headers of pages. They take the place of those that every answer has from lib/router/guard.ts. */
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const YEAR_SECONDS = 31_536_000;

/**
 * Wraps handlers that answer pages: scripts, styles, pictures and requests of this host alone, nothing inline, no frames.
 * `secure`: the public address is https.
 */
export function pagePolicy({ secure }: { secure: boolean }): (handler: RequestHandler) => RequestHandler {
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
    // With "no-referrer" browsers send forms with `Origin: null`, which the check for the same origin refuses.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: secure && { maxAge: YEAR_SECONDS, includeSubDomains: false },
  });
  return (handler) => (request, response, next) => {
    let failure: unknown;
    setHeaders(request, response, (error) => (failure = error));
    return failure === undefined ? handler(request, response, next) : next(failure);
  };
}
