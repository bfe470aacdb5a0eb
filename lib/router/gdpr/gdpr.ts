/** /api/gdpr/*: people's rights by law: to get their data, and to have it erased. */
import type { Express } from 'express';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { eraseUser } from './erase-user.ts';
import { exportUser } from './export-user.ts';

export function addGdprEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/gdpr/users/:userID', { methods: { delete: eraseUser(context) } });
  // No HEAD: an export is recorded in the audit trail, and a request for headers takes no data.
  addEndpoint(app, '/api/gdpr/users/:userID/export', { methods: { get: exportUser(context) }, head: false });
}
