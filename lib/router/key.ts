/** GET /key: what the key of the request is, and what it may do. */
import type { RequestHandler } from 'express';
import type { RouterContext } from './context.ts';
import { jsonHandler } from './http/json-handler.ts';

export function showKey({ gatekeeper, clients }: RouterContext): RequestHandler {
  return jsonHandler(
    (request) => gatekeeper.identify(request, clients.of(request).ip),
    (credential) =>
      credential.kind === 'org_admin'
        ? { kind: credential.kind, project_id: null, scopes: [] }
        : { kind: credential.kind, project_id: credential.project.id, scopes: credential.scopes },
  );
}
