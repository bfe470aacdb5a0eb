/** /api/gdpr/*: what the law gives to people: to have what is kept of them, and to have it gone. */
import type { Express } from 'express';
import type { RouterContext } from '../context.ts';
import { addEndpoint } from '../endpoint.ts';
import { eraseUser } from './erase-user.ts';
import { exportUser } from './export-user.ts';

export function addGdprEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/api/gdpr/users/:userID', { methods: { delete: eraseUser(context) } });
  // No HEAD: an export stands in the audit trail, and whoever asks for headers takes nothing.
  addEndpoint(app, '/api/gdpr/users/:userID/export', { methods: { get: exportUser(context) }, head: false });
}
