/** The whole HTTP service. */
import type { RequestListener } from 'node:http';
import { spareDescriptors } from '../base/files/spare-descriptors.ts';
import type { RouterContext } from './context.ts';
import { frequentEndpoints } from './frequent-endpoints.ts';
import { direct, type DirectEndpoint } from './http/direct.ts';
import { answerError } from './http/errors.ts';
import { guard } from './http/guard.ts';

/** The listener of an HTTP server. */
export function createListener(context: RouterContext): RequestListener {
  const endpoints = frequentEndpoints(context);
  return guard(context, direct(context, endpoints, others(context, endpoints)));
}

/** All other endpoints. They are loaded with the first request: they take a quarter of a start, and most services need few. */
function others(context: RouterContext, endpoints: ReadonlyMap<string, DirectEndpoint>): RequestListener {
  let app: RequestListener | null = null;
  const giveSpare = spareDescriptors();
  const load = async (): Promise<RequestListener> => {
    giveSpare();
    const { createApp } = await import('./app.ts');
    return (app ??= createApp(context, endpoints));
  };
  return (request, response) => {
    if (app !== null) return app(request, response);
    load().then(
      (loaded) => loaded(request, response),
      (error: unknown) => answerError(request, response, { error, context }),
    );
  };
}
